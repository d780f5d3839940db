"""What happens when an alarm rings (spec 2.6, 2.7, 3.1, 3.4)."""

from __future__ import annotations

from groupsim.coordinator.classic.commands import InitialDelayElapsed, JoinTimeout, SessionExpired, SyncTimedOut
from groupsim.coordinator.classic.decision import JOIN_TIMER, Decision, heartbeat_timer
from groupsim.coordinator.classic.rebalance import complete_join, prepare, remove
from groupsim.coordinator.classic.state import Group, Member, Phase
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.events import classic as facts


def session_expired(group: Group, cmd: SessionExpired) -> Outcome:
    """A member or a pending id was silent for too long (Kafka: expireClassicGroupMemberHeartbeat)."""
    draft = Decision(group)
    member = group.members.get(cmd.member)
    if group.phase is Phase.DEAD:
        return draft.outcome()
    if cmd.member in group.pending:
        draft.record(facts.PendingMemberRemoved(member=cmd.member, cause="expired"))
    elif member is None or _waits_for_us(member):
        return draft.outcome()
    else:
        draft.release(member, Error.UNKNOWN_MEMBER_ID)
        remove(draft, cmd.member, "session-expired")
        if group.phase in (Phase.STABLE, Phase.COMPLETING_REBALANCE):
            reason = f"removing member {cmd.member} on heartbeat expiration."
            prepare(draft, "session-expired", reason, cmd.member)
            return draft.outcome()
    early = not draft.group.initial or group.config.coordinator == "java"
    if draft.group.phase is Phase.PREPARING_REBALANCE and draft.group.all_joined and early:
        complete_join(draft)
    return draft.outcome()


def _waits_for_us(member: Member) -> bool:
    """Whose request is parked is not failed, and not armed anew: the answer will do that. New members are failed."""
    parked = member.join_request is not None or member.sync_request is not None
    return parked and not member.is_new


def initial_delay_elapsed(group: Group, cmd: InitialDelayElapsed) -> Outcome:
    """Wait once more while members keep arriving (Kafka: tryCompleteInitialRebalanceElseSchedule)."""
    draft = Decision(group)
    if group.phase is not Phase.PREPARING_REBALANCE:
        return draft.outcome()
    if group.new_member_added and cmd.remaining_ms:
        delay = min(group.config.group_initial_rebalance_delay_ms, cmd.remaining_ms)
        remaining = max(cmd.remaining_ms - cmd.delay_ms, 0)
        draft.record(facts.JoinDelayExtended(delay_ms=delay, remaining_ms=remaining))
        draft.arm(JOIN_TIMER, delay, InitialDelayElapsed(delay, remaining))
    else:
        complete_join(draft)
    return draft.outcome()


def join_timeout(group: Group, cmd: JoinTimeout) -> Outcome:
    """Go on without those who did not rejoin."""
    draft = Decision(group)
    if group.phase is Phase.PREPARING_REBALANCE:
        complete_join(draft)
    return draft.outcome()


def sync_timed_out(group: Group, cmd: SyncTimedOut) -> Outcome:
    """Remove who has not synced, and rebalance (KAFKA-12890; Kafka: expirePendingSync).

    An id that was replaced by a static member's next one is in no group any more, but still brings the rebalance about.
    """
    draft = Decision(group)
    waits = group.phase in (Phase.COMPLETING_REBALANCE, Phase.STABLE)
    if not waits or cmd.generation != group.generation or not group.pending_sync:
        return draft.outcome()
    late = tuple(sorted(group.pending_sync))
    draft.record(facts.SyncTimeout(generation=group.generation, members=late))
    for member in late:
        if member in group.members:
            draft.disarm(heartbeat_timer(member))
            remove(draft, member, "sync-timeout")
    reason = f"Removing {', '.join(late)} on pending sync request expiration"
    prepare(draft, "sync-timeout", reason, late[0])
    return draft.outcome()
