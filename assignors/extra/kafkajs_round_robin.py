"""RoundRobinAssigner: what KafkaJS has instead of Kafka's assignors (assigners/roundRobinAssigner/index.js)."""

from __future__ import annotations

import numpy as np

from groupsim.assignors.partition_array import TOPIC_SHIFT
from groupsim.assignors.problem import Group
from groupsim.assignors.spec import Answer, Spec


def kafkajs_round_robin(spec: Spec) -> Answer:
    """All partitions in a circle to all members, sorted by id, whatever each of them subscribes to.

    KafkaJS gives out the leader's topics, in the order in which it subscribed to them; here these are the topics of all
    members, by name. A member skips what it does not subscribe to (consumerGroup.js: SYNC), so nobody reads that.
    """
    group = Group.of(spec)
    circle = np.array(group.by_id(), np.int64)
    ranks = np.repeat(np.arange(len(group.names), dtype=np.int64), group.counts)
    codes = [np.arange(int(count), dtype=np.int64) for count in group.counts]
    numbers = np.concatenate(codes) if codes else np.array([], np.int64)
    owners = circle[np.arange(len(ranks)) % len(circle)] if len(circle) else np.array([], np.int64)
    return group.answer(owners, ranks << TOPIC_SHIFT | numbers)
