"""Bounds that an account of the logs proves of a part of a run whose total is unknown."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from groupsim.analysis.availability.labels import Interval
from groupsim.analysis.availability.outages import Span, joined
from groupsim.storage.log_gaps import Counts, Proved


class ProvedBounds(NamedTuple):
    """Partition-milliseconds, surely and at most, and the time with one at least. `most`: None if there is no bound."""

    least: int = 0
    least_outage_ms: int = 0
    most: int | None = None
    most_outage_ms: int | None = None


def proved_bounds(part: Iterable[Interval], proved: Mapping[str, Proved]) -> ProvedBounds:
    """Of the groups of these intervals, each from its first to its last; an upper one if each group has one."""
    if not proved:
        return ProvedBounds()
    least: list[tuple[int, Span]] = []
    most: list[tuple[int, Span]] | None = []
    for group, span in _spans(part).items():
        known = proved.get(group)
        least += [] if known is None else inside(known.least, *span)
        most = None if most is None or known is None or known.most is None else most + inside(known.most, *span)
    return ProvedBounds(*_sums(least), *((None, None) if most is None else _sums(most)))


def _sums(counted: Sequence[tuple[int, Span]]) -> tuple[int, int]:
    """Partition-milliseconds, and the time with one at least."""
    whole = sum(count * (end - begin) for count, (begin, end) in counted)
    return whole, sum(end - begin for begin, end in joined(span for _, span in counted))


def inside(counts: Counts, since: int, until: int) -> list[tuple[int, Span]]:
    """How many when, from one instant to another; not where there are none."""
    place = max(0, bisect_right(counts, since, key=lambda step: step[0]) - 1)
    steps = pairwise([*counts[place:], (until, 0)])
    spans = ((count, (max(at, since), min(end, until))) for (at, count), (end, _) in steps)
    return [(count, (begin, end)) for count, (begin, end) in spans if count and begin < end]


def _spans(part: Iterable[Interval]) -> dict[str, Span]:
    """By group, from when until when the intervals are."""
    found: dict[str, Span] = {}
    for interval in part:
        since, until = found.get(interval.group, (interval.from_ms, interval.to_ms))
        found[interval.group] = min(since, interval.from_ms), max(until, interval.to_ms)
    return found
