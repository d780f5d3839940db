"""Which partition was available when, and why not, as intervals; `docs/model/availability.md` has the definition."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import overload

from groupsim.analysis.availability.conditions import follow
from groupsim.analysis.availability.labels import LABELS, Interval, Verdict, is_available
from groupsim.analysis.log_coverage import LogCoverage, scan_log
from groupsim.events.base import Recorded
from groupsim.events.types import TopicPartition

__all__ = ["LABELS", "Interval", "Intervals", "intervals", "is_available"]


def intervals(
    facts: Iterable[Recorded], until_ms: int | None = None, progress: Callable[[float], None] | None = None
) -> Intervals:
    """Every partition of every group, from the moment it is meant to be served to the end of the run, without gaps.

    A partition counts from its group's GroupDeclared (or its own creation, if later) to the last fact of the run, or
    to `until_ms`, whichever is earlier. Intervals are maximal: neighbours differ in label, sub-label, member or cause.
    What changes within one millisecond is decided at its end, so no interval is empty. Sorted by group, topic,
    partition, time. Pure Python; facts that can't matter cost one look at their type. `progress` is called with the
    share that is done.
    """
    read = scan_log(facts, until_ms)
    recorder = Intervals(read.groups)
    follow(read.groups, read.log if progress is None else _reported(read.log, progress), recorder)
    recorder.end(read.end_ms)
    return recorder


def _reported(facts: Sequence[Recorded], progress: Callable[[float], None]) -> Iterator[Recorded]:
    for number, fact in enumerate(facts):
        if number % _REPORTED == 0:
            progress(number / len(facts))
        yield fact


_REPORTED = 256
"""From so many facts to as many more a progress bar is moved."""


class _Line:
    """One partition's time: the instants at which its verdict changes, and the number of the verdict from each on."""

    __slots__ = ("from_ms", "verdicts")

    def __init__(self) -> None:
        self.from_ms = array("q")
        self.verdicts = array("l")


class Intervals(Sequence[Interval]):
    """All intervals of a run, kept as columns (16 bytes each); an `Interval` is made when one is asked for."""

    def __init__(self, groups: dict[str, LogCoverage]) -> None:
        self.end_ms = 0
        self._verdicts: list[Verdict] = []
        self._number: dict[Verdict, int] = {}
        self._lines: dict[str, dict[TopicPartition, _Line]] = {
            name: {tp: _Line() for tp in sorted(groups[name].counted_from_ms)} for name in sorted(groups)
        }
        self._counts: list[int] | None = None

    def change(
        self, group: str, partitions: Collection[TopicPartition], before: Verdict | None, after: Verdict, at_ms: int
    ) -> None:
        """See `analysis.availability.conditions.Recorder`."""
        number = self._number.get(after)
        if number is None:
            number = self._number[after] = len(self._verdicts)
            self._verdicts.append(after)
        lines = self._lines[group]
        for partition in partitions:
            line = lines[partition]
            line.from_ms.append(at_ms)
            line.verdicts.append(number)

    def worked(self, group: str, at_ms: int) -> None:
        """See `analysis.availability.conditions.Recorder`; the intervals show it."""

    def end(self, at_ms: int) -> None:
        """The run ends here."""
        self.end_ms = at_ms
        for lines in self._lines.values():
            for line in lines.values():
                if line.from_ms and line.from_ms[-1] >= at_ms:  # what begins at the end has no length
                    line.from_ms.pop()
                    line.verdicts.pop()
        self._counts = None

    def rows(self) -> Iterator[tuple[str, TopicPartition, Verdict, int, int]]:
        """Group, partition, verdict, from_ms and to_ms of every interval, in order."""
        verdicts = self._verdicts
        for group, lines in self._lines.items():
            for partition, line in lines.items():
                ends = [*line.from_ms[1:], self.end_ms]
                for number, from_ms, to_ms in zip(line.verdicts, line.from_ms, ends, strict=bool(line.from_ms)):
                    yield group, partition, verdicts[number], from_ms, to_ms

    def __iter__(self) -> Iterator[Interval]:
        for group, (topic, partition), verdict, from_ms, to_ms in self.rows():
            yield Interval(group, topic, partition, *verdict, from_ms, to_ms)

    def __len__(self) -> int:
        return sum(len(line.from_ms) for lines in self._lines.values() for line in lines.values())

    @overload
    def __getitem__(self, index: int) -> Interval: ...

    @overload
    def __getitem__(self, index: slice) -> list[Interval]: ...

    def __getitem__(self, index: int | slice) -> Interval | list[Interval]:
        if isinstance(index, slice):
            return list(self)[index]
        places = [(group, tp, line) for group, lines in self._lines.items() for tp, line in lines.items()]
        if self._counts is None:
            self._counts = list(accumulate(len(line.from_ms) for _, _, line in places))
        wanted = index + len(self) if index < 0 else index
        if not 0 <= wanted < len(self):
            raise IndexError(index)
        place = bisect_right(self._counts, wanted)
        group, (topic, partition), line = places[place]
        at = wanted - self._counts[place] + len(line.from_ms)
        to_ms = line.from_ms[at + 1] if at + 1 < len(line.from_ms) else self.end_ms
        return Interval(group, topic, partition, *self._verdicts[line.verdicts[at]], line.from_ms[at], to_ms)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Intervals: {len(self)}>"
