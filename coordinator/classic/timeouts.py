"""What happens when a timer of a classic group fires (docs/model/timers.md)."""

from __future__ import annotations

from groupsim.coordinator.classic.commands import InitialDelayElapsed, JoinTimeout, SessionExpired, SyncTimedOut
from groupsim.coordinator.classic.decision import JOIN_TIMER, ClassicDecision, session_timer
from groupsim.coordinator.classic.rebalance import complete_join, prepare, remove
from groupsim.coordinator.classic.state import ClassicGroup, Member, Phase
from groupsim.coordinator.config import CoordinatorKind
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.events import classic as facts
from groupsim.events.classic import RebalanceCause, RemovalCause


def session_expired(group: ClassicGroup, cmd: SessionExpired) -> Outcome[ClassicGroup]:
    """The session of a member or a pending id ran out.

    Kafka: GroupMetadataManager.expireClassicGroupMemberHeartbeat.
    """
    decision = ClassicDecision(group)
    member = group.members.get(cmd.member)
    if group.phase is Phase.DEAD:
        return decision.outcome()
    if cmd.member in group.pending:
        decision.record(facts.PendingMemberRemoved(member=cmd.member, cause=RemovalCause.EXPIRED))
    elif member is None or _has_parked_request(member):
        return decision.outcome()
    else:
        decision.refuse_parked(member, Error.UNKNOWN_MEMBER_ID)
        remove(decision, cmd.member, RemovalCause.SESSION_EXPIRED)
        if group.phase in (Phase.STABLE, Phase.COMPLETING_REBALANCE):
            reason = f"removing member {cmd.member} on heartbeat expiration."
            prepare(decision, RebalanceCause.SESSION_EXPIRED, reason, cmd.member)
            return decision.outcome()
    may_complete = not decision.group.initial or group.config.coordinator is CoordinatorKind.JAVA
    if decision.group.phase is Phase.PREPARING_REBALANCE and decision.group.all_joined and may_complete:
        complete_join(decision)
    return decision.outcome()


def _has_parked_request(member: Member) -> bool:
    """Such a member does not expire: the answer will restart its session. A new member expires all the same."""
    parked = member.join_request is not None or member.sync_request is not None
    return parked and not member.is_new


def initial_delay_elapsed(group: ClassicGroup, cmd: InitialDelayElapsed) -> Outcome[ClassicGroup]:
    """Wait once more while members keep arriving (Kafka: tryCompleteInitialRebalanceElseSchedule)."""
    decision = ClassicDecision(group)
    if group.phase is not Phase.PREPARING_REBALANCE:
        return decision.outcome()
    if group.new_member_added and cmd.remaining_ms:
        delay = min(group.config.group_initial_rebalance_delay_ms, cmd.remaining_ms)
        remaining = max(cmd.remaining_ms - cmd.delay_ms, 0)
        decision.record(facts.JoinDelayExtended(delay_ms=delay, remaining_ms=remaining))
        decision.arm(JOIN_TIMER, delay, InitialDelayElapsed(delay, remaining))
    else:
        complete_join(decision)
    return decision.outcome()


def join_timeout(group: ClassicGroup, cmd: JoinTimeout) -> Outcome[ClassicGroup]:
    """Go on without those who did not rejoin."""
    decision = ClassicDecision(group)
    if group.phase is Phase.PREPARING_REBALANCE:
        complete_join(decision)
    return decision.outcome()


def sync_timed_out(group: ClassicGroup, cmd: SyncTimedOut) -> Outcome[ClassicGroup]:
    """Remove who has not synced, and rebalance (KAFKA-12890; Kafka: GroupMetadataManager.expirePendingSync).

    An id that was replaced by a static member's next one is in no group any more, but still brings the rebalance about.
    """
    decision = ClassicDecision(group)
    waits = group.phase in (Phase.COMPLETING_REBALANCE, Phase.STABLE)
    if not waits or cmd.generation != group.generation or not group.pending_sync:
        return decision.outcome()
    late = tuple(sorted(group.pending_sync))
    decision.record(facts.SyncTimeout(generation=group.generation, members=late))
    for member in late:
        if member in group.members:
            decision.disarm(session_timer(member))
            remove(decision, member, RemovalCause.SYNC_TIMEOUT)
    reason = f"Removing {', '.join(late)} on pending sync request expiration"
    prepare(decision, RebalanceCause.SYNC_TIMEOUT, reason, late[0])
    return decision.outcome()
