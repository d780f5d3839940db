"""Who may commit, fetch and delete offsets, and delete the group.

Kafka: ClassicGroup.validateOffsetCommit, validateOffsetFetch, validateOffsetDelete, isSubscribedToTopic,
validateDeleteGroup.
"""

from __future__ import annotations

from groupsim.coordinator import offset_requests
from groupsim.coordinator.classic.decision import ClassicDecision, session_timer
from groupsim.coordinator.classic.state import CONSUMER_PROTOCOL_TYPE, ClassicGroup, Phase
from groupsim.coordinator.commands import (
    Commit,
    DeleteGroup,
    DeleteOffsets,
    FetchOffsets,
    TopicDeleted,
)
from groupsim.coordinator.config import CoordinatorKind
from groupsim.coordinator.identity import sender_error
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.events.group import GroupCreated

GROUP_ID_NOT_FOUND_SINCE = 9


def commit(group: ClassicGroup, cmd: Commit) -> Outcome[ClassicGroup]:
    """Accept or refuse; an accepted plain commit of a member counts as a heartbeat unless the group is completing.

    Whether the member owns the partitions is not checked, as in Kafka.
    """
    decision = ClassicDecision(group)
    refusal = _commit_refusal(group, cmd)
    if refusal is Error.NONE:
        if not group.exists:
            decision.record(GroupCreated())
        if cmd.member in group.members and not cmd.transactional:
            decision.arm_session(group.members[cmd.member])
    offset_requests.commit(decision, cmd, refusal)
    return decision.outcome()


def _commit_refusal(group: ClassicGroup, cmd: Commit) -> Error:
    """The checks in Kafka's order."""
    memberless = cmd.generation < 0 and not cmd.member and cmd.instance_id is None
    if not group.id and cmd.transactional:
        return Error.INVALID_GROUP_ID
    if group.phase is Phase.DEAD:
        return Error.COORDINATOR_NOT_AVAILABLE
    if not group.exists:
        return Error.NONE if cmd.generation < 0 else _commit_to_absent(group, cmd)
    if group.phase is Phase.EMPTY and cmd.generation < 0:
        return Error.NONE
    if memberless:
        return Error.NONE if cmd.transactional else Error.UNKNOWN_MEMBER_ID
    error = sender_error(group, cmd.member, cmd.instance_id)
    if error is not Error.NONE:
        return error
    if cmd.generation != group.generation:
        return Error.ILLEGAL_GENERATION
    if group.phase is Phase.COMPLETING_REBALANCE and not cmd.transactional:
        return Error.REBALANCE_IN_PROGRESS
    return Error.NONE


def _commit_to_absent(group: ClassicGroup, cmd: Commit) -> Error:
    java = group.config.coordinator is CoordinatorKind.JAVA
    if java and not cmd.transactional and cmd.version >= GROUP_ID_NOT_FOUND_SINCE:
        return Error.GROUP_ID_NOT_FOUND
    return Error.ILLEGAL_GENERATION


def fetch(group: ClassicGroup, cmd: FetchOffsets) -> Outcome[ClassicGroup]:
    """The offsets, whoever asks; a group that does not exist has none."""
    return offset_requests.fetch(group, cmd, Error.NOT_COORDINATOR if group.phase is Phase.DEAD else Error.NONE)


def delete_offsets(group: ClassicGroup, cmd: DeleteOffsets) -> Outcome[ClassicGroup]:
    """A group of another protocol type has to be empty, as its metadata do not tell topics."""
    decision = ClassicDecision(group)
    refusal = _refusal(group)
    if refusal is Error.NONE and group.phase is not Phase.EMPTY and group.protocol_type != CONSUMER_PROTOCOL_TYPE:
        refusal = Error.NON_EMPTY_GROUP
    offset_requests.delete_offsets(decision, cmd, refusal, lambda topic: _subscribed(group, topic))
    return decision.outcome()


def delete_group(group: ClassicGroup, cmd: DeleteGroup) -> Outcome[ClassicGroup]:
    """Only an empty group is deleted; ids that were issued but never joined go with it."""
    decision = ClassicDecision(group)
    refusal = _refusal(group)
    if refusal is Error.NONE and group.phase is not Phase.EMPTY:
        refusal = Error.NON_EMPTY_GROUP
    offset_requests.delete_group(decision, cmd, refusal)
    if refusal is Error.NONE:
        for member in sorted(group.pending):
            decision.disarm(session_timer(member))
    return decision.outcome()


def topic_deleted(group: ClassicGroup, cmd: TopicDeleted) -> Outcome[ClassicGroup]:
    """The topic's offsets are gone."""
    decision = ClassicDecision(group)
    offset_requests.topic_deleted(decision, cmd)
    return decision.outcome()


def _refusal(group: ClassicGroup) -> Error:
    if not group.id:
        return Error.INVALID_GROUP_ID
    if group.phase is Phase.DEAD:
        return Error.NOT_COORDINATOR
    return Error.NONE if group.exists else Error.GROUP_ID_NOT_FOUND


def _subscribed(group: ClassicGroup, topic: str) -> bool:
    """What members subscribed to when the last join phase ended, whatever they say since; every topic before the first.

    Kafka: ClassicGroup.isSubscribedToTopic.
    """
    uses_consumer_protocol = group.protocol_type == CONSUMER_PROTOCOL_TYPE
    return uses_consumer_protocol and (group.subscribed is None or topic in group.subscribed)
