"""fairest-sticky (KIP-54's alternative, never built): valid owners keep everything, the rest is distributed evenly."""

from __future__ import annotations

import numpy as np

from groupsim.assignors.extra.optimal_sticky import network, valid_owners
from groupsim.assignors.partition_array import NUMBER, TOPIC_SHIFT
from groupsim.assignors.problem import Group
from groupsim.assignors.spec import Answer, Spec


def fairest_sticky(spec: Spec) -> Answer:
    """No partition with a valid previous owner moves; the others go where the sum of squared sizes stays least.

    Valid: the partition exists, the owner subscribes to it, and nobody reports it with the same or a higher
    generation. The solver of optimal-sticky gives out the rest; what members keep is their base load.
    """
    group = Group.of(spec)
    owners, codes = valid_owners(group)
    every = group.all_codes()
    free = np.ones(len(every), bool)
    free[group.starts[codes >> TOPIC_SHIFT] + (codes & NUMBER)] = False
    rest = every[free]
    base = np.bincount(owners, minlength=len(group.members)).astype(np.int64)
    counts = np.bincount(rest >> TOPIC_SHIFT, minlength=len(group.names)).astype(np.int64)
    net = network(group, owners[:0], codes[:0], base, counts)
    net.solve()
    takers = np.repeat(net.member, net.x)
    return group.answer(np.concatenate([owners, takers]), np.concatenate([codes, rest]))
