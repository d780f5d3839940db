"""How long something was unavailable, however many partitions, and one partition at the longest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from groupsim.events.types import TopicPartition

Span = tuple[int, int]
"""From a time up to, but not including, another, in ms of the run."""


class Outage(NamedTuple):
    """`outage_ms`: time with at least one partition unavailable. `longest_partition_ms`: the longest time that one
    partition was unavailable without a break, whatever the labels."""

    outage_ms: int
    longest_partition_ms: int


class AtOnce(NamedTuple):
    """The most partitions that were unavailable at the same time, and how long at least one was."""

    most: int
    ms: int


def at_once(steps: Iterable[Mapping[int, int]]) -> AtOnce:
    """`steps`: by instant, by how many more partitions are unavailable from then on; they are added up."""
    together: defaultdict[int, int] = defaultdict(int)
    for each in steps:
        for at_ms, step in each.items():
            together[at_ms] += step
    level = most = ms = since = 0
    for at_ms, step in sorted(together.items()):
        if level:
            ms += at_ms - since
        level, since = level + step, at_ms
        most = max(most, level)
    return AtOnce(most, ms)


def joined(spans: Iterable[Span]) -> Iterator[Span]:
    """The same time in order, without overlaps; what touches is one span."""
    begin = end = None
    for from_ms, to_ms in sorted(spans):
        if begin is None or end is None:
            begin, end = from_ms, to_ms
        elif from_ms > end:
            yield begin, end
            begin, end = from_ms, to_ms
        else:
            end = max(end, to_ms)
    if begin is not None and end is not None:
        yield begin, end


def longest_ms(by_partition: Iterable[Iterable[Span]]) -> int:
    """The longest unavailable time of one partition, of the spans of each, in any order."""
    return max((end - begin for spans in by_partition for begin, end in joined(spans)), default=0)


def outage(by_partition: Iterable[Sequence[Span]]) -> Outage:
    """Both of the unavailable time of each partition, in any order; spans may overlap."""
    every = list(by_partition)
    together = joined(span for spans in every for span in spans)
    return Outage(sum(end - begin for begin, end in together), longest_ms(every))


class Longest:
    """The longest time that one partition of each group was unavailable, while changes pass by in order of time."""

    def __init__(self) -> None:
        self.ms: dict[str, int] = {}
        self._since: defaultdict[str, dict[TopicPartition, int]] = defaultdict(dict)

    def change(self, group: str, partitions: Collection[TopicPartition], at_ms: int, *, down: bool) -> None:
        """These partitions, one at least, become unavailable, or are no longer."""
        since = self._since[group]
        if down:
            since.update(dict.fromkeys(partitions, at_ms))
        else:
            self._lasted(group, at_ms - min(map(since.pop, partitions)))

    def begin(self, group: str, at_ms: int, others: Longest) -> None:
        """The group counts from here on; what `others` have as unavailable is so from now on."""
        self.ms.pop(group, None)
        self._since[group] = dict.fromkeys(others._since[group], at_ms)

    def end(self, at_ms: int) -> None:
        """The run ends here."""
        for group, since in self._since.items():
            if since:
                self._lasted(group, at_ms - min(since.values()))
        self._since.clear()

    def _lasted(self, group: str, ms: int) -> None:
        self.ms[group] = max(ms, self.ms.get(group, 0))
