"""The two steps every rebalance is made of: prepare it, and complete its join phase."""

from __future__ import annotations

from groupsim.coordinator.classic import votes
from groupsim.coordinator.classic.commands import (
    InitialDelayElapsed,
    JoinAnswer,
    JoinTimeout,
    Listed,
    SyncAnswer,
    SyncTimedOut,
)
from groupsim.coordinator.classic.decision import JOIN_TIMER, SYNC_TIMER, Decision, heartbeat_timer
from groupsim.coordinator.classic.state import Group, Member, Phase
from groupsim.coordinator.outcome import Error
from groupsim.events import classic as facts
from groupsim.events.group import GroupEmptied
from groupsim.events.types import MemberId


def prepare_or_complete(draft: Decision, cause: str, reason: str, member: MemberId | None) -> None:
    """Start a rebalance, or, in one that runs, see whether this was the last member awaited.

    Kafka: GroupMetadataManager.maybePrepareRebalanceOrCompleteJoin.
    """
    group = draft.group
    if group.phase is not Phase.PREPARING_REBALANCE:
        prepare(draft, cause, reason, member)
    elif not group.initial and group.all_joined:
        complete_join(draft)


def prepare(draft: Decision, cause: str, reason: str, member: MemberId | None) -> None:
    """Go to PreparingRebalance and wait for everybody (Kafka: prepareRebalance)."""
    group = draft.group
    initial = group.phase is Phase.EMPTY
    refuse_parked_syncs(draft)
    draft.disarm(SYNC_TIMER)
    delay = group.config.group_initial_rebalance_delay_ms
    timeout = delay if initial else group.rebalance_timeout_ms
    draft.record(
        facts.RebalanceStarted(
            generation=group.generation,
            cause=cause,
            reason=reason,
            initial=initial,
            member=member,
            timeout_ms=timeout,
        )
    )
    if initial:
        remaining = max(group.rebalance_timeout_ms - delay, 0)
        draft.arm(JOIN_TIMER, delay, InitialDelayElapsed(delay, remaining))
    elif draft.group.all_joined:
        complete_join(draft)
    else:
        draft.arm(JOIN_TIMER, timeout, JoinTimeout())


def refuse_parked_syncs(draft: Decision) -> None:
    """Whoever waits for an assignment that will not come is told to rejoin; its session counts from now.

    Kafka: resetAndPropagateAssignmentWithError.
    """
    for waiting in _sorted(draft.group):
        if waiting.sync_request is not None:
            draft.reply(waiting.sync_request, SyncAnswer(error=Error.REBALANCE_IN_PROGRESS))
            draft.arm_session(waiting)


def complete_join(draft: Decision) -> None:
    """End the join phase: drop who is late, begin the next generation (Kafka: completeClassicGroupJoin)."""
    draft.disarm(JOIN_TIMER)
    late = [m for m in _sorted(draft.group) if m.join_request is None]
    dropped = tuple(m.id for m in late if m.instance_id is None)
    for gone in dropped:
        draft.disarm(heartbeat_timer(gone))
        remove(draft, gone, "join-timeout")
    members = draft.group.members
    if not members:
        generation = draft.group.generation + 1
        draft.record(GroupEmptied(generation=generation, protocol_type=draft.group.protocol_type))
        return
    joined = tuple(m.id for m in _sorted(draft.group) if m.join_request is not None)
    if not joined:  # only static members are left, and none of them is here: try again (spec: T12)
        draft.arm(JOIN_TIMER, draft.group.rebalance_timeout_ms, JoinTimeout())
        return
    if draft.group.leader not in joined:
        draft.record(facts.LeaderElected(member=draft.group.elect(draft.group.generation, joined)))
    absent = tuple(m.id for m in late if m.instance_id is not None)
    _begin_generation(draft, dropped, absent)


def _begin_generation(draft: Decision, dropped: tuple[MemberId, ...], absent: tuple[MemberId, ...]) -> None:
    group = draft.group
    parked = _sorted(group)
    draft.record(
        facts.JoinPhaseCompleted(
            generation=group.generation + 1,
            protocol=vote(group),
            leader=group.leader,
            members=tuple(m.id for m in parked),
            size=len(parked),
            dropped=dropped,
            absent=absent,
        )
    )
    for member in parked:
        draft.reply(member.join_request, joined(draft.group, member.id, listing=member.id == group.leader))
        draft.arm_session(member)
    draft.arm(SYNC_TIMER, group.rebalance_timeout_ms, SyncTimedOut(draft.group.generation))


def vote(group: Group) -> str | None:
    """The protocol the present members choose."""
    return votes.vote([[p.name for p in m.protocols] for m in _sorted(group)])


def joined(group: Group, member: MemberId, *, listing: bool) -> JoinAnswer:
    """The answer to a member of the present generation; with the list of members if it must run the assignor."""
    listed = [Listed(m.id, m.instance_id, m.metadata(group.protocol)) for m in _sorted(group)] if listing else ()
    return JoinAnswer(
        generation=group.generation,
        protocol_type=group.protocol_type,
        protocol=group.protocol,
        leader=group.leader or "",
        member=member,
        members=tuple(listed),
    )


def remove(draft: Decision, member: MemberId, cause: str, reason: str | None = None) -> None:
    """Take a member out; whoever is first in hash order leads if it led. Its parked join must be answered before."""
    leads = draft.group.leader == member
    gone = draft.group.members[member]
    draft.record(facts.MemberRemoved(member=member, cause=cause, instance_id=gone.instance_id, reason=reason))
    if leads and draft.group.members:
        heir = draft.group.elect(draft.group.generation, tuple(sorted(draft.group.members)))
        draft.record(facts.LeaderElected(member=heir))


def _sorted(group: Group) -> list[Member]:
    return [group.members[m] for m in sorted(group.members)]
