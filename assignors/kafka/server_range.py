"""server-range: the server's RangeAssignor (KIP-848): contiguous ranges, kept at members by their instance ids."""

from __future__ import annotations

from groupsim.assignors.kafka.by_range import ranges
from groupsim.assignors.kafka.server_side import Target
from groupsim.assignors.problem import by_instance
from groupsim.assignors.spec import Answer, Spec


def server_range(spec: Spec) -> Answer:
    """Kafka's server-side RangeAssignor; previous owners play no part. Lists are sorted: Kafka returns sets."""
    target = Target.of(spec)
    group = target.group
    subscribers: dict[int, list[int]] = {}
    for i in by_instance(group.members):
        for rank in target.subscribed[i]:
            subscribers.setdefault(rank, []).append(i)
    return group.answer_by_topic(
        ranges(rank, int(group.counts[rank]), subscribers[rank]) for rank in sorted(subscribers)
    )
