"""Why each partition was unavailable: every millisecond gets a phase, the member waited for, and what decides it.

The rule is the critical path's. In a join phase all wait for the member that ends it (the last to join, the one removed
or dropped) or for the initial delay, in a sync phase for the leader, after it for the new owner. What that process is
doing at each instant says which setting decides the length. The pieces of an interval follow each other without gaps,
so that they add up to it exactly. What a log does not say is None, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec
from msgspec.structs import replace

from groupsim.analysis.availability.labels import Interval
from groupsim.analysis.blame.phases import BlamePhase
from groupsim.analysis.blame.reasons import Reason, reasons
from groupsim.analysis.timelines.builder import group_timelines
from groupsim.analysis.timelines.group_timeline import GroupTimeline
from groupsim.events.base import Recorded


class Blame(msgspec.Struct, frozen=True):
    """A piece of an unavailable interval; `analysis.tables.columns.BLAME` documents the fields."""

    group: str
    topic: str
    partition: int
    label: str
    phase: BlamePhase
    member: str | None
    configuration: str | None
    cause: str | None
    chain: str
    rebalance: int | None
    from_ms: int
    to_ms: int

    @property
    def duration_ms(self) -> int:
        """Length in milliseconds, never 0."""
        return self.to_ms - self.from_ms


def blame(
    facts: Iterable[Recorded], intervals: Iterable[Interval], timelines: Mapping[str, GroupTimeline] | None = None
) -> list[Blame]:
    """Pieces of all that is unavailable in `intervals` (the run's own), in their order. Facts of any kind, in order.

    `timelines` are the run's, where the caller has them already: they are most of the work.
    """
    known = group_timelines(facts) if timelines is None else timelines
    return [
        piece
        for interval in intervals
        if interval.unavailable
        for piece in _pieces(known.get(interval.group) or GroupTimeline(interval.group), interval)
    ]


def _pieces(timeline: GroupTimeline, interval: Interval) -> Iterator[Blame]:
    """An interval in pieces: neighbours differ in their reason."""
    open_: Blame | None = None
    for from_ms, to_ms, reason in reasons(timeline, interval):
        piece = _piece(interval, reason, from_ms, to_ms)
        if open_ is not None and replace(open_, from_ms=from_ms, to_ms=to_ms) == piece:
            open_ = replace(open_, to_ms=to_ms)
            continue
        if open_ is not None:
            yield open_
        open_ = piece
    if open_ is not None:
        yield open_


def _piece(interval: Interval, reason: Reason, from_ms: int, to_ms: int) -> Blame:
    return Blame(
        interval.group,
        interval.topic,
        interval.partition,
        interval.label,
        reason.phase,
        reason.member,
        reason.configuration,
        interval.cause,
        _chain(interval.cause, reason),
        reason.rebalance.generation if reason.rebalance is not None else None,
        from_ms,
        to_ms,
    )


def _chain(cause: str | None, reason: Reason) -> str:
    """What led here, in order: `crash c2.0 > session-expired > rebalance 12 > poll gap of c7.0 > joining`."""
    links = [cause] if cause else []
    rebalance = reason.rebalance
    if rebalance is not None and reason.phase not in _BEFORE_A_REBALANCE:
        number = "" if rebalance.generation is None else f" {rebalance.generation}"
        if rebalance.follows is not None:
            links += [f"rebalance {rebalance.follows}", f"follow-up rebalance{number}"]
        else:
            links.append(f"rebalance{number}")
    waits_for = [part for part in (reason.configuration, reason.member) if part]
    return " > ".join([*links, *([" of ".join(waits_for)] if waits_for else []), reason.phase])


_BEFORE_A_REBALANCE = (BlamePhase.DETECTING, BlamePhase.AWAY, BlamePhase.STALLED)
