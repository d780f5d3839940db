"""Sarama's round robin goes through partitions by their names: `orders-10` comes before `orders-2`.

A group that changes from Sarama to another library, or back, therefore gets other partitions from an assignor of the
same name (balance_strategy.go: roundRobinBalancer.Plan, topicAndPartition.comparedValue).
"""

from __future__ import annotations

from groupsim.assignors.spec import Spec
from groupsim.events.types import MemberId, TopicPartition


def assign(spec: Spec) -> dict[MemberId, list[TopicPartition]]:
    """Every partition to the next member, by id, that subscribes to its topic."""
    subscribed = {member.id: frozenset(member.topics) for member in spec.members}
    circle = sorted(subscribed)
    topics = frozenset[str]().union(*subscribed.values())
    partitions = [TopicPartition(t, p) for t, count in spec.partitions.items() if t in topics for p in range(count)]
    given: dict[MemberId, list[TopicPartition]] = {member: [] for member in circle}
    turn = 0
    for partition in sorted(partitions, key=lambda p: f"{p.topic}-{p.partition}"):
        while partition.topic not in subscribed[circle[turn % len(circle)]]:
            turn += 1
        given[circle[turn % len(circle)]].append(partition)
        turn += 1
    return given
