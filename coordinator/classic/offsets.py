"""OffsetFetch, OffsetDelete and DeleteGroups of a classic group.

Kafka: ClassicGroup.validateOffsetFetch, validateOffsetDelete, isSubscribedToTopic, validateDeleteGroup.
"""

from __future__ import annotations

from groupsim.coordinator import deletion
from groupsim.coordinator.classic.decision import ClassicDecision, session_timer
from groupsim.coordinator.classic.state import ClassicGroup, Phase
from groupsim.coordinator.commands import DeleteGroup, DeleteOffsets, FetchOffsets, FetchOffsetsAnswer, TopicDeleted
from groupsim.coordinator.outcome import Error, Outcome, Reply

CONSUMER_PROTOCOL_TYPE = "consumer"


def fetch(group: ClassicGroup, cmd: FetchOffsets) -> Outcome[ClassicGroup]:
    """The offsets, whoever asks; a group that does not exist has none."""
    if group.phase is Phase.DEAD:
        answer = FetchOffsetsAnswer(Error.NOT_COORDINATOR)
    else:
        answer = FetchOffsetsAnswer(offsets=cmd.context.offsets.fetch(cmd.partitions))
    return Outcome(group, replies=(Reply(cmd.request, answer),))


def delete_offsets(group: ClassicGroup, cmd: DeleteOffsets) -> Outcome[ClassicGroup]:
    """A group of another protocol type has to be empty, as its metadata do not tell topics."""
    decision = ClassicDecision(group)
    refusal = _refusal(group)
    if refusal is Error.NONE and group.phase is not Phase.EMPTY and group.protocol_type != CONSUMER_PROTOCOL_TYPE:
        refusal = Error.NON_EMPTY_GROUP
    deletion.delete_offsets(decision, cmd, refusal, lambda topic: _subscribed(group, topic))
    return decision.outcome()


def delete_group(group: ClassicGroup, cmd: DeleteGroup) -> Outcome[ClassicGroup]:
    """Only an empty group is deleted; ids that were issued but never joined go with it."""
    decision = ClassicDecision(group)
    refusal = _refusal(group)
    if refusal is Error.NONE and group.phase is not Phase.EMPTY:
        refusal = Error.NON_EMPTY_GROUP
    deletion.delete_group(decision, cmd, refusal)
    if refusal is Error.NONE:
        for member in sorted(group.pending):
            decision.disarm(session_timer(member))
    return decision.outcome()


def topic_deleted(group: ClassicGroup, cmd: TopicDeleted) -> Outcome[ClassicGroup]:
    """The topic's offsets are gone."""
    decision = ClassicDecision(group)
    deletion.topic_deleted(decision, cmd)
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
