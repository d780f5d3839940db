"""Typed values out of a record's fields: members, partitions, what a subscription claims."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groupsim.events.types import TopicPartition

Fields = Mapping[str, Any]


def structs(value: object) -> list[Fields]:
    """The structures of an array; none if it is something else."""
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def text(value: object) -> str | None:
    """A non-empty text, or None."""
    return value if isinstance(value, str) and value else None


def number(value: object) -> int | None:
    """A whole number, or None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def texts(value: object) -> list[str]:
    """The texts of an array."""
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def by_topic(value: object, key: str, names: Mapping[str, str] | None = None) -> set[TopicPartition]:
    """Partitions of structures that have a topic (`key`) and `partitions`; `names` are those of topic ids."""
    partitions = set()
    for of_topic in structs(value):
        topic = of_topic.get(key)
        if isinstance(topic, str):
            topic = topic if names is None else names.get(topic, topic)
            numbers = of_topic.get("partitions")
            partitions |= {
                TopicPartition(topic, n)
                for n in (numbers if isinstance(numbers, list) else ())
                if number(n) is not None
            }
    return partitions


def assigned(member: Fields) -> set[TopicPartition] | None:
    """What a member of a classic group was assigned; None if its bytes were not decoded."""
    assignment = member.get("assignment")
    return by_topic(assignment.get("assignedPartitions"), "topic") if isinstance(assignment, Mapping) else None


def claimed(member: Fields) -> set[TopicPartition] | None:
    """What a member of a classic group held when it joined, by its own word (KIP-429); None: not known."""
    subscription = member.get("subscription")
    if not isinstance(subscription, Mapping):
        return None
    return by_topic(subscription.get("ownedPartitions", []), "topic")


def topics(member: Fields) -> list[str]:
    """What a member of a classic group subscribes to."""
    subscription = member.get("subscription")
    return texts(subscription.get("topics")) if isinstance(subscription, Mapping) else []


def timeouts(member: Fields) -> dict[str, int]:
    """Session and rebalance timeout that a member reported, by the names of a broker's log.

    A member of the consumer protocol has the session timeout of its group, which the topic does not have.
    """
    classic = member.get("classicMemberMetadata")
    sessions = (member.get("sessionTimeout"), classic.get("sessionTimeoutMs") if isinstance(classic, Mapping) else None)
    session = next((ms for ms in map(number, sessions) if ms is not None), None)
    rebalance = number(member.get("rebalanceTimeout", member.get("rebalanceTimeoutMs")))
    found = {"session_timeout_ms": session, "rebalance_timeout_ms": rebalance}
    return {name: ms for name, ms in found.items() if ms is not None and ms > 0}
