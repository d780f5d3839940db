"""Why each partition stood still: every unavailable millisecond gets a phase, who was waited for, and what decides it.

The rule is the critical path's: in a join phase all wait for whoever ends it (the last to join, the one removed or
dropped, or the initial delay), in a sync phase for the leader, after it for the new owner; what that one is doing at
each instant says what the time depends on. The pieces of an interval follow each other without gaps, so that they add
up to it exactly. What a log does not tell is None, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from analysis import doings, rounds
from analysis.labels import (
    DATA_CUT,
    GRANT_IN_FLIGHT,
    OWNER_DEAD,
    OWNER_STALLED,
    PAUSED_APP,
    PAUSED_CALLBACK,
    POSITION,
    RESTORING,
    UNOWNED,
    Interval,
)
from analysis.rounds import Round, Story, stories
from events.base import Recorded
from events.types import TopicPartition

SESSION, REBALANCE_TIMEOUT = "session.timeout.ms", "max.poll.interval.ms"
INITIAL_DELAY, STATIC = "group.initial.rebalance.delay.ms", "group.instance.id"

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
    """A piece of an unavailable interval; `analysis.why_frames.BLAME` documents the fields."""

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


@dataclass(frozen=True, slots=True)
class _Reason:
    """One piece before it is put into words."""

    phase: str
    member: str | None = None
    configuration: str | None = None
    around: Round | None = None


def blame(facts: Iterable[Recorded], found: Iterable[Interval]) -> list[Blame]:
    """Pieces of all unavailable intervals of `found` (the run's own), in their order. Facts of any kind, in order."""
    told = stories(facts)
    return [piece for i in found if i.unavailable for piece in _pieces(told.get(i.group) or Story(i.group), i)]


def _pieces(story: Story, i: Interval) -> Iterator[Blame]:
    """An interval in pieces: neighbours differ in their reason."""
    open_: Blame | None = None
    for from_ms, to_ms, reason in _reasons(story, i):
        piece = _worded(i, reason, from_ms, to_ms)
        if open_ is not None and replace(open_, from_ms=from_ms, to_ms=to_ms) == piece:
            open_ = replace(open_, to_ms=to_ms)
            continue
        if open_ is not None:
            yield open_
        open_ = piece
    if open_ is not None:
        yield open_


def _worded(i: Interval, reason: _Reason, from_ms: int, to_ms: int) -> Blame:
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


def _chain(cause: str | None, reason: _Reason) -> str:
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


def _reasons(story: Story, i: Interval) -> Iterator[tuple[int, int, _Reason]]:
    for from_ms, to_ms, state, around in story.during(i.from_ms, i.to_ms):
        yield from _reason_in(story, i, from_ms, to_ms, state, around)


def _reason_in(
    story: Story, i: Interval, from_ms: int, to_ms: int, state: str, around: Round | None
) -> Iterator[tuple[int, int, _Reason]]:
    """The reasons within a stretch in which the group's state does not change; the label goes first."""
    match i.label:
        case label if label == PAUSED_APP:
            yield from_ms, to_ms, _Reason("paused", i.member, "pause", around)
        case label if label == RESTORING:
            words = ("positioning", "network") if i.sub_label == POSITION else ("restoring", "restore")
            yield from_ms, to_ms, _Reason(words[0], i.member, words[1], around)
        case label if label == PAUSED_CALLBACK:
            yield from _in_callback(story, i, from_ms, to_ms, around)
        case label if label == GRANT_IN_FLIGHT:
            yield from _waiting_for(story, "granting", i.member, from_ms, to_ms, around)
        case label if label == OWNER_STALLED:
            yield from_ms, to_ms, _stalled(story, i, around)
        case label if label == UNOWNED and state in (rounds.EMPTY, rounds.SETTLED):
            yield from_ms, to_ms, _Reason("empty" if state == rounds.EMPTY else "unassigned", around=around)
        case _:
            yield from _of_the_group(story, i, from_ms, to_ms, state, around)


def _of_the_group(
    story: Story, i: Interval, from_ms: int, to_ms: int, state: str, around: Round | None
) -> Iterator[tuple[int, int, _Reason]]:
    """WITHHELD, OWNER_DEAD, a zombie: what the group as a whole waits for."""
    if state == rounds.EMPTY:
        yield from_ms, to_ms, _Reason("unknown" if story.recorded and not story.rounds else "empty")
    elif state == rounds.UNLOADED:
        yield from_ms, to_ms, _Reason("failover", around=around)
    elif state == rounds.JOINING and around is not None:
        yield from _joining(story, from_ms, to_ms, around)
    elif state == rounds.COMPLETING and around is not None:
        yield from _completing(story, from_ms, to_ms, around)
    elif i.label == OWNER_DEAD:
        yield from_ms, to_ms, _dead(story, i)
    else:
        yield from _settled(story, i, from_ms, to_ms, around)


def _waiting_for(
    story: Story, phase: str, member: str | None, from_ms: int, to_ms: int, around: Round | None
) -> Iterator[tuple[int, int, _Reason]]:
    """What `member` is doing decides the configuration; None where its own log does not tell."""
    known = story.doings.get(member or "")
    if known is None:
        yield from_ms, to_ms, _Reason(phase, member, None, around)
        return
    for at, until, what, _ in known.during(from_ms, to_ms):
        guess = what == doings.UNAWARE and (phase == "granting" or (story.recorded and not known.tells_rejoins))
        configuration = None if guess else doings.CONFIGURATION.get(what)
        if phase == "granting" and what == doings.JOIN:  # answered, and the application has yet to poll
            configuration = doings.CONFIGURATION[doings.POLL]
        yield at, until, _Reason(phase, member, configuration, around)


def _joining(story: Story, from_ms: int, to_ms: int, r: Round) -> Iterator[tuple[int, int, _Reason]]:
    if r.ended_by == rounds.BY_DELAY:
        yield from_ms, to_ms, _Reason("joining", None, INITIAL_DELAY, r)
    elif r.ended_by == rounds.BY_TIMEOUT:
        yield from_ms, to_ms, _Reason("joining", r.awaited, REBALANCE_TIMEOUT, r)
    elif r.ended_by == rounds.BY_REMOVAL:
        configuration = SESSION if r.removal in ("session-expired", "expired") else None
        yield from_ms, to_ms, _Reason("joining", r.awaited, configuration, r)
    else:
        awaited = r.awaited or next((name for name in r.expected if name not in r.arrived_ms), None)
        yield from _waiting_for(story, "joining", awaited, from_ms, to_ms, r)


def _completing(story: Story, from_ms: int, to_ms: int, r: Round) -> Iterator[tuple[int, int, _Reason]]:
    if r.sync_timeout:
        yield from_ms, to_ms, _Reason("assigning", r.leader, REBALANCE_TIMEOUT, r)
        return
    known = story.doings.get(r.leader or "")
    if known is None:
        yield from_ms, to_ms, _Reason("assigning", r.leader, None, r)
        return
    for at, until, what, _ in known.during(from_ms, to_ms):
        configuration = doings.CONFIGURATION.get(what)
        if what == doings.JOIN and r.leader != r.awaited and not r.initial:
            configuration = doings.CONFIGURATION[doings.POLL]
        yield at, until, _Reason("syncing" if what == doings.SYNC else "assigning", r.leader, configuration, r)


def _settled(
    story: Story, i: Interval, from_ms: int, to_ms: int, around: Round | None
) -> Iterator[tuple[int, int, _Reason]]:
    """A settled group: a zombie not yet replaced, or what waits for the follow-up of a cooperative rebalance."""
    owner = around.plan.get(TopicPartition(i.topic, i.partition)) if around is not None else None
    coming = story.next_round(to_ms)
    if owner is not None and i.member is not None and owner != i.member:
        yield from _waiting_for(story, "granting", owner, from_ms, to_ms, around)
    elif owner is not None and i.member is not None:
        expired = _removed(story, i.member, to_ms) in ("session-expired", "sync-timeout")
        yield from_ms, to_ms, _Reason("detecting", i.member, SESSION if expired else "poll gap", coming)
    else:
        yield from _waiting_for(story, "withheld", coming.by if coming else None, from_ms, to_ms, around)


def _in_callback(
    story: Story, i: Interval, from_ms: int, to_ms: int, around: Round | None
) -> Iterator[tuple[int, int, _Reason]]:
    known = story.doings.get(i.member or "")
    if known is None:
        yield from_ms, to_ms, _Reason("unknown", i.member, "callback", around)
        return
    for at, until, what, kind in known.during(from_ms, to_ms):
        phase = "accepting" if kind == "assigned" else "revoking"
        configuration = doings.CONFIGURATION.get(what if what == doings.COMMIT else doings.CALLBACK)
        yield at, until, _Reason(phase, i.member, configuration, around)


def _removed(story: Story, member: str, at_ms: int) -> str | None:
    """Why the member was removed at that instant; None if it was not."""
    return next((cause for at, cause in story.removals.get(member, ()) if at == at_ms), None)


def _stalled(story: Story, i: Interval, around: Round | None) -> _Reason:
    member = i.member or ""
    if _removed(story, member, i.to_ms) == "session-expired":
        return _Reason("detecting", i.member, SESSION, story.next_round(i.to_ms))
    return _Reason("stalled", i.member, "network" if i.sub_label == DATA_CUT else "freeze", around)


def _dead(story: Story, i: Interval) -> _Reason:
    """A dead owner in a settled group: what ended it says what it depended on."""
    member = i.member or ""
    coming = story.next_round(i.to_ms)
    if i.to_ms in story.returns.get(member.rpartition(".")[0] or member, ()):
        return _Reason("away", i.member, STATIC)
    if _removed(story, member, i.to_ms) is not None or coming is None:
        return _Reason("detecting", i.member, SESSION, coming)
    return _Reason("detecting", i.member, SESSION, coming if coming.started_ms == i.to_ms else None)
