"""range: topic by topic, contiguous ranges over sorted members; near replicas first with racks (KIP-881)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from groupsim.assignors.kafka.by_range_racks import near_ranges
from groupsim.assignors.partition_array import TOPIC_SHIFT, Codes
from groupsim.assignors.problem import Group, by_instance
from groupsim.assignors.spec import Answer, Spec


def by_range(spec: Spec) -> Answer:
    """Kafka's RangeAssignor. The topics of a member's list are in the order of Java's HashMap of topics,
    or sorted where racks decide."""
    group = Group.of(spec)
    subscribers: dict[str, list[int]] = {}
    for member in by_instance(group.members):
        for topic in dict.fromkeys(group.members[member].topics):
            subscribers.setdefault(topic, []).append(member)
    if any(member.rack for member in group.members) and (near := near_ranges(group, subscribers)):
        return group.answer(*near)
    return group.answer_by_topic(
        ranges(rank, int(group.counts[rank]), subscribers[group.names[rank]]) for rank in group.java_topics()
    )


def ranges(rank: int, count: int, members: Sequence[int] | Codes) -> tuple[Codes, Codes]:
    """`count` partitions of one topic cut into contiguous ranges, the first `count % members` one longer."""
    sizes = np.full(len(members), count // len(members), np.int64)
    sizes[: count % len(members)] += 1
    numbers = np.arange(count, dtype=np.int64)
    return np.repeat(np.array(members, np.int64), sizes), rank << TOPIC_SHIFT | numbers
