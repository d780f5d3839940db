"""Segment files by partition, in order; copies of a partition from several brokers are read side by side.

Source: org.apache.kafka.storage.internals.log.LogFileUtils: a segment is named for its first offset, in a folder named
for topic and partition. `.deleted` is what compaction has replaced and not removed yet.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from groupsim.events.extras import needing
from groupsim.incidents.offsets_topic.record import GroupRecord

if TYPE_CHECKING:
    from groupsim.incidents.offsets_topic.segments import SegmentReader

TOPIC = "__consumer_offsets"
_NAME = re.compile(r"(?P<before>.*?)(?P<offset>\d{20})\.log(?P<old>\.deleted)?(?:\.gz)?")
_FOLDER = re.compile(
    r"(?P<topic>.{1,249})-(?P<partition>\d{1,9})(?:[.-](?P<state>[0-9a-f]{32}-delete|.{1,40}-future))?"
)


class _Chain(NamedTuple):
    """Files that continue each other."""

    partition: str
    where: str


def named_as_segment(path: Path) -> bool:
    """Whether a file has a segment's name."""
    return _NAME.fullmatch(path.name) is not None


def of_another_topic(path: Path) -> bool:
    """Whether the folder's name says that a segment is of another topic."""
    folder = _FOLDER.fullmatch(path.parent.name)
    return named_as_segment(path) and folder is not None and folder["topic"] != TOPIC and path.name[0].isdigit()


class PartitionsReader:
    """The records of segment files of any partitions, those of one partition after those of another; iterate once.

    Those of one partition are in the order of offsets; what two copies have alike comes once. `partitions` counts them
    afterwards; the rest is as in SegmentReader.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        *,
        groups: frozenset[str] = frozenset(),
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.unknown: Counter[str] = Counter()
        self.damage: list[str] = []
        self.without: dict[str, str] = {}
        self.batches = self.aborted = 0
        self._groups = groups
        self._progress = progress
        chains: dict[_Chain, list[tuple[int, str, Path]]] = defaultdict(list)
        for path in dict.fromkeys(paths):
            chain, first = _chain(path)
            chains[chain].append((first, path.name, path))
        by_partition: dict[str, list[list[Path]]] = defaultdict(list)
        for chain, files in sorted(chains.items()):
            by_partition[chain.partition].append([path for _, _, path in sorted(files)])
        self._partitions = by_partition
        self.partitions = len(by_partition)

    def __iter__(self) -> Iterator[GroupRecord]:
        with needing("offsets"):  # half a second
            from groupsim.incidents.offsets_topic.segments import SegmentReader

        for copies in self._partitions.values():
            readers = [SegmentReader(copy, groups=self._groups, progress=self._progress) for copy in copies]
            yield from readers[0] if len(readers) == 1 else _once(readers)
            for reader in readers:
                self.unknown += reader.unknown
                self.damage += reader.damage
                self.without |= reader.without
                self.batches += reader.batches
                self.aborted += reader.aborted


def _chain(path: Path) -> tuple[_Chain, int]:
    """The partition of a file and the copy of it, and the file's first offset."""
    name, folder = _NAME.fullmatch(path.name), _FOLDER.fullmatch(path.parent.name)
    if name is None:
        return _Chain(str(path), ""), 0
    where = f"{path.parent}/{name['before']}{name['old'] or ''}"
    whose = folder is not None and folder["topic"] == TOPIC and not name["before"]
    partition = f"{TOPIC}-{folder['partition']}" if folder and whose else f"{path.parent}/{name['before']}"
    return _Chain(partition, where), int(name["offset"])


def _once(copies: Sequence[SegmentReader]) -> Iterator[GroupRecord]:
    """The records of several copies in the order of offsets; those that are the same come once."""
    offset, seen = -1, list[GroupRecord]()
    for record in heapq.merge(*copies, key=lambda record: record.offset):
        if record.offset != offset:
            offset, seen = record.offset, []
        if not any(_same(record, each) for each in seen):
            seen.append(record)
            yield record


def _same(one: GroupRecord, other: GroupRecord) -> bool:
    return (one.at_ms, one.key_version, one.key, one.value) == (other.at_ms, other.key_version, other.key, other.value)
