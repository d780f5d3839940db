"""LeaveGroup, a batch with one result per entry (spec 3.3; Kafka: classicGroupLeaveToClassicGroup)."""

from __future__ import annotations

from dataclasses import replace

from groupsim.coordinator.classic.commands import Leave, LeaveAnswer, Leaving
from groupsim.coordinator.classic.decision import Decision, heartbeat_timer
from groupsim.coordinator.classic.guards import validate
from groupsim.coordinator.classic.rebalance import prepare_or_complete, remove
from groupsim.coordinator.classic.state import Group, Phase
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.events import classic as facts
from groupsim.events.types import MemberId


def leave(group: Group, cmd: Leave) -> Outcome:
    """One rebalance after the batch if anything was removed, be it only a pending id (java); per entry in scala."""
    draft = Decision(group)
    if not group.id:
        draft.reply(cmd.request, LeaveAnswer(Error.INVALID_GROUP_ID))
        return draft.outcome()
    if group.phase is Phase.DEAD:
        draft.reply(cmd.request, LeaveAnswer(Error.COORDINATOR_NOT_AVAILABLE))
        return draft.outcome()
    results: list[tuple[MemberId, str | None, Error]] = []
    gone: list[MemberId] = []
    for entry in cmd.members:
        error, removed = _leave_one(draft, entry)
        results.append((entry.member, entry.instance_id, error))
        if error is Error.NONE:
            gone.append(removed)
            if group.config.coordinator == "scala":
                _after(draft, [removed])
    if gone and group.config.coordinator == "java":
        _after(draft, gone)
    draft.reply(cmd.request, LeaveAnswer(members=tuple(results)))
    return draft.outcome()


def _after(draft: Decision, gone: list[MemberId]) -> None:
    if draft.group.phase is Phase.EMPTY:
        return
    reason = f"explicit `LeaveGroup` request for ({', '.join(gone)}) members."
    prepare_or_complete(draft, "member-left", reason, gone[0])


def _leave_one(draft: Decision, entry: Leaving) -> tuple[Error, MemberId]:
    group = draft.group
    member = entry.member
    if not member and entry.instance_id is not None:  # an administrator removes a static member
        if entry.instance_id not in group.statics:
            return Error.UNKNOWN_MEMBER_ID, member
        member = group.statics[entry.instance_id]
    elif member in group.pending:
        draft.record(facts.PendingMemberRemoved(member=member, cause="left"))
        draft.disarm(heartbeat_timer(member))
        return Error.NONE, member
    else:
        error = validate(group, member, entry.instance_id)
        if error is not Error.NONE:
            return error, member
    leaver = group.members[member]
    # A SyncGroup it has parked stays unanswered, as in Kafka: only its JoinGroup is.
    draft.release(replace(leaver, sync_request=None), Error.UNKNOWN_MEMBER_ID)
    draft.disarm(heartbeat_timer(member))
    remove(draft, member, "left", entry.reason)
    return Error.NONE, member
