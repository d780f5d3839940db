"""OffsetDelete and DeleteGroups of a consumer group (Kafka: ConsumerGroup.validateDeleteGroup, isSubscribedToTopic)."""

from __future__ import annotations

from groupsim.coordinator import deletion
from groupsim.coordinator.commands import DeleteGroup, DeleteOffsets, TopicDeleted
from groupsim.coordinator.consumer.decision import ConsumerDecision
from groupsim.coordinator.consumer.evolve import State
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.consumer.subscription import subscribed
from groupsim.coordinator.outcome import Error, Outcome


def delete_offsets(group: ConsumerGroup, cmd: DeleteOffsets) -> Outcome[State]:
    """Offsets of topics that nobody subscribes to, by name or by an expression that was resolved to them."""
    decision = ConsumerDecision(group)
    names = set(subscribed(group))
    deletion.delete_offsets(decision, cmd, _refusal(group), names.__contains__)
    return decision.outcome()


def delete_group(group: ConsumerGroup, cmd: DeleteGroup) -> Outcome[State]:
    """Only an empty group is deleted."""
    decision = ConsumerDecision(group)
    refusal = _refusal(group)
    if refusal is Error.NONE and group.members:
        refusal = Error.NON_EMPTY_GROUP
    deletion.delete_group(decision, cmd, refusal)
    return decision.outcome()


def topic_deleted(group: ConsumerGroup, cmd: TopicDeleted) -> Outcome[State]:
    """The topic's offsets are gone; that the subscribed topics changed is seen by the next heartbeat."""
    decision = ConsumerDecision(group)
    deletion.topic_deleted(decision, cmd)
    return decision.outcome()


def _refusal(group: ConsumerGroup) -> Error:
    if not group.id:
        return Error.INVALID_GROUP_ID
    return Error.NONE if group.loaded else Error.NOT_COORDINATOR
