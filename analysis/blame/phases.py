"""What a partition waits for at each instant, by its label, its group's state and what its processes are doing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from groupsim.analysis.availability.labels import (
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
from groupsim.analysis.blame import activity, timeline
from groupsim.analysis.blame.timeline import GroupTimeline, Round
from groupsim.events.types import TopicPartition

SESSION, REBALANCE_TIMEOUT = "session.timeout.ms", "max.poll.interval.ms"
INITIAL_DELAY, STATIC = "group.initial.rebalance.delay.ms", "group.instance.id"
_TIMEOUTS = {"session-expired": SESSION, "join-timeout": REBALANCE_TIMEOUT, "sync-timeout": REBALANCE_TIMEOUT}


@dataclass(frozen=True, slots=True)
class Reason:
    """Why, for a stretch: phase, whom it waits for, what decides its length, and the rebalance concerned."""

    phase: str
    member: str | None = None
    configuration: str | None = None
    around: Round | None = None


Stretch = tuple[int, int, Reason]


def reasons(story: GroupTimeline, i: Interval) -> Iterator[Stretch]:
    """The interval's stretches, each with its reason, without gaps."""
    for from_ms, to_ms, state, around in story.during(i.from_ms, i.to_ms):
        yield from _reason_in(story, i, from_ms, to_ms, state, around)


def _reason_in(
    story: GroupTimeline, i: Interval, from_ms: int, to_ms: int, state: str, around: Round | None
) -> Iterator[Stretch]:
    """The reasons within a stretch in which the group's state does not change; the label goes first."""
    match i.label:
        case label if label == PAUSED_APP:
            yield from_ms, to_ms, Reason("paused", i.member, "pause", around)
        case label if label == RESTORING:
            words = ("positioning", "network") if i.sub_label == POSITION else ("restoring", "restore")
            yield from_ms, to_ms, Reason(words[0], i.member, words[1], around)
        case label if label == PAUSED_CALLBACK:
            yield from _in_callback(story, i, from_ms, to_ms, around)
        case label if label == GRANT_IN_FLIGHT:
            yield from _waiting_for(story, "granting", i.member, from_ms, to_ms, around)
        case label if label == OWNER_STALLED:
            yield from_ms, to_ms, _stalled(story, i, around)
        case label if label == UNOWNED and state in (timeline.EMPTY, timeline.SETTLED):
            yield from_ms, to_ms, Reason("empty" if state == timeline.EMPTY else "unassigned", around=around)
        case _:
            yield from _of_the_group(story, i, from_ms, to_ms, state, around)


def _of_the_group(
    story: GroupTimeline, i: Interval, from_ms: int, to_ms: int, state: str, around: Round | None
) -> Iterator[Stretch]:
    """WITHHELD, OWNER_DEAD, a zombie: what the group as a whole waits for."""
    if state == timeline.EMPTY and story.recorded and not story.rounds:
        yield from _clients_word(story, i, from_ms, to_ms)
    elif state == timeline.EMPTY:
        yield from _waiting_for(story, "empty", i.member, from_ms, to_ms, None)
    elif state == timeline.UNLOADED:
        yield from_ms, to_ms, Reason("failover")
    elif state == timeline.JOINING and around is not None:
        yield from _joining(story, from_ms, to_ms, around)
    elif state == timeline.COMPLETING and around is not None:
        yield from _completing(story, from_ms, to_ms, around)
    elif i.label == OWNER_DEAD:
        yield from_ms, to_ms, _dead(story, i.member, from_ms)
    else:
        yield from _settled(story, i, from_ms, to_ms, around)


def _clients_word(story: GroupTimeline, i: Interval, from_ms: int, to_ms: int) -> Iterator[Stretch]:
    """Only clients speak: what the one who gave it up is doing tells the phase, and not whom it waits for."""
    known = story.doings.get(i.member or "")
    for at, until, what, _ in known.during(from_ms, to_ms) if known is not None else [(from_ms, to_ms, "", None)]:
        yield at, until, Reason(_HEARD.get(what, "unknown"))


_HEARD = {activity.JOIN: "joining", activity.ASSIGN: "assigning", activity.SYNC: "syncing"}


def _waiting_for(
    story: GroupTimeline, phase: str, member: str | None, from_ms: int, to_ms: int, around: Round | None
) -> Iterator[Stretch]:
    """What `member` is doing decides the configuration; None where its own log does not tell."""
    known = story.doings.get(member or "")
    if known is None:
        yield from_ms, to_ms, Reason(phase, member, None, around)
        return
    for at, until, what, _ in known.during(from_ms, to_ms):
        guess = what == activity.AWAITING_HEARTBEAT and (
            phase == "granting" or (story.recorded and not known.tells_rejoins)
        )
        guess |= what == activity.STARTING and story.recorded
        configuration = None if guess else activity.CONFIGURATION.get(what)
        if phase == "granting" and what == activity.JOIN:  # answered, and the application has yet to poll
            configuration = activity.CONFIGURATION[activity.POLL]
        yield at, until, Reason(phase, member, configuration, around)


def _joining(story: GroupTimeline, from_ms: int, to_ms: int, r: Round) -> Iterator[Stretch]:
    if r.ended_by == timeline.BY_DELAY:
        yield from_ms, to_ms, Reason("joining", None, INITIAL_DELAY, r)
    elif r.ended_by == timeline.BY_TIMEOUT:
        yield from_ms, to_ms, Reason("joining", r.awaited, REBALANCE_TIMEOUT, r)
    elif r.ended_by == timeline.BY_REMOVAL and r.removal in ("session-expired", "expired"):
        yield from_ms, to_ms, Reason("joining", r.awaited, SESSION, r)
    elif r.ended_by == timeline.BY_REMOVAL and _expired(story, r):
        yield from_ms, to_ms, Reason("joining", r.awaited, REBALANCE_TIMEOUT, r)
    else:
        missing = [name for name in r.expected if name not in r.arrived_ms] if r.joined_ms is None else []
        awaited = missing[0] if missing and (len(missing) == 1 or not story.recorded) else r.awaited
        yield from _waiting_for(story, "joining", awaited, from_ms, to_ms, r)


def _completing(story: GroupTimeline, from_ms: int, to_ms: int, r: Round) -> Iterator[Stretch]:
    if r.sync_timeout:
        yield from_ms, to_ms, Reason("assigning", r.leader, REBALANCE_TIMEOUT, r)
        return
    known = story.doings.get(r.leader or "")
    if known is None:
        yield from_ms, to_ms, Reason("assigning", r.leader, None, r)
        return
    for at, until, what, _ in known.during(from_ms, to_ms):
        configuration = activity.CONFIGURATION.get(what)
        if what == activity.JOIN and known.cooperative and not r.initial:  # the answer waits for its next poll
            configuration = activity.CONFIGURATION[activity.POLL]
        yield at, until, Reason("syncing" if what == activity.SYNC else "assigning", r.leader, configuration, r)


def _settled(story: GroupTimeline, i: Interval, from_ms: int, to_ms: int, around: Round | None) -> Iterator[Stretch]:
    """A settled group: a zombie not yet replaced, or what waits for the follow-up of a cooperative rebalance."""
    owner = around.plan.get(TopicPartition(i.topic, i.partition)) if around is not None else None
    coming = story.next_round(to_ms)
    if owner is not None and i.member is not None and owner != i.member:
        yield from _waiting_for(story, "granting", owner, from_ms, to_ms, around)
    elif owner is not None and i.member is not None:
        yield from _zombie(story, i.member, from_ms, to_ms)
    else:
        yield from _waiting_for(story, "withheld", coming.by if coming else None, from_ms, to_ms, around)


def _zombie(story: GroupTimeline, member: str, from_ms: int, to_ms: int) -> Iterator[Stretch]:
    """It is still the owner by the books, and is past its poll interval, cut off or fenced."""
    removed = _removed(story, member, to_ms)
    if removed == (to_ms, "session-expired"):
        yield from_ms, to_ms, Reason("detecting", member, SESSION, story.next_round(to_ms))
    else:
        yield from _waiting_for(story, "detecting", member, from_ms, to_ms, None)


def _in_callback(
    story: GroupTimeline, i: Interval, from_ms: int, to_ms: int, around: Round | None
) -> Iterator[Stretch]:
    known = story.doings.get(i.member or "")
    if known is None:
        yield from_ms, to_ms, Reason("unknown", i.member, "callback", around)
        return
    for at, until, what, kind in known.during(from_ms, to_ms):
        phase = "accepting" if kind == "assigned" else "revoking"
        configuration = activity.CONFIGURATION.get(what if what == activity.COMMIT else activity.CALLBACK)
        yield at, until, Reason(phase, i.member, configuration, around)


def _expired(story: GroupTimeline, r: Round) -> bool:
    """Whoever the join phase waited for left because it had not polled for max.poll.interval.ms."""
    known = story.doings.get(r.awaited or "")
    until = r.joined_ms or 0
    return known is not None and any(r.started_ms <= at <= until for at in known.expired_ms)


def _removed(story: GroupTimeline, member: str | None, from_ms: int) -> tuple[int, str] | None:
    """When and why the member was removed, at `from_ms` or later; None if it was not."""
    return next(((at, cause) for at, cause in story.removals.get(member or "", ()) if at >= from_ms), None)


def _stalled(story: GroupTimeline, i: Interval, around: Round | None) -> Reason:
    if _removed(story, i.member, i.to_ms) == (i.to_ms, "session-expired"):
        return Reason("detecting", i.member, SESSION, story.next_round(i.to_ms))
    return Reason("stalled", i.member, "network" if i.sub_label == DATA_CUT else "freeze", around)


def _dead(story: GroupTimeline, member: str | None, from_ms: int) -> Reason:
    """A dead owner in a settled group: what ends it says what it depends on; else it waits for its session's end."""
    back = next((at for at in story.returns.get(member or "", ()) if at >= from_ms), None)
    removed = _removed(story, member, from_ms)
    if back is not None and (removed is None or back <= removed[0]):
        return Reason("away", member, STATIC)
    if removed is None:
        return Reason("detecting", member, SESSION)
    at, cause = removed
    coming = story.next_round(at)
    around = coming if coming is not None and coming.started_ms == at else None
    return Reason("detecting", member, _TIMEOUTS.get(cause), around)
