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
from groupsim.coordinator.classic.decision import JOIN_TIMER, SYNC_TIMER, ClassicDecision, session_timer
from groupsim.coordinator.classic.state import ClassicGroup, Member, Phase
from groupsim.coordinator.outcome import Error
from groupsim.events import classic as facts
from groupsim.events.classic import RebalanceCause, RemovalCause
from groupsim.events.group import GroupEmptied
from groupsim.events.types import MemberId


def prepare_or_complete(decision: ClassicDecision, cause: RebalanceCause, reason: str, member: MemberId | None) -> None:
    """Start a rebalance, or, in one that runs, complete the join phase if this was the last awaited member.

    Kafka: GroupMetadataManager.maybePrepareRebalanceOrCompleteJoin.
    """
    group = decision.group
    if group.phase is not Phase.PREPARING_REBALANCE:
        prepare(decision, cause, reason, member)
    elif not group.initial and group.all_joined:
        complete_join(decision)


def prepare(decision: ClassicDecision, cause: RebalanceCause, reason: str, member: MemberId | None) -> None:
    """Go to PreparingRebalance and wait for all members (Kafka: GroupMetadataManager.prepareRebalance)."""
    group = decision.group
    initial = group.phase is Phase.EMPTY
    refuse_parked_syncs(decision)
    decision.disarm(SYNC_TIMER)
    delay = group.config.group_initial_rebalance_delay_ms
    timeout = delay if initial else group.rebalance_timeout_ms
    decision.record(
        facts.RebalanceStarted(
            generation=group.generation,
            cause=cause,
            reason=reason,
            initial=initial,
            member=member,
            timeout_ms=timeout,
        )
    )
    decision.cancel_undurable()
    if initial:
        remaining = max(group.rebalance_timeout_ms - delay, 0)
        decision.arm(JOIN_TIMER, delay, InitialDelayElapsed(delay, remaining))
    elif decision.group.all_joined:
        complete_join(decision)
    else:
        decision.arm(JOIN_TIMER, timeout, JoinTimeout())


def refuse_parked_syncs(decision: ClassicDecision) -> None:
    """Members that wait for an assignment must rejoin; their sessions restart.

    Kafka: GroupMetadataManager.resetAndPropagateAssignmentWithError.
    """
    for waiting in _sorted(decision.group):
        if waiting.sync_request is not None:
            decision.reply(waiting.sync_request, SyncAnswer(error=Error.REBALANCE_IN_PROGRESS))
            decision.arm_session(waiting)


def complete_join(decision: ClassicDecision) -> None:
    """End the join phase: remove late members, begin the next generation.

    Kafka: GroupMetadataManager.completeClassicGroupJoin.
    """
    decision.disarm(JOIN_TIMER)
    late = [m for m in _sorted(decision.group) if m.join_request is None]
    dropped = tuple(m.id for m in late if m.instance_id is None)
    for member in dropped:
        decision.disarm(session_timer(member))
        remove(decision, member, RemovalCause.JOIN_TIMEOUT)
    members = decision.group.members
    if not members:
        generation = decision.group.generation + 1
        decision.record(GroupEmptied(generation=generation, protocol_type=decision.group.protocol_type))
        return
    joined = tuple(m.id for m in _sorted(decision.group) if m.join_request is not None)
    if not joined:  # only static members are left, and none of them has rejoined: wait once more
        decision.arm(JOIN_TIMER, decision.group.rebalance_timeout_ms, JoinTimeout())
        return
    if decision.group.leader not in joined:
        decision.record(facts.LeaderElected(member=decision.group.elect(decision.group.generation, joined)))
    absent = tuple(m.id for m in late if m.instance_id is not None)
    _begin_generation(decision, dropped, absent)


def _begin_generation(decision: ClassicDecision, dropped: tuple[MemberId, ...], absent: tuple[MemberId, ...]) -> None:
    group = decision.group
    parked = _sorted(group)
    decision.record(
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
        decision.reply(member.join_request, joined(decision.group, member.id, listing=member.id == group.leader))
        decision.arm_session(member)
    decision.arm(SYNC_TIMER, group.rebalance_timeout_ms, SyncTimedOut(decision.group.generation))


def vote(group: ClassicGroup) -> str | None:
    """The protocol the present members choose."""
    return votes.vote([[p.name for p in m.protocols] for m in _sorted(group)])


def joined(group: ClassicGroup, member: MemberId, *, listing: bool) -> JoinAnswer:
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


def remove(decision: ClassicDecision, member: MemberId, cause: RemovalCause, reason: str | None = None) -> None:
    """Remove a member and elect another leader if it led. Its parked JoinGroup must be answered before."""
    leads = decision.group.leader == member
    removed = decision.group.members[member]
    decision.record(facts.MemberRemoved(member=member, cause=cause, instance_id=removed.instance_id, reason=reason))
    if leads and decision.group.members:
        successor = decision.group.elect(decision.group.generation, tuple(sorted(decision.group.members)))
        decision.record(facts.LeaderElected(member=successor))


def _sorted(group: ClassicGroup) -> list[Member]:
    return [group.members[m] for m in sorted(group.members)]
