"""The first sentences of a report: how much was unavailable and how well that is known, and the largest reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from groupsim.analysis.availability.labels import Interval
from groupsim.analysis.blame.undated_deaths import sentences_of
from groupsim.analysis.incomplete_runs import unfinished
from groupsim.analysis.report.sentences import sentences
from groupsim.analysis.runs import Run
from groupsim.analysis.tables.bounds import Support, open_ended
from groupsim.wording.bounds import bounds
from groupsim.wording.lists import after_comma, as_sentence
from groupsim.wording.names import shown


class Lead(NamedTuple):
    """`first`, of which `strong` is the number of the most important one (None: none is), and `rest`, as a list."""

    first: list[str]
    strong: int | None
    rest: list[str]


def lead_of(run: Run, summary: dict[str, Any], intervals: Sequence[Interval]) -> Lead:
    """The sentences about a run; `summary` are its numbers, `intervals` its intervals after start-up."""
    support, info = run.support_after_start, run.info
    (much, *why), rest = sentences(run, summary, intervals, support)
    to_the_end = [] if (ending := unfinished(info)) is None else [as_sentence(ending)]
    sure = [] if support is None else [as_sentence(note) for note in (support.bounds(), open_ended(intervals)) if note]
    if support is not None and support.unknown is not None:
        gone = [f"{death}." for death in sentences_of(run.gone, info.origin)]
        return Lead([*to_the_end, _unknown(support), *gone, much, *sure], len(to_the_end), [*why, *rest])
    first = [*to_the_end, much, *sure, *why]
    coarse = support is not None and support.precision.resolution_ms > 0
    return Lead(first, len(first) - 1 if why or coarse else None, rest)


def between_of(support: Support | None, intervals: Sequence[Interval]) -> dict[str, Any] | None:
    """The bounds of a total that is known but not exact: `ms` and `share` (0-1), each least and most.

    The most is None where there is no bound.
    """
    if support is None or not support.bounded:
        return None
    everything = sum(interval.duration_ms for interval in intervals) or 1
    ends_ms = [support.at_least_ms, support.at_most_ms]
    return {"ms": ends_ms, "share": [None if end_ms is None else min(1, end_ms / everything) for end_ms in ends_ms]}


def _unknown(support: Support) -> str:
    known = bounds(support.at_least_ms, support.at_most_ms)
    return f"The total of unavailable time is unknown{after_comma(known)}: {shown(support.unknown, 600)}."
