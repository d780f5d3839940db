"""SyncGroup (spec 3.1; Kafka: classicGroupSync, classicGroupSyncToClassicGroup)."""

from __future__ import annotations

from groupsim.coordinator.classic.commands import Sync, SyncAnswer
from groupsim.coordinator.classic.decision import SYNC_TIMER, Decision
from groupsim.coordinator.classic.guards import validate
from groupsim.coordinator.classic.state import Group, Member, Phase
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.events import classic as facts

PROTOCOL_SINCE = 5


def sync(group: Group, cmd: Sync) -> Outcome:
    """Guards in the broker's own order, then by phase."""
    draft = Decision(group)
    error = _refusal(group, cmd)
    if error is not Error.NONE:
        draft.reply(cmd.request, SyncAnswer(error=error))
        return draft.outcome()
    match group.phase:
        case Phase.PREPARING_REBALANCE:
            draft.reply(cmd.request, SyncAnswer(error=Error.REBALANCE_IN_PROGRESS))
        case Phase.COMPLETING_REBALANCE:
            draft.record(facts.SyncParked(member=cmd.member, request=cmd.request))
            if cmd.member == group.leader:
                _store(draft, cmd)
            _disarm_if_all_synced(draft)
        case Phase.STABLE:
            draft.record(facts.MemberSynced(member=cmd.member))
            draft.reply(cmd.request, assigned(draft.group, group.members[cmd.member]))
            if group.config.coordinator == "scala":
                draft.arm_session(group.members[cmd.member])
            _disarm_if_all_synced(draft)
        case phase:
            raise AssertionError(f"a group in {phase} cannot have members")
    return draft.outcome()


def _refusal(group: Group, cmd: Sync) -> Error:
    if cmd.version >= PROTOCOL_SINCE and (cmd.protocol_type is None or cmd.protocol is None):
        return Error.INCONSISTENT_GROUP_PROTOCOL
    if not group.id:
        return Error.INVALID_GROUP_ID
    if group.phase is Phase.DEAD:
        return Error.COORDINATOR_NOT_AVAILABLE
    error = validate(group, cmd.member, cmd.instance_id)
    if error is not Error.NONE:
        return error
    if cmd.generation != group.generation:
        return Error.ILLEGAL_GENERATION
    if _differs(cmd.protocol_type, group.protocol_type) or _differs(cmd.protocol, group.protocol):
        return Error.INCONSISTENT_GROUP_PROTOCOL
    return Error.NONE


def _differs(given: str | None, known: str | None) -> bool:
    return given is not None and known is not None and given != known


def _store(draft: Decision, cmd: Sync) -> None:
    """The leader has spoken: everybody who waits gets its part, and a session counted from now."""
    group = draft.group
    given = dict(cmd.assignment)
    members = [group.members[m] for m in sorted(group.members)]
    draft.record(
        facts.AssignmentStored(
            generation=group.generation,
            leader=group.leader,
            protocol_type=group.protocol_type,
            protocol=group.protocol,
            assignment={m.id: given.get(m.id, ()) for m in members},
            members=tuple(_kept(m, group) for m in members),
        )
    )
    for waiting in members:
        if waiting.sync_request is not None:
            draft.reply(waiting.sync_request, assigned(draft.group, draft.group.members[waiting.id]))
            draft.arm_session(waiting)


def _kept(member: Member, group: Group) -> facts.StoredMember:
    return facts.StoredMember(
        member=member.id,
        client_id=member.client_id,
        client_host=member.client_host,
        session_timeout_ms=member.session_timeout_ms,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        subscription=member.metadata(group.protocol),
        instance_id=member.instance_id,
    )


def assigned(group: Group, member: Member) -> SyncAnswer:
    """The member's part of the assignment in force."""
    return SyncAnswer(protocol_type=group.protocol_type, protocol=group.protocol, assignment=member.assignment)


def _disarm_if_all_synced(draft: Decision) -> None:
    if not draft.group.pending_sync:
        draft.disarm(SYNC_TIMER)
