"""LeaveGroup, a batch with one result per entry (Kafka: GroupMetadataManager.classicGroupLeaveToClassicGroup)."""

from __future__ import annotations

from msgspec.structs import replace

from groupsim.coordinator.classic.commands import Leave, LeaveAnswer, Leaving
from groupsim.coordinator.classic.decision import ClassicDecision, session_timer
from groupsim.coordinator.classic.rebalance import prepare_or_complete, remove
from groupsim.coordinator.classic.state import ClassicGroup, Phase
from groupsim.coordinator.config import CoordinatorKind
from groupsim.coordinator.identity import sender_error
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.events import classic as facts
from groupsim.events.classic import RebalanceCause, RemovalCause
from groupsim.events.types import MemberId


def leave(group: ClassicGroup, cmd: Leave) -> Outcome[ClassicGroup]:
    """One rebalance after the batch if an entry removed a member or a pending id (java); one per entry in scala."""
    decision = ClassicDecision(group)
    if not group.id:
        decision.reply(cmd.request, LeaveAnswer(Error.INVALID_GROUP_ID))
        return decision.outcome()
    if group.phase is Phase.DEAD:
        decision.reply(cmd.request, LeaveAnswer(Error.COORDINATOR_NOT_AVAILABLE))
        return decision.outcome()
    results: list[tuple[MemberId, str | None, Error]] = []
    left: list[MemberId] = []
    for entry in cmd.members:
        error, removed = _leave_one(decision, entry)
        results.append((entry.member, entry.instance_id, error))
        if error is Error.NONE:
            left.append(removed)
            if group.config.coordinator is CoordinatorKind.SCALA:
                _rebalance(decision, [removed])
    if left and group.config.coordinator is CoordinatorKind.JAVA:
        _rebalance(decision, left)
    decision.reply(cmd.request, LeaveAnswer(members=tuple(results)))
    return decision.outcome()


def _rebalance(decision: ClassicDecision, left: list[MemberId]) -> None:
    if decision.group.phase is Phase.EMPTY:
        return
    reason = f"explicit `LeaveGroup` request for ({', '.join(left)}) members."
    prepare_or_complete(decision, RebalanceCause.MEMBER_LEFT, reason, left[0])


def _leave_one(decision: ClassicDecision, entry: Leaving) -> tuple[Error, MemberId]:
    group = decision.group
    member = entry.member
    if not member and entry.instance_id is not None:  # an administrator removes a static member
        if entry.instance_id not in group.statics:
            return Error.UNKNOWN_MEMBER_ID, member
        member = group.statics[entry.instance_id]
    elif member in group.pending:
        decision.record(facts.PendingMemberRemoved(member=member, cause=RemovalCause.LEFT))
        decision.disarm(session_timer(member))
        return Error.NONE, member
    else:
        error = sender_error(group, member, entry.instance_id)
        if error is not Error.NONE:
            return error, member
    leaver = group.members[member]
    # A SyncGroup it has parked stays unanswered, as in Kafka: only its JoinGroup is.
    decision.refuse_parked(replace(leaver, sync_request=None), Error.UNKNOWN_MEMBER_ID)
    decision.disarm(session_timer(member))
    remove(decision, member, RemovalCause.LEFT, entry.reason)
    return Error.NONE, member
