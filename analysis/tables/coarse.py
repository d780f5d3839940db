"""How far a total of unavailable time may be off because the times that it rests on are coarse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise

from groupsim.analysis.availability.labels import Interval, Label, within

Period = tuple[int, int]


def coarse(intervals: Sequence[Interval], resolution_ms: int, between: Period | None = None) -> tuple[int, int]:
    """How much less and how much more may be unavailable, partition-milliseconds, if times are `resolution_ms` coarse.

    Each time that a partition was unavailable may be so much shorter or longer, whatever its labels. One that goes from
    one member to another with no such time, or with both as its owners for less, may have had one. `between`: in this
    period only. Its edges are exact, so what is just outside may have been inside.
    """
    if between is None:
        return _off(intervals, resolution_ms)
    less, _ = _off(within(intervals, *between), resolution_ms)
    _, more = _off(_around(intervals, resolution_ms, between), resolution_ms)
    return less, more


def most_time(intervals: Sequence[Interval], resolution_ms: int, between: Period | None = None) -> int:
    """All partition time that there can have been: a record of coarse times may itself be so much longer.

    Of a period, not more than the period has for each partition.
    """
    lengths = Counter[tuple[str, str, int]]()
    for interval in intervals if between is None else _around(intervals, resolution_ms, between):
        lengths[interval.group, interval.topic, interval.partition] += interval.duration_ms
    each_ms = [ms + resolution_ms for ms in lengths.values()]
    return sum(each_ms if between is None else (min(ms, between[1] - between[0]) for ms in each_ms))


def _around(intervals: Sequence[Interval], resolution_ms: int, between: Period) -> Iterator[Interval]:
    return within(intervals, between[0] - resolution_ms, between[1] + resolution_ms)


def _off(intervals: Iterable[Interval], resolution_ms: int) -> tuple[int, int]:
    less = more = 0
    ordered = sorted(intervals, key=lambda i: (i.group, i.topic, i.partition, i.from_ms))
    for _, of_one in groupby(ordered, key=lambda i: (i.group, i.topic, i.partition)):
        runs = [list(run) for _, run in groupby(of_one, key=lambda i: i.unavailable)]
        for run in runs:
            if run[0].unavailable:
                less += min(resolution_ms, sum(interval.duration_ms for interval in run))
                more += resolution_ms
            else:
                more += resolution_ms * _handed_over(run, resolution_ms)
    return less, more


def _handed_over(run: Sequence[Interval], resolution_ms: int) -> int:
    """How often the partition goes to another member while it is available, or counts as that."""
    kept = [i for i in run if not (i.label == Label.DOUBLE and i.duration_ms <= resolution_ms)]
    alone = ((a.member, b.member) for a, b in pairwise(kept) if Label.DOUBLE not in (a.label, b.label))
    return sum(before != after for before, after in alone)
