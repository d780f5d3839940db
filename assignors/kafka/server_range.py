"""server-range: the server's RangeAssignor (KIP-848): contiguous ranges, kept at members by their instance ids."""

from __future__ import annotations

import numpy as np

from groupsim.assignors.kafka.by_range import ranges
from groupsim.assignors.kafka.server_side import Target
from groupsim.assignors.problem import by_instance
from groupsim.assignors.spec import Answer, Spec


def server_range(spec: Spec) -> Answer:
    """Kafka's server-side RangeAssignor; what members owned plays no part. Lists are sorted: Kafka returns sets."""
    target = Target.of(spec)
    group = target.group
    seats: dict[int, list[int]] = {}
    for i in by_instance(group.members):
        for rank in target.subscribed[i]:
            seats.setdefault(rank, []).append(i)
    none = [np.empty(0, np.int64)]
    dealt = [ranges(rank, int(group.counts[rank]), seats[rank]) for rank in sorted(seats)]
    owners = np.concatenate(none + [part for part, _ in dealt])
    return group.answer(owners, np.concatenate(none + [codes for _, codes in dealt]))
