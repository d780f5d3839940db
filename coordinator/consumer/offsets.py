"""Offsets of a consumer group: since when a member has held partitions, and which topics have subscribers.

Kafka: ConsumerGroup.validateOffsetCommit, isSubscribedToTopic.
"""

from __future__ import annotations

from groupsim.coordinator.commands import Commit, DeleteOffsets
from groupsim.coordinator.consumer.decision import ConsumerDecision
from groupsim.coordinator.consumer.evolve import State
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.consumer.subscription import subscribed
from groupsim.coordinator.modern import offsets
from groupsim.coordinator.outcome import Outcome
from groupsim.coordinator.topics import Topics
from groupsim.events.types import TopicPartition


def commit(group: ConsumerGroup, cmd: Commit) -> Outcome[State]:
    """Accept or refuse."""
    return offsets.commit(ConsumerDecision(group), cmd, lambda member: _held_since(member, cmd))


def _held_since(member: Member, cmd: Commit) -> bool:
    """An older epoch will do if the member has held every one of the partitions since then (KIP-1251)."""
    held = {**member.assigned, **member.pending}
    asked = (TopicPartition(_topic_id(cmd.context.topics, topic), number) for topic, number, _ in cmd.offsets)
    return all(p in held and cmd.generation >= held[p] for p in asked)


def _topic_id(topics: Topics, name: str) -> str:
    topic = topics.by_name.get(name)
    return name if topic is None else topic.id


def delete_offsets(group: ConsumerGroup, cmd: DeleteOffsets) -> Outcome[State]:
    """Offsets of topics that nobody subscribes to, by name or by an expression that was resolved to them."""
    return offsets.delete_offsets(ConsumerDecision(group), cmd, set(subscribed(group)).__contains__)
