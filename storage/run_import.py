"""A whole run from another store: every fact is checked before it is kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import msgspec

from groupsim.events.types import MOST_PARTITIONS
from groupsim.events.world import PartitionsAdded, TopicCreated
from groupsim.storage.codec import Digest, Row, recorded
from groupsim.storage.errors import StoreError
from groupsim.storage.run_info import LONGEST_MS, strange
from groupsim.storage.store import RunInfo, RunStatus
from groupsim.storage.writer import BATCH


class RunImport:
    """The rows of `info`, checked and in batches; `checksums` and `ended()` are complete after the last batch."""

    def __init__(self, info: RunInfo, rows: Iterable[Row]) -> None:
        if odd := strange(info):
            raise StoreError(f"run {info.id}: {odd}")
        self._info = info
        self._rows = iter(rows)
        self._digest = Digest()
        self._facts = 0
        self._versions: dict[str, int] = {}
        self._at_ms = 0
        self.checksums: list[tuple[int, str]] = []

    def __iter__(self) -> Iterator[list[Row]]:
        """Batches to keep. Raises StoreError, naming the fact, if sequence or version are wrong or it can't be read."""
        while part := list(islice(self._rows, BATCH)):
            for row in part:
                self._check(row)
            self._digest.add(part)
            self.checksums.append((self._facts, self._digest.hex()))
            yield part

    def _check(self, row: Row) -> None:
        seq, version, stream = row[0], row[3], row[2]
        expected = self._versions.get(stream, 0)
        if seq != self._facts:
            raise StoreError(f"run {self._info.id}: expected fact {self._facts}, got fact {seq}")
        if version != expected:
            raise StoreError(
                f"run {self._info.id}, seq {seq}: expected version {expected} of {stream}, got version {version}"
            )
        if not self._at_ms <= row[1] <= LONGEST_MS:
            raise StoreError(f"run {self._info.id}, seq {seq}: it can't be at {row[1]} ms, after {self._at_ms} ms")
        event = recorded(self._info.id, row).event
        if isinstance(event, TopicCreated | PartitionsAdded) and not 0 <= event.partitions <= MOST_PARTITIONS:
            raise StoreError(
                f"run {self._info.id}, seq {seq}: topic {event.topic} can't have {event.partitions} partitions"
            )
        self._at_ms = row[1]
        self._versions[stream] = expected + 1
        self._facts += 1

    def ended(self) -> RunInfo:
        """RunInfo, with the digest if the run has ended. Raises StoreError for other facts, or later ones."""
        info, digest = self._info, self._digest.hex()
        if info.facts != self._facts:
            raise StoreError(f"run {info.id} should have {info.facts} facts, but has {self._facts}")
        if info.simulated_ms is not None and info.simulated_ms < self._at_ms:
            raise StoreError(f"run {info.id} can't end at {info.simulated_ms} ms: its last fact is at {self._at_ms} ms")
        if info.digest not in (None, digest):
            raise StoreError(f"run {info.id} has a digest that does not fit its facts: a fact was changed")
        return info if info.status == RunStatus.RUNNING else msgspec.structs.replace(info, digest=digest)
