"""Why each partition stood still: every unavailable millisecond gets a phase, who was waited for, and what decides it.

The rule is the critical path's: in a join phase all wait for whoever ends it (the last to join, the one removed or
dropped, or the initial delay), in a sync phase for the leader, after it for the new owner; what that one is doing at
each instant says what the time depends on. The pieces of an interval follow each other without gaps, so that they add
up to it exactly. What a log does not tell is None, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from groupsim.analysis.availability.labels import Interval
from groupsim.analysis.blame.phases import Reason, reasons
from groupsim.analysis.blame.timeline import GroupTimeline, stories
from groupsim.events.base import Recorded

PHASES = {
    "empty": "nobody is in the group",
    "detecting": "its owner is dead, stalled or no longer entitled, and the coordinator does not know yet",
    "away": "its owner is a static member that comes back before anybody misses it",
    "stalled": "its owner's process stands still or is cut from the data, and goes on later",
    "paused": "the application paused it",
    "joining": "a rebalance waits for joins",
    "assigning": "a rebalance waits for the leader to compute the assignment",
    "syncing": "the leader's SyncGroup is on its way, or being written",
    "revoking": "its owner commits before, or runs, the revoked (or lost) callback",
    "withheld": "left out of an assignment, it waits for the follow-up rebalance to begin",
    "granting": "its new owner has not heard of it, or has not polled yet",
    "accepting": "its owner runs the assigned callback",
    "positioning": "its owner looks up where to start",
    "restoring": "its owner rebuilds state",
    "failover": "no coordinator runs the group",
    "unassigned": "a settled group gives it to nobody",
    "unknown": "the log does not tell",
}
"""The phases in the order in which they usually follow each other, with their meaning."""


@dataclass(frozen=True, slots=True)
class Blame:
    """A piece of an unavailable interval; `analysis.tables.blame_tables.BLAME` documents the fields."""

    group: str
    topic: str
    partition: int
    label: str
    phase: str
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
    facts: Iterable[Recorded], found: Iterable[Interval], told: Mapping[str, GroupTimeline] | None = None
) -> list[Blame]:
    """Pieces of all unavailable intervals of `found` (the run's own), in their order. Facts of any kind, in order.

    `told` are the run's stories where the caller has them already: they are most of the work.
    """
    told = stories(facts) if told is None else told
    return [piece for i in found if i.unavailable for piece in _pieces(told.get(i.group) or GroupTimeline(i.group), i)]


def _pieces(story: GroupTimeline, i: Interval) -> Iterator[Blame]:
    """An interval in pieces: neighbours differ in their reason."""
    open_: Blame | None = None
    for from_ms, to_ms, reason in reasons(story, i):
        piece = _worded(i, reason, from_ms, to_ms)
        if open_ is not None and replace(open_, from_ms=from_ms, to_ms=to_ms) == piece:
            open_ = replace(open_, to_ms=to_ms)
            continue
        if open_ is not None:
            yield open_
        open_ = piece
    if open_ is not None:
        yield open_


def _worded(i: Interval, reason: Reason, from_ms: int, to_ms: int) -> Blame:
    around = reason.around
    generation = around.generation if around is not None else None
    return Blame(
        i.group,
        i.topic,
        i.partition,
        i.label,
        reason.phase,
        reason.member,
        reason.configuration,
        i.cause,
        _chain(i.cause, reason),
        generation,
        from_ms,
        to_ms,
    )


def _chain(cause: str | None, reason: Reason) -> str:
    """What led here, in order: `crash c2.0 > session-expired > rebalance 12 > poll gap of c7.0 > joining`."""
    links = [cause] if cause else []
    around = reason.around
    if around is not None and reason.phase not in ("detecting", "away", "stalled"):
        number = "" if around.generation is None else f" {around.generation}"
        if around.follows is not None:
            links += [f"rebalance {around.follows}", f"follow-up rebalance{number}"]
        else:
            links.append(f"rebalance{number}")
    whose = [reason.configuration] if reason.configuration else []
    if reason.member is not None:
        whose = [f"{whose[0]} of {reason.member}" if whose else reason.member]
    return " > ".join([*links, *whose, reason.phase])
