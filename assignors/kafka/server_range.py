"""server-range: the server's RangeAssignor (KIP-848): contiguous ranges, kept at members by their instance ids."""

from __future__ import annotations

import numpy as np

from groupsim.assignors.kafka.by_range import ranges
from groupsim.assignors.kafka.server_side import Target
from groupsim.assignors.partition_array import Codes
from groupsim.assignors.problem import by_instance
from groupsim.assignors.spec import Answer, Spec


def server_range(spec: Spec) -> Answer:
    """Kafka's server-side RangeAssignor; previous owners play no part. Lists are sorted: Kafka returns sets."""
    target = Target.of(spec)
    group = target.group
    subscribers: dict[int, Codes]
    order = np.array(by_instance(group.members), np.int64)
    if target.homogeneous or len(set(target.subscribed)) <= 1:
        # The first member in this order, also where the coordinator only takes the subscriptions for equal.
        subscribers = dict.fromkeys(target.subscribed[order[0]] if len(order) else (), order)
    else:
        lists: dict[int, list[int]] = {}
        for i in order.tolist():
            for rank in target.subscribed[i]:
                if rank in lists:
                    lists[rank].append(i)
                else:
                    lists[rank] = [i]
        subscribers = {rank: np.array(members, np.int64) for rank, members in lists.items()}
    return group.answer_by_topic(
        ranges(rank, int(group.counts[rank]), subscribers[rank]) for rank in sorted(subscribers)
    )
