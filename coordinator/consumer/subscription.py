"""What members subscribe to, as the broker's topics are now; when that changes the group epoch grows."""

from __future__ import annotations

from collections.abc import Iterable

from groupsim.coordinator.consumer.decision import ConsumerDecision
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.topics import Topic, Topics, metadata_hash
from groupsim.events import consumer as facts
from groupsim.events.consumer import BumpCause
from groupsim.events.types import MemberId, TopicId


def topics_of(group: ConsumerGroup, member: Member, topics: Topics) -> list[Topic]:
    """The existing topics of one member: those it names, and those its expression was resolved to; sorted by name."""
    return topics.named(names_of(group, member))


def ids_of(group: ConsumerGroup, member: Member, topics: Topics) -> frozenset[TopicId]:
    """The ids of these topics."""
    return topics.ids(names_of(group, member))


def names_of(group: ConsumerGroup, member: Member) -> tuple[str, ...]:
    """The names of one member's topics, existing or not; an expression that is not resolved yet brings none."""
    return (*member.topics, *_matched(group, member.expression)) if member.expression else member.topics


def metadata_of(group: ConsumerGroup, topics: Topics) -> int:
    """The metadata hash of everything that somebody in the group subscribes to."""
    return metadata_hash(topics.named(subscribed(group)), racks=group.behaviour.metadata_hash)


def refresh(decision: ConsumerDecision, topics: Topics, cause: BumpCause | None, member: MemberId | None) -> bool:
    """Let the epoch grow for this cause, or because the subscribed topics are not what they were.

    Kafka: the middle of GroupMetadataManager.consumerGroupHeartbeat. Topics are looked at if there is a cause, or if
    a subscribed one changed since the last look. Other topics count for nothing, even where the hash is out of date
    because an expression is not resolved yet. Returns whether they were looked at.
    """
    group = decision.group
    looked = group.topics_version == topics.version
    if cause is None and looked:
        return False
    last = group.topics_version
    due = cause is not None or last is None or topics.changed_since(last, subscribed(group))
    new_hash = metadata_of(group, topics) if due else group.metadata_hash
    if cause is None and new_hash != group.metadata_hash:
        cause = BumpCause.TOPICS_CHANGED
    if cause is not None:
        decision.record(
            facts.GroupEpochBumped(epoch=group.epoch + 1, metadata_hash=new_hash, cause=cause, member=member)
        )
    if not looked:
        decision.record(facts.MetadataChecked(version=topics.version))
    return due


def _matched(group: ConsumerGroup, expression: str) -> tuple[str, ...]:
    resolved = group.resolved.get(expression) if expression else None
    return resolved.topics if resolved is not None else ()


def subscribed(group: ConsumerGroup) -> Iterable[str]:
    """The names that somebody subscribes to; most members of a group have the same subscription."""
    distinct = {(member.topics, member.expression) for member in group.members.values()}
    names: set[str] = set()
    for named, expression in distinct:
        names.update(named, _matched(group, expression))
    return names
