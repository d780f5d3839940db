"""roundrobin: all partitions sorted, given in a circle to the sorted members (RoundRobinAssignor)."""

from __future__ import annotations

import numpy as np

from groupsim.assignors.errors import AssignorError
from groupsim.assignors.partition_array import TOPIC_SHIFT, Codes
from groupsim.assignors.problem import Group, by_instance
from groupsim.assignors.spec import Answer, Spec


def round_robin(spec: Spec) -> Answer:
    """Kafka's RoundRobinAssignor. An empty group ends in Java's IllegalArgumentException, also here."""
    group = Group.of(spec)
    if not group.members:
        message = "CircularIterator can only be used on non-empty lists"
        raise AssignorError("java.lang.IllegalArgumentException", message)
    circle = by_instance(group.members)
    subscribers: dict[str, list[int]] = {}
    for seat, member in enumerate(circle):
        for topic in dict.fromkeys(group.members[member].topics):
            subscribers.setdefault(topic, []).append(seat)
    by_topic: list[tuple[Codes, Codes]] = []
    turn = 0
    for rank in np.flatnonzero(group.counts).tolist():
        count = int(group.counts[rank])
        here = np.array(subscribers[group.names[rank]], np.int64)
        first = int(np.searchsorted(here, turn)) % len(here)
        taken = here[(first + np.arange(count)) % len(here)]
        turn = (int(taken[-1]) + 1) % len(circle)
        owners = np.array(circle, np.int64)[taken]
        by_topic.append((owners, rank << TOPIC_SHIFT | np.arange(count, dtype=np.int64)))
    return group.answer_by_topic(by_topic)
