"""Between what the outages of a recorded run lie: of what was surely unavailable, and of all that may have been."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise

from groupsim.analysis.availability.labels import Interval, Label, SubLabel, Where
from groupsim.analysis.availability.open_time import DoubtedTime
from groupsim.analysis.availability.outages import Span, joined

"""Group, topic and partition."""
Spans = dict[Where, list[Span]]
"""Unavailable time by partition."""


def sure(intervals: Iterable[Interval], inexact: DoubtedTime, off_ms: int) -> Spans:
    """By partition the time in which it was surely unavailable.

    `inexact`: time of which that is not sure although its label says so. `off_ms`: by how much the time between two
    lines may be off. All lines are off by no more than that from one another, so what begins `off_ms` late is sure.
    """
    found: defaultdict[Where, list[Span]] = defaultdict(list)
    for i in intervals:
        if i.unavailable and i.sub_label != SubLabel.COORDINATOR_ONLY:
            found[i.where] += _without((i.from_ms, i.to_ms), inexact.spans(i))
    return {
        where: [(begin + off_ms, end) for begin, end in joined(spans) if begin + off_ms < end]
        for where, spans in found.items()
    }


def possible(
    intervals: Sequence[Interval], inexact: DoubtedTime, off_ms: int, nothing_to_serve: Callable[[Interval], bool]
) -> Spans:
    """By partition all time in which it may have been unavailable, each part of it `off_ms` longer; they may overlap.

    That is unavailable time, UNKNOWN (but for those `nothing_to_serve`), what only the broker says of members without
    a log, what is inexact, and a moment wherever a partition goes from one member to another.
    """
    maybe: defaultdict[Where, list[Span]] = defaultdict(list)
    for i in intervals:
        wholly = i.unavailable or i.label == Label.UNKNOWN or i.sub_label == SubLabel.COORDINATOR_ONLY
        maybe[i.where] += inexact.spans(i) if not wholly or nothing_to_serve(i) else [(i.from_ms, i.to_ms)]
    if off_ms:
        for where, line in groupby(sorted(intervals, key=lambda i: (*i.where, i.from_ms)), key=lambda i: i.where):
            maybe[where] += handed_over(list(line), off_ms)
    return {where: [(begin, end + off_ms) for begin, end in spans] for where, spans in maybe.items()}


def handed_over(line: Sequence[Interval], off_ms: int) -> Iterator[Span]:
    """Where a partition that is available goes to another member, or counts as that: a short DOUBLE may be none."""
    kept = [i for i in line if not (i.label == Label.DOUBLE and i.duration_ms <= off_ms)]
    for before, after in pairwise(kept):
        apart = before.unavailable or after.unavailable or Label.DOUBLE in (before.label, after.label)
        if not apart and before.member != after.member:
            yield before.to_ms, after.from_ms


def _without(whole: Span, parts: Iterable[Span]) -> Iterator[Span]:
    """What is left of a span; the parts are in order."""
    at_ms, to_ms = whole
    for begin, end in parts:
        if at_ms < begin:
            yield at_ms, begin
        at_ms = end
    if at_ms < to_ms:
        yield at_ms, to_ms
