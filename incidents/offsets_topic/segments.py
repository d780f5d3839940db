"""Segment files of `__consumer_offsets` as GroupRecords: what their batches hold, decoded.

A transaction's commits count from its marker on, as for the coordinator; those of aborted ones never do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from groupsim.incidents.offsets_topic.batches import Batch, BatchReader
from groupsim.incidents.offsets_topic.decode import Undecodable, decode_key, decode_value, record_type
from groupsim.incidents.offsets_topic.entries import ATTRIBUTES_AT, BROKEN, entries
from groupsim.incidents.offsets_topic.record import KINDS, LATEST_MS, GroupRecord, own_time
from groupsim.incidents.offsets_topic.schemas import OTHERS
from groupsim.incidents.offsets_topic.transactions import Transactions

_TRANSACTIONAL, _CONTROL = 0x10, 0x20
_PRODUCER_AT = 43
_KEYS_KEPT, _KEY_KEPT = 20_000, 1_024
"""How many keys are kept decoded, and the longest of them, bytes."""
_COMMIT = 1
Decoded = tuple[int, str, Mapping[str, object]]


class RecordDecoder:
    """Keys and values into GroupRecords; `unknown` counts by name what was not decoded."""

    def __init__(self, unknown: Counter[str], groups: frozenset[str] = frozenset()) -> None:
        self._unknown = unknown
        self._groups = groups
        self._keys: dict[bytes, Decoded | None] = {}
        self._at_ms = 0

    def record(
        self, offset: int, batch: int, at_ms: int | None, key: bytes | None, value: bytes | None, place: str
    ) -> GroupRecord | None:
        """One record; None for one that is not decoded or of another group. `at_ms` None: its value says when."""
        try:
            known = self._keys[key]  # type: ignore[index]
        except KeyError:
            known = self._key(key)
        if known is None:
            return None
        kind, name, fields = known
        version, found = None, None
        if value is not None:
            try:
                version, found = decode_value(kind, value)
            except Undecodable as why:
                self._unknown[str(why)] += 1
                return None
        if at_ms is None or at_ms < 0:
            at_ms = own_time(found, self._at_ms)
        if not 0 < at_ms <= LATEST_MS:
            self._unknown["a record without a time"] += 1
            return None
        self._at_ms = at_ms
        return GroupRecord(offset, batch, at_ms, name, fields, found, kind, version, place)

    def _key(self, key: bytes | None) -> Decoded | None:
        """Type, kind and fields of a key, kept for the records to come: the same keys come again and again."""
        if key is None:
            self._unknown["a record without a key"] += 1
            return None
        try:
            kind = record_type(key)
            if kind not in KINDS:
                self._unknown[f"{OTHERS[kind]} records" if kind in OTHERS else f"record type {kind}"] += 1
                return None
            fields = decode_key(key)
        except Undecodable as why:
            self._unknown[str(why)] += 1
            return None
        group = fields.get("groupId", fields.get("group"))
        found = None if self._groups and group not in self._groups else (kind, KINDS[kind], fields)
        if len(self._keys) >= _KEYS_KEPT:
            self._keys.clear()
        if len(key) <= _KEY_KEPT:
            self._keys[key] = found
        return found


class SegmentReader:
    """The records of segment files of one partition, in the order given; iterate once.

    `groups`: only of these. Afterwards `batches` counts them, `unknown` what was not decoded (by its name), `damage`
    has sentences, `without` says of files without a batch what they hold. Raises LogError if a file can't be opened.
    """

    def __init__(
        self,
        paths: list[Path],
        *,
        groups: frozenset[str] = frozenset(),
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.batches = 0
        self.unknown: Counter[str] = Counter()
        self.damage: list[str] = []
        self.without: dict[str, str] = {}
        self._paths = paths
        self._progress = progress
        self._decoder = RecordDecoder(self.unknown, groups)
        self._transactions = Transactions()

    @property
    def aborted(self) -> int:
        """How many records were of transactions that were aborted."""
        return self._transactions.aborted

    def __iter__(self) -> Iterator[GroupRecord]:
        for path in self._paths:
            reader = BatchReader(path, progress=self._progress)
            try:
                for batch in reader:
                    self.batches += 1
                    yield from self._records(batch, reader.name)
            finally:
                self.damage += reader.damage
                if reader.without is not None:
                    self.without[reader.name] = reader.without
        self.damage += self._transactions.unfinished(self._paths[-1]) if self._paths else ()

    def _records(self, batch: Batch, name: str) -> Iterator[GroupRecord]:
        place = f"{name}:{batch.position}"
        attributes = int.from_bytes(batch.raw[ATTRIBUTES_AT : ATTRIBUTES_AT + 2], "big") if batch.magic == 2 else 0
        if attributes & (_TRANSACTIONAL | _CONTROL):
            yield from self._of_transaction(batch, attributes, place)
            return
        record, base = self._decoder.record, batch.base_offset
        try:
            for found in entries(batch):
                made = record(found.offset, base, found.timestamp, found.key, found.value, place)
                if made is not None:
                    yield made
        except BROKEN as why:
            self._broken(place, why)

    def _of_transaction(self, batch: Batch, attributes: int, place: str) -> Iterator[GroupRecord]:
        """Holds the records of a transaction back until its marker, and gives or drops them there."""
        producer = int.from_bytes(batch.raw[_PRODUCER_AT : _PRODUCER_AT + 8], "big", signed=True)
        try:
            for found in entries(batch):
                if attributes & _CONTROL:
                    committed = int.from_bytes((found.key or b"")[2:4], "big") == _COMMIT
                    yield from self._transactions.end(producer, committed=committed)
                    return
                made = self._decoder.record(
                    found.offset, batch.base_offset, found.timestamp, found.key, found.value, place
                )
                if made is not None:
                    self._transactions.hold(producer, made)
        except BROKEN as why:
            self._broken(place, why)

    def _broken(self, place: str, why: BaseException) -> None:
        self.unknown["a batch that can't be read"] += 1
        if self.unknown["a batch that can't be read"] == 1:
            self.damage.append(f"the batch at {place} can't be read: {why}")
