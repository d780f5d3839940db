"""What a partition waits for at each instant, by its label, its group's condition and what the processes are doing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from groupsim.analysis.availability.labels import Interval, Label, SubLabel
from groupsim.analysis.blame.phases import BlamePhase
from groupsim.analysis.epoch_causes import REMOVALS
from groupsim.analysis.timelines.group_timeline import GroupCondition, GroupSpan, GroupTimeline
from groupsim.analysis.timelines.process_timeline import CONFIGURATION, Activity
from groupsim.analysis.timelines.rebalance import PhaseEnd, PhaseName, Rebalance
from groupsim.analysis.timelines.target_progress import Stage
from groupsim.events.client import CallbackKind
from groupsim.events.connect import DELAY
from groupsim.events.types import TopicPartition

SESSION, REBALANCE_TIMEOUT = "session.timeout.ms", "max.poll.interval.ms"


@dataclass(frozen=True, slots=True)
class Reason:
    """What a partition waits for: the phase, the member, what decides the length, and the rebalance concerned."""

    phase: BlamePhase
    member: str | None = None
    configuration: str | None = None
    rebalance: Rebalance | None = None


Stretch = tuple[int, int, Reason]
"""From, to, and the reason in between."""


def waiting_for(
    timeline: GroupTimeline, phase: BlamePhase, member: str | None, span: GroupSpan, *, at_heartbeat: bool = False
) -> Iterator[Stretch]:
    """The activity of `member` decides the configuration; None where its own log does not say.

    `at_heartbeat`: the coordinator answers its next heartbeat with what it is to know.
    """
    process = timeline.process(member)
    if process is None:
        yield span.from_ms, span.to_ms, Reason(phase, member, None, span.rebalance)
        return
    granting = phase == BlamePhase.GRANTING and not at_heartbeat
    for at, until, activity, _ in process.during(span.from_ms, span.to_ms):
        unlogged = timeline.recorded and not process.logs_rejoins
        uncertain = activity == Activity.AWAITING_HEARTBEAT and not at_heartbeat and (granting or unlogged)
        uncertain |= activity == Activity.STARTING and timeline.recorded
        configuration = None if uncertain else process.configuration(activity)
        if granting and process.native and activity == Activity.AWAITING_HEARTBEAT:  # the answer is on its way
            configuration = CONFIGURATION[Activity.JOIN]
        if granting and activity == Activity.JOIN and not process.native:  # answered, and it has not polled yet
            configuration = CONFIGURATION[Activity.POLL]
        yield at, until, Reason(phase, member, configuration, span.rebalance)


def zombie(timeline: GroupTimeline, member: str, span: GroupSpan) -> Iterator[Stretch]:
    """The coordinator has assigned it to the member, which is past its poll interval, cut off or fenced."""
    if timeline.removal(member, span.to_ms) == (span.to_ms, "session-expired"):
        following = timeline.next_rebalance(span.to_ms)
        yield span.from_ms, span.to_ms, Reason(BlamePhase.DETECTING, member, session_of(timeline, member), following)
    else:
        yield from waiting_for(timeline, BlamePhase.DETECTING, member, span._replace(rebalance=None))


def session_of(timeline: GroupTimeline, member: str | None) -> str:
    """The setting that is the member's session timeout."""
    process = timeline.process(member)
    return (process and process.configuration(Activity.DEAD)) or SESSION


ASSIGNMENT_INTERVAL = "group.consumer.assignment.interval.ms"
NETWORK = "network"


def stages(timeline: GroupTimeline, interval: Interval, span: GroupSpan) -> Iterator[Stretch]:
    """The parts of a span of a consumer group, each with what the partition waits for (KIP-848).

    Each partition goes its own way: its owner gives it up, the coordinator gets to know of that, its new owner is
    informed. So the stage of the partition decides, not that of the group: `analysis.timelines.target_progress`.
    """
    partition = TopicPartition(interval.topic, interval.partition)
    for from_ms, to_ms in timeline.progress.cuts(span.from_ms, span.to_ms):
        stage = timeline.progress.stage(partition, from_ms)
        yield from _stage(timeline, interval, stage, span._replace(from_ms=from_ms, to_ms=to_ms))


def _stage(timeline: GroupTimeline, interval: Interval, stage: Stage, span: GroupSpan) -> Iterator[Stretch]:
    holder, target = timeline.progress.name(stage.holder), timeline.progress.name(stage.target)
    if holder is not None and interval.label == Label.ZOMBIE_ONLY:
        served = interval.member is not None and holder == interval.member
        phase = BlamePhase.GRANTING
        yield from zombie(timeline, holder, span) if served else waiting_for(timeline, phase, holder, span)
    elif holder is not None:
        yield from _on_its_way(timeline, BlamePhase.ACKNOWLEDGING, holder, span)
    elif target is None:
        phase = BlamePhase.ASSIGNING if stage.due else BlamePhase.UNASSIGNED
        decides = _computing(span) if stage.due else None
        yield span.from_ms, span.to_ms, Reason(phase, None, decides, span.rebalance)
    elif stage.revokes:
        yield from _on_its_way(timeline, BlamePhase.REVOKING, target, span)
    else:
        phase = BlamePhase.GRANTING if stage.at_target else BlamePhase.TOLD
        yield from waiting_for(timeline, phase, target, span, at_heartbeat=True)


def _on_its_way(timeline: GroupTimeline, phase: BlamePhase, member: str, span: GroupSpan) -> Iterator[Stretch]:
    """A heartbeat says at once what was given up: who seems to wait for the next one has sent it."""
    for from_ms, to_ms, reason in waiting_for(timeline, phase, member, span):
        process = timeline.process(member)
        sent = process is not None and process.native and process.at(from_ms) is Activity.AWAITING_HEARTBEAT
        yield from_ms, to_ms, replace(reason, configuration=NETWORK) if sent else reason


def _computing(span: GroupSpan) -> str | None:
    """What decides when the target is computed: the next heartbeat of anybody, or the interval between two targets.

    An epoch that grows by a heartbeat gets its target with it, unless the interval is not over yet.
    """
    r = span.rebalance
    if r is None:
        return None
    return "group.consumer.heartbeat.interval.ms" if r.cause in REMOVALS.values() else ASSIGNMENT_INTERVAL


INITIAL_DELAY, STATIC = "group.initial.rebalance.delay.ms", "group.instance.id"
_TIMEOUTS: dict[str, str] = dict.fromkeys(("join-timeout", "sync-timeout", "rebalance-timeout"), REBALANCE_TIMEOUT)
_CLIENT_PHASES = {
    Activity.JOIN: BlamePhase.JOINING,
    Activity.ASSIGN: BlamePhase.ASSIGNING,
    Activity.SYNC: BlamePhase.SYNCING,
}


def reasons(timeline: GroupTimeline, interval: Interval) -> Iterator[Stretch]:
    """The parts of an unavailable interval, each with its reason, without gaps."""
    for span in timeline.during(interval.from_ms, interval.to_ms):
        for from_ms, to_ms, reason in _by_label(timeline, interval, span):
            setting = timeline.setting(reason.configuration)
            yield from_ms, to_ms, reason if setting == reason.configuration else replace(reason, configuration=setting)


def _by_label(timeline: GroupTimeline, interval: Interval, span: GroupSpan) -> Iterator[Stretch]:
    """The label decides where it concerns one owner; else the group's condition does."""
    from_ms, to_ms, condition, rebalance, _ = span
    member = interval.member
    match interval.label:
        case label if label == Label.PAUSED_APP:
            yield from_ms, to_ms, Reason(BlamePhase.PAUSED, member, "pause", rebalance)
        case label if label == Label.RESTORING and interval.sub_label == SubLabel.POSITION:
            yield from_ms, to_ms, Reason(BlamePhase.POSITIONING, member, "network", rebalance)
        case label if label == Label.RESTORING:
            yield from_ms, to_ms, Reason(BlamePhase.RESTORING, member, "restore", rebalance)
        case label if label == Label.PAUSED_CALLBACK:
            yield from _in_callback(timeline, member, span)
        case label if label == Label.GRANT_IN_FLIGHT:
            yield from waiting_for(timeline, BlamePhase.GRANTING, member, span)
        case label if label == Label.OWNER_STALLED:
            yield from_ms, to_ms, _stalled(timeline, interval, rebalance)
        case label if label == Label.DELAYED:
            yield from_ms, to_ms, Reason(BlamePhase.DELAYED, None, DELAY, rebalance)
        case label if label == Label.UNOWNED and condition == GroupCondition.EMPTY:
            yield from_ms, to_ms, Reason(BlamePhase.EMPTY, rebalance=rebalance)
        case label if label == Label.UNOWNED and condition == GroupCondition.SETTLED:
            yield from_ms, to_ms, Reason(BlamePhase.UNASSIGNED, rebalance=rebalance)
        case _:
            yield from _by_condition(timeline, interval, span)


def _by_condition(timeline: GroupTimeline, interval: Interval, span: GroupSpan) -> Iterator[Stretch]:
    """WITHHELD, OWNER_DEAD, ZOMBIE_ONLY: what the whole group waits for."""
    from_ms, to_ms, condition, rebalance, phase = span
    if condition == GroupCondition.EMPTY and timeline.recorded and not timeline.rebalances:
        yield from _reported_by_client(timeline, interval.member, from_ms, to_ms)
    elif condition == GroupCondition.EMPTY:
        yield from waiting_for(timeline, BlamePhase.EMPTY, interval.member, span._replace(rebalance=None))
    elif condition == GroupCondition.UNLOADED:
        yield from_ms, to_ms, Reason(BlamePhase.FAILOVER)
    elif interval.label != Label.OWNER_DEAD and timeline.progress.consumer.at(from_ms):
        yield from stages(timeline, interval, span)
    elif rebalance is not None and phase == PhaseName.JOINING:
        yield from _joining(timeline, rebalance, span)
    elif rebalance is not None and phase == PhaseName.COMPLETING:
        yield from _completing(timeline, rebalance, from_ms, to_ms)
    elif interval.label == Label.OWNER_DEAD:
        yield from_ms, to_ms, _dead(timeline, interval.member, from_ms)
    else:
        yield from _settled(timeline, interval, span)


def _reported_by_client(timeline: GroupTimeline, member: str | None, from_ms: int, to_ms: int) -> Iterator[Stretch]:
    """Without facts of the coordinator the last owner's activity gives the phase, but not who is waited for."""
    process = timeline.process(member)
    if process is None:
        yield from_ms, to_ms, Reason(BlamePhase.UNKNOWN)
        return
    for at, until, activity, _ in process.during(from_ms, to_ms):
        yield at, until, Reason(_CLIENT_PHASES.get(activity, BlamePhase.UNKNOWN))


def _joining(timeline: GroupTimeline, r: Rebalance, span: GroupSpan) -> Iterator[Stretch]:
    from_ms, to_ms = span.from_ms, span.to_ms
    join = r.join_phase
    removed = join.ended_by == PhaseEnd.REMOVAL
    if join.ended_by == PhaseEnd.DELAY:
        yield from_ms, to_ms, Reason(BlamePhase.JOINING, None, INITIAL_DELAY, r)
    elif join.ended_by == PhaseEnd.TIMEOUT:
        yield from_ms, to_ms, Reason(BlamePhase.JOINING, join.waited_for, REBALANCE_TIMEOUT, r)
    elif removed and r.removal_cause in ("session-expired", "expired"):
        yield from_ms, to_ms, Reason(BlamePhase.JOINING, join.waited_for, SESSION, r)
    elif removed and _poll_expired(timeline, r):
        yield from_ms, to_ms, Reason(BlamePhase.JOINING, join.waited_for, REBALANCE_TIMEOUT, r)
    else:
        missing = [name for name in r.expected if name not in r.arrived_ms] if r.joined_ms is None else []
        only = missing and (len(missing) == 1 or not timeline.recorded)
        yield from waiting_for(timeline, BlamePhase.JOINING, missing[0] if only else join.waited_for, span)


def _completing(timeline: GroupTimeline, r: Rebalance, from_ms: int, to_ms: int) -> Iterator[Stretch]:
    leader = timeline.process(r.leader)
    if r.sync_timed_out or leader is None:
        yield from_ms, to_ms, Reason(BlamePhase.ASSIGNING, r.leader, REBALANCE_TIMEOUT if r.sync_timed_out else None, r)
        return
    for at, until, activity, _ in leader.during(from_ms, to_ms):
        configuration = CONFIGURATION.get(activity)
        if activity == Activity.JOIN and leader.cooperative and not r.initial:  # the answer waits for its next poll
            configuration = CONFIGURATION[Activity.POLL]
        phase = BlamePhase.SYNCING if activity == Activity.SYNC else BlamePhase.ASSIGNING
        yield at, until, Reason(phase, r.leader, configuration, r)


def _settled(timeline: GroupTimeline, interval: Interval, span: GroupSpan) -> Iterator[Stretch]:
    """A settled group: a zombie that is not replaced yet, or a partition withheld until the follow-up rebalance."""
    r, member = span.rebalance, interval.member
    owner = r.assignment.get(TopicPartition(interval.topic, interval.partition)) if r is not None else None
    if owner is not None and member is not None and owner != member:
        yield from waiting_for(timeline, BlamePhase.GRANTING, owner, span)
    elif owner is not None and member is not None:
        yield from zombie(timeline, member, span)
    else:
        following = timeline.next_rebalance(span.to_ms)
        yield from waiting_for(timeline, BlamePhase.WITHHELD, following.initiator if following else None, span)


def _in_callback(timeline: GroupTimeline, member: str | None, span: GroupSpan) -> Iterator[Stretch]:
    process = timeline.process(member)
    if process is None:
        yield span.from_ms, span.to_ms, Reason(BlamePhase.UNKNOWN, member, "callback", span.rebalance)
        return
    for at, until, activity, kind in process.during(span.from_ms, span.to_ms):
        phase = BlamePhase.ACCEPTING if kind == CallbackKind.ASSIGNED else BlamePhase.REVOKING
        says = activity == Activity.COMMIT or (activity == Activity.POLL and process.native)
        configuration = CONFIGURATION[activity if says else Activity.CALLBACK]
        yield at, until, Reason(phase, member, configuration, span.rebalance)


def _poll_expired(timeline: GroupTimeline, r: Rebalance) -> bool:
    """The member that the join phase waited for left because it had not polled for max.poll.interval.ms."""
    process = timeline.process(r.join_phase.waited_for)
    until = r.joined_ms or 0
    return process is not None and any(r.started_ms <= at <= until for at in process.poll_expired_ms)


def _stalled(timeline: GroupTimeline, interval: Interval, rebalance: Rebalance | None) -> Reason:
    if timeline.removal(interval.member, interval.to_ms) == (interval.to_ms, "session-expired"):
        session = session_of(timeline, interval.member)
        return Reason(BlamePhase.DETECTING, interval.member, session, timeline.next_rebalance(interval.to_ms))
    if interval.sub_label == SubLabel.NO_BROKER:
        return Reason(BlamePhase.FAILOVER)
    cut = interval.sub_label == SubLabel.DATA_CUT
    return Reason(BlamePhase.STALLED, interval.member, "network" if cut else "freeze", rebalance)


def _dead(timeline: GroupTimeline, member: str | None, from_ms: int) -> Reason:
    """A dead owner in a settled group: its return or its removal ends this; else its session has not timed out yet."""
    returns_ms = next((at for at in timeline.returns_ms.get(member or "", ()) if at >= from_ms), None)
    removal = timeline.removal(member, from_ms)
    if returns_ms is not None and (removal is None or returns_ms <= removal.at_ms):
        return Reason(BlamePhase.AWAY, member, STATIC)
    if removal is None:
        return Reason(BlamePhase.DETECTING, member, session_of(timeline, member))
    following = timeline.next_rebalance(removal.at_ms)
    caused = following if following is not None and following.started_ms == removal.at_ms else None
    expired = removal.cause in ("session-expired", "unknown")  # a dead member does not leave
    timeout = session_of(timeline, member) if expired else _TIMEOUTS.get(removal.cause)
    return Reason(BlamePhase.DETECTING, member, timeout, caused)
