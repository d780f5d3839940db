"""OffsetCommit and TxnOffsetCommit: who may commit (Kafka: ClassicGroup.validateOffsetCommit).

Whether the member owns the partitions is not checked, as in Kafka.
"""

from __future__ import annotations

from groupsim.coordinator.classic.decision import ClassicDecision
from groupsim.coordinator.classic.state import ClassicGroup, Phase
from groupsim.coordinator.commands import Commit, CommitAnswer
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.events.group import CommitAccepted, CommitRefused, GroupCreated

GROUP_ID_NOT_FOUND_SINCE = 9


def commit(group: ClassicGroup, cmd: Commit) -> Outcome[ClassicGroup]:
    """Accept or refuse; an accepted plain commit of a member counts as a heartbeat unless the group is completing."""
    decision = ClassicDecision(group)
    error = _refusal(group, cmd)
    if error is Error.NONE:
        if not group.exists:
            decision.record(GroupCreated())
        decision.record(
            CommitAccepted(
                member=cmd.member,
                generation=cmd.generation,
                offsets=cmd.offsets,
                transactional=cmd.transactional,
            )
        )
        if cmd.member in group.members and not cmd.transactional:
            decision.arm_session(group.members[cmd.member])
    else:
        decision.record(
            CommitRefused(member=cmd.member, generation=cmd.generation, error=error.name, offsets=cmd.offsets)
        )
    decision.reply(cmd.request, CommitAnswer(error))
    return decision.outcome()


def _refusal(group: ClassicGroup, cmd: Commit) -> Error:
    """The checks in Kafka's order."""
    memberless = cmd.generation < 0 and not cmd.member and cmd.instance_id is None
    if not group.id and cmd.transactional:
        return Error.INVALID_GROUP_ID
    if group.phase is Phase.DEAD:
        return Error.COORDINATOR_NOT_AVAILABLE
    if not group.exists:
        return Error.NONE if cmd.generation < 0 else _absent(group, cmd)
    if group.phase is Phase.EMPTY and cmd.generation < 0:
        return Error.NONE
    if memberless:
        return Error.NONE if cmd.transactional else Error.UNKNOWN_MEMBER_ID
    if cmd.instance_id is not None:
        mapped = group.statics.get(cmd.instance_id)
        if mapped != cmd.member:
            return Error.UNKNOWN_MEMBER_ID if mapped is None else Error.FENCED_INSTANCE_ID
    if cmd.member not in group.members:
        return Error.UNKNOWN_MEMBER_ID
    if cmd.generation != group.generation:
        return Error.ILLEGAL_GENERATION
    if group.phase is Phase.COMPLETING_REBALANCE and not cmd.transactional:
        return Error.REBALANCE_IN_PROGRESS
    return Error.NONE


def _absent(group: ClassicGroup, cmd: Commit) -> Error:
    java = group.config.coordinator == "java"
    if java and not cmd.transactional and cmd.version >= GROUP_ID_NOT_FOUND_SINCE:
        return Error.GROUP_ID_NOT_FOUND
    return Error.ILLEGAL_GENERATION
