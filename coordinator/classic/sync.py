"""SyncGroup (Kafka: GroupMetadataManager.classicGroupSync, classicGroupSyncToClassicGroup)."""

from __future__ import annotations

from groupsim.coordinator.classic.commands import Sync, SyncAnswer
from groupsim.coordinator.classic.decision import SYNC_TIMER, ClassicDecision
from groupsim.coordinator.classic.state import ClassicGroup, Member, Phase
from groupsim.coordinator.config import CoordinatorKind
from groupsim.coordinator.identity import sender_error
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.events import classic as facts

PROTOCOL_SINCE = 5


def sync(group: ClassicGroup, cmd: Sync) -> Outcome[ClassicGroup]:
    """Guards in the broker's own order, then by phase."""
    decision = ClassicDecision(group)
    error = _refusal(group, cmd)
    if error is not Error.NONE:
        decision.reply(cmd.request, SyncAnswer(error=error))
        return decision.outcome()
    match group.phase:
        case Phase.PREPARING_REBALANCE:
            decision.reply(cmd.request, SyncAnswer(error=Error.REBALANCE_IN_PROGRESS))
        case Phase.COMPLETING_REBALANCE:
            decision.record(facts.SyncParked(member=cmd.member, request=cmd.request))
            if cmd.member == group.leader:
                _store(decision, cmd)
            _disarm_if_all_synced(decision)
        case Phase.STABLE:
            decision.record(facts.MemberSynced(member=cmd.member))
            decision.reply(cmd.request, assigned(decision.group, group.members[cmd.member]))
            if group.config.coordinator is CoordinatorKind.SCALA:
                decision.arm_session(group.members[cmd.member])
            _disarm_if_all_synced(decision)
        case phase:
            raise AssertionError(f"a group in {phase} cannot have members")
    return decision.outcome()


def _refusal(group: ClassicGroup, cmd: Sync) -> Error:
    if cmd.version >= PROTOCOL_SINCE and (cmd.protocol_type is None or cmd.protocol is None):
        return Error.INCONSISTENT_GROUP_PROTOCOL
    if not group.id:
        return Error.INVALID_GROUP_ID
    if group.phase is Phase.DEAD:
        return Error.COORDINATOR_NOT_AVAILABLE
    error = sender_error(group, cmd.member, cmd.instance_id)
    if error is not Error.NONE:
        return error
    if cmd.generation != group.generation:
        return Error.ILLEGAL_GENERATION
    if _differs(cmd.protocol_type, group.protocol_type) or _differs(cmd.protocol, group.protocol):
        return Error.INCONSISTENT_GROUP_PROTOCOL
    return Error.NONE


def _differs(given: str | None, known: str | None) -> bool:
    return given is not None and known is not None and given != known


def _store(decision: ClassicDecision, cmd: Sync) -> None:
    """Store the leader's assignment: every parked SyncGroup is answered, and its member's session restarts."""
    group = decision.group
    given = dict(cmd.assignment)
    members = [group.members[m] for m in sorted(group.members)]
    decision.record(
        facts.AssignmentStored(
            generation=group.generation,
            leader=group.leader,
            protocol_type=group.protocol_type,
            protocol=group.protocol,
            assignment={m.id: given.get(m.id, ()) for m in members},
            user_data={m: data for m, data in sorted(cmd.user_data) if m in group.members},
            members=tuple(_kept(m, group) for m in members),
        )
    )
    for waiting in members:
        if waiting.sync_request is not None:
            decision.reply(waiting.sync_request, assigned(decision.group, decision.group.members[waiting.id]))
            decision.arm_session(waiting)


def _kept(member: Member, group: ClassicGroup) -> facts.StoredMember:
    return facts.StoredMember(
        member=member.id,
        client_id=member.client_id,
        client_host=member.client_host,
        session_timeout_ms=member.session_timeout_ms,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        subscription=member.metadata(group.protocol),
        instance_id=member.instance_id,
    )


def assigned(group: ClassicGroup, member: Member) -> SyncAnswer:
    """The member's part of the current assignment."""
    return SyncAnswer(
        protocol_type=group.protocol_type,
        protocol=group.protocol,
        assignment=member.assignment,
        user_data=member.user_data,
    )


def _disarm_if_all_synced(decision: ClassicDecision) -> None:
    if not decision.group.pending_sync:
        decision.disarm(SYNC_TIMER)
