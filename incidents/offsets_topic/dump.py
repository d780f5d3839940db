"""The text that `kafka-dump-log --offsets-decoder` prints of segments, as GroupRecords.

Source: kafka.tools.DumpLogSegments and its parsers of group records: JSON since Kafka 3.8; before that
GroupMetadataManager.formatRecordKeyAndValue, which prints of a generation only its number, protocol and the partitions
of each member. The line of a batch says whether it is of a transaction, the record of its marker how that ended.

Each line ends with a line end, and each batch says how many records follow (`count: 3`): so it shows whether the dump
was cut off at its end. A dump of which lines were chosen (`grep`) lacks some in other batches too; of such a one only a
broken line tells that it was cut.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from groupsim.incidents.errors import LogError
from groupsim.incidents.logs.scan import open_log
from groupsim.incidents.offsets_topic.record import KINDS, GroupRecord
from groupsim.incidents.offsets_topic.transactions import Transactions
from groupsim.wording.numbers import counted

_COUNT = re.compile(r" count: (\d{1,9})(?: |$)")
_WHOLE_BATCH = re.compile(r" isvalid: (?:true|false)$")
_SKIPPED = "skipping."


def is_whole(line: str) -> bool:
    """Whether a last line without a line end is a whole one: nothing else tells that the file was not cut in it."""
    text = line.rstrip("\r")
    if "baseOffset: " in text[:200]:
        return _WHOLE_BATCH.search(text) is not None
    if "offset: " not in text[:200]:
        return text.startswith(("Dumping ", "Log starting offset: ", "Starting offset: "))
    payload = text.rpartition(_PAYLOAD)[2]
    if not payload.startswith("{"):
        return payload == _DELETE or text.endswith(_SKIPPED) or "endTxnMarker" in text
    try:
        json.loads(payload)
    except (ValueError, RecursionError):
        return False
    return True


class DumpEnd:
    """Fed with the lines of a dump, one by one."""

    def __init__(self) -> None:
        self._batches = 0
        self._left = 0
        self._chosen = False

    def batch(self, line: str) -> None:
        """A batch begins."""
        self._chosen |= self._left > 0
        found = _COUNT.search(line[:400])
        self._batches, self._left = self._batches + 1, int(found[1]) if found is not None else 0

    def record(self) -> None:
        """The line of a record."""
        self._left -= 1

    def said(self) -> str | None:
        """That the dump ends within a batch, to be said of it; None: it does not, or lines of it were chosen."""
        if self._left <= 0 or self._chosen or self._batches < 2:
            return None
        return f"ends before the last {counted(self._left, 'record')} of its last batch: it was cut off"


_COMMIT = re.compile(r"offset_commit::?group=")
_GROUP = re.compile(r"group_metadata::?group=")
_OLD_OFFSET = re.compile(r"offset=(\d{1,18})(?:,metadata=(.*))?$", re.S)
_DIGITS = 9
_MEMBER = re.compile(r"([^=\[\]]{1,400})=\[([^\[\]]*)\](?::[0-9a-fA-F]*)?(?:,|$)")


def old_key(text: str) -> tuple[int, Mapping[str, object]]:
    """Version and fields of a key. Raises ValueError."""
    if (commit := _COMMIT.match(text)) is not None:
        group, _, partition = text[commit.end() :].rpartition(",partition=")
        topic, number = _partition(partition)
        return 1, {"group": group, "topic": topic, "partition": number}
    if (found := _GROUP.match(text)) is not None:
        return 2, {"group": text[found.end() :]}
    raise ValueError("no key")


def old_value(text: str) -> Mapping[str, object]:
    """Fields of a value, those that were printed. Raises ValueError."""
    if (commit := _OLD_OFFSET.match(text)) is not None:
        return {"offset": int(commit[1]), "metadata": commit[2] or ""}
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("no value")
    assignment = found.get("assignment")
    return {
        "protocolType": found.get("protocolType"),
        "generation": int(found.get("generationId", found.get("generation", 0)) or 0),
        "protocol": found.get("protocol"),
        "leader": None,
        "members": [
            {"memberId": member, "assignment": {"assignedPartitions": _assigned(partitions)}}
            for member, partitions in _MEMBER.findall(str(assignment or "").removeprefix("{").removesuffix("}"))
        ],
    }


def _assigned(text: str) -> list[dict[str, object]]:
    """`orders-0, orders-1` as the assignment's fields."""
    topics: dict[str, list[int]] = {}
    for each in filter(None, text.split(", ")):
        topic, number = _partition(each.strip())
        topics.setdefault(topic, []).append(number)
    return [{"topic": topic, "partitions": partitions} for topic, partitions in topics.items()]


def _partition(text: str) -> tuple[str, int]:
    """`orders-0` in its parts. Raises ValueError."""
    topic, _, number = text.rpartition("-")
    if not topic or not number.isdecimal() or len(number) > _DIGITS:
        raise ValueError("no partition")
    return topic, int(number)


LONGEST_LINE = 16 << 20
"""A classic group of 10,000 members is a line of some 5 MB; of a longer line the rest is left out."""
_BLOCK = 1 << 20
_OFFSET = re.compile(r"(?:^|[| \t])offset: (\d{1,18}) ")
_BATCH = re.compile(r"(?:^|[| \t])baseOffset: (\d{1,18}) lastOffset: (\d{1,18}) ")
_TRANSACTION = re.compile(r" producerId: (-?\d{1,19}) .{1,200}? isTransactional: true isControl: (true|false)")
_MARKER = re.compile(r" endTxnMarker: (COMMIT|ABORT)")
_TIME = re.compile(r" (?:CreateTime|LogAppendTime): (-?\d{1,18})(?: |$)")
_SEQUENCE = re.compile(r" sequence: (\d{1,10}) ")
_UNKNOWN = re.compile(r"Unknown record type (\d{1,9})|unknown::version=(\d{1,9})")
_KEY, _PAYLOAD, _DELETE = " key: ", " payload: ", "<DELETE>"
_DECODER = json.JSONDecoder()
_BEGIN = 64 << 10


def is_dump(begin: bytes) -> bool:
    """Whether a file that begins so was printed by kafka-dump-log."""
    return (
        re.search(
            rb"(?m)^(?:Dumping [^\n]{1,4096}\.log\r?$|baseOffset: \d|(?:\| )?offset: \d[^\n]{1,400}keysize: )",
            begin,
            re.I,
        )
        is not None
    )


class DumpReader:
    """The records of one dump, in the order of its lines; iterate once.

    Then `lines` counts all lines, `unknown` what was not decoded (by its name), `damage` has sentences about lines that
    could not be read, and `without` says so of a dump that was printed without the decoder. Raises LogError if the file
    can't be opened.
    """

    def __init__(self, path: Path, *, name: str | None = None, progress: Callable[[int], None] | None = None) -> None:
        self.name = name or str(path)
        self.lines = 0
        self.unknown: Counter[str] = Counter()
        self.damage: list[str] = []
        self.without: dict[str, str] = {}
        self._path = path
        self._progress = progress
        self._batch = (0, -1)
        self._transactions = Transactions()
        self._partition = ""
        self._producer: tuple[str, str] | None = None
        self._unmarked = False
        self._cut_out = 0
        self._broken = 0
        self._first_broken = ""
        self._found = 0
        self._end = DumpEnd()
        self._ended = True

    @property
    def aborted(self) -> int:
        """How many records were of transactions that were aborted."""
        return self._transactions.aborted

    def __iter__(self) -> Iterator[GroupRecord]:
        cut = False
        for text in self._texts():
            self.lines += 1
            if not self._ended and not is_whole(text):
                cut = True
                self.damage.append(f"{self.name}:{self.lines}: the dump was cut off in this line, its last one")
            elif text.startswith("Dumping "):
                yield from self._enter("")
                self._partition = text.rpartition("/")[0]
            elif (batch := _BATCH.search(text[:200])) is not None:
                yield from self._enter(text)
                self._batch = int(batch[1]), int(batch[2])
                self._end.batch(text)
            elif (offset := _OFFSET.search(text[:200])) is not None:
                self._end.record()
                yield from self._of_line(text, int(offset[1]))
        if not cut and (ends := self._end.said()) is not None:
            self.damage.append(f"{self.name} {ends}")
        yield from self._enter("")
        self.damage += self._transactions.unfinished(self.name)
        if self._cut_out:
            self.damage.append(
                f"{self.name}: the markers of transactions (lines with endTxnMarker) were cut out of the dump;"
                f" {counted(self._cut_out, 'commit')} of them count, although some may have been aborted"
            )
        if not self._found and not self.unknown:
            self.without[self.name] = (
                "was printed by kafka-dump-log without the records of groups; print it again with --offsets-decoder"
            )
        elif self._broken:
            more = f" and {self._broken - 1:,} more lines" if self._broken > 1 else ""
            self.damage.append(f"{self._first_broken}{more} can't be read; the rest was read")

    def _of_line(self, text: str, offset: int) -> Iterator[GroupRecord]:
        """The record of a line, unless a transaction holds it, or those that a transaction's end releases."""
        if (marker := _MARKER.search(text)) is not None and _KEY not in text:
            self._unmarked = False
            yield from self._transactions.end(self._producer, committed=marker[1] == "COMMIT")
        elif (record := self._record(text, offset)) is not None:
            self._found += 1
            if self._producer is None or not self._batch[0] <= record.offset <= self._batch[1]:
                yield record
            else:
                self._transactions.hold(self._producer, record)

    def _enter(self, batch: str) -> Iterator[GroupRecord]:
        """Another batch begins. The records of a transaction whose marker was cut out of the dump count."""
        if self._unmarked:
            self._unmarked = False
            if held := self._transactions.end(self._producer, committed=True):
                self._cut_out += len(held)
                yield from held
        found = _TRANSACTION.search(batch[:400])
        self._producer = None if found is None else (self._partition, found[1])
        self._unmarked = found is not None and found[2] == "true"

    def _texts(self) -> Iterator[str]:
        """The lines, one by one; of an over-long line nothing but its beginning."""
        rest = b""
        try:
            with open_log(self._path, self._progress, self.damage.append) as stream:
                while block := stream.read(_BLOCK):
                    if len(rest) == LONGEST_LINE and b"\n" not in block:
                        continue
                    *whole, rest = (rest + block).split(b"\n")
                    rest = rest[:LONGEST_LINE]
                    for line in whole:
                        yield line.decode("utf-8", "replace")
        except OSError as error:
            raise LogError(f"{self._path} can't be read: {error.strerror or error}") from None
        if rest:
            self._ended = False
            yield rest.decode("utf-8", "replace")

    def _record(self, text: str, offset: int) -> GroupRecord | None:
        head, mark, body = text.rstrip("\r").partition(_KEY)
        at = _TIME.search(head)
        if not mark:
            if "endTxnMarker" not in text:
                self._unread()
            return None
        if (unknown := _UNKNOWN.match(body)) is not None:
            self.unknown[f"record type {unknown[1] or unknown[2]}"] += 1
            return None
        try:
            key_version, key, payload = _key(body)
            value_version, value = _value(payload)
        except (ValueError, RecursionError):
            self._unread()
            return None
        if key_version not in KINDS:
            self.unknown[f"record type {key_version}"] += 1
            return None
        if at is None or int(at[1]) < 0:
            self.unknown["a record without a time"] += 1
            return None
        return GroupRecord(
            offset=offset,
            batch=self._batch_of(head, offset),
            at_ms=int(at[1]),
            kind=KINDS[key_version],
            key=key,
            value=value,
            key_version=key_version,
            value_version=value_version,
            place=f"{self.name}:{self.lines}",
        )

    def _batch_of(self, head: str, offset: int) -> int:
        """The batch it is in; where its line was cut out of the dump, what the sequence says."""
        first, last = self._batch
        if first <= offset <= last:
            return first
        sequence = _SEQUENCE.search(head + " ")
        return max(0, offset - int(sequence[1])) if sequence is not None else offset

    def _unread(self) -> None:
        self._broken += 1
        self._first_broken = self._first_broken or f"{self.name}:{self.lines}"


def _key(body: str) -> tuple[int, Mapping[str, object], str]:
    """Version and fields of the key, and the text of the payload. Raises ValueError."""
    if not body.startswith("{"):
        key, mark, payload = body.partition(_PAYLOAD)
        if not mark:
            raise ValueError("no payload")
        return *old_key(key), payload
    found, end = _DECODER.raw_decode(body)
    if not body.startswith(_PAYLOAD, end) or not isinstance(found, dict):
        raise ValueError("no payload")
    data = found.get("data")
    version = _version(found.get("type", found.get("version")))
    return version, data if isinstance(data, dict) else {}, body[end + len(_PAYLOAD) :]


def _value(payload: str) -> tuple[int | None, Mapping[str, object] | None]:
    """Version and fields of the value; None twice for a tombstone. Raises ValueError."""
    if payload.strip() == _DELETE:
        return None, None
    if not payload.startswith('{"version"'):
        return None, old_value(payload)
    found: Any = _DECODER.raw_decode(payload)[0]
    data = found.get("data")
    if not isinstance(data, dict):
        raise ValueError("no data")
    return _version(found["version"]), data


def _version(found: object) -> int:
    if isinstance(found, int) and not isinstance(found, bool):
        return found
    if isinstance(found, str) and found.isdecimal() and len(found) < 6:
        return int(found)
    raise ValueError("no version")
