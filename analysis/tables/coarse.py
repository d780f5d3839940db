"""How far a total of unavailable time may be off because the times that it rests on are coarse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise

from groupsim.analysis.availability.labels import Interval, Label, within

Period = tuple[int, int]


def coarse(found: Sequence[Interval], resolution_ms: int, between: Period | None = None) -> tuple[int, int]:
    """How much less and how much more may be unavailable, partition-milliseconds, if times are `resolution_ms` coarse.

    Each time that a partition was unavailable may be so much shorter or longer, whatever its labels. One that goes from
    one member to another with no such time, or with both as its owners for less, may have had one. `between`: in this
    period only. Its edges are exact, so what is just outside may have been inside.
    """
    if between is None:
        return _off(found, resolution_ms)
    less, _ = _off(within(found, *between), resolution_ms)
    _, more = _off(_around(found, resolution_ms, between), resolution_ms)
    return less, more


def most_time(found: Sequence[Interval], resolution_ms: int, between: Period | None = None) -> int:
    """All partition time that there can have been: a record of coarse times may itself be so much longer.

    Of a period, not more than the period has for each partition.
    """
    lengths = Counter[tuple[str, str, int]]()
    for each in found if between is None else _around(found, resolution_ms, between):
        lengths[each.group, each.topic, each.partition] += each.duration_ms
    each_ms = [ms + resolution_ms for ms in lengths.values()]
    return sum(each_ms if between is None else (min(ms, between[1] - between[0]) for ms in each_ms))


def _around(found: Sequence[Interval], resolution_ms: int, between: Period) -> Iterator[Interval]:
    return within(found, between[0] - resolution_ms, between[1] + resolution_ms)


def _off(found: Iterable[Interval], resolution_ms: int) -> tuple[int, int]:
    less = more = 0
    ordered = sorted(found, key=lambda i: (i.group, i.topic, i.partition, i.from_ms))
    for _, of_one in groupby(ordered, key=lambda i: (i.group, i.topic, i.partition)):
        runs = [list(run) for _, run in groupby(of_one, key=lambda i: i.unavailable)]
        for run in runs:
            if run[0].unavailable:
                less += min(resolution_ms, sum(each.duration_ms for each in run))
                more += resolution_ms
            else:
                more += resolution_ms * _handed_over(run, resolution_ms)
    return less, more


def _handed_over(run: Sequence[Interval], resolution_ms: int) -> int:
    """How often the partition goes to another member while it is available, or counts as that."""
    kept = [i for i in run if not (i.label == Label.DOUBLE and i.duration_ms <= resolution_ms)]
    alone = ((a.member, b.member) for a, b in pairwise(kept) if Label.DOUBLE not in (a.label, b.label))
    return sum(before != after for before, after in alone)
