"""What members subscribe to, as the broker's topics are now; when that changes the group epoch grows."""

from __future__ import annotations

from collections.abc import Iterable

from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.topics import Topic, Topics, metadata_hash
from groupsim.events.types import TopicId


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
