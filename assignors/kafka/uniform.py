"""uniform: the server's default (KIP-848), for equal subscriptions; unequal ones go to `uniform_heterogeneous`.

Two editions: Kafka 4.0 gives the partitions that do not divide evenly to the first members, whoever had them before;
since 4.1 (KAFKA-18688) members that have one more keep it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from groupsim.assignors.errors import AssignorError
from groupsim.assignors.kafka.server_side import Target, answer
from groupsim.assignors.kafka.uniform_heterogeneous import assign_heterogeneous
from groupsim.assignors.partition_array import NUMBER, TOPIC_SHIFT, Codes, code_of
from groupsim.assignors.spec import Answer, Spec

REFUSED = "org.apache.kafka.coordinator.group.api.assignor.PartitionAssignorException"
Quotas = Callable[[Codes, int, int], Codes]
"""How many partitions each member may have, from how many it has, the least each gets, and how many get one more."""


def uniform(spec: Spec) -> Answer:
    """UniformAssignor of Kafka 4.0 over the previous target (`Member.owned`). Lists are sorted: Kafka returns sets.

    AssignorError where Java throws, as after a topic was recreated with fewer partitions.
    """
    return _assign(Target.of(spec), _first_members_get_one_more)


def uniform_4_1(spec: Spec) -> Answer:
    """UniformAssignor of Kafka 4.1 to 4.4 (KAFKA-18688): as `uniform`, but who has one more than others keeps it."""
    return _assign(Target.of(spec), _owners_keep_one_more)


def _assign(target: Target, quotas: Quotas) -> Answer:
    if not target.group.members or not any(target.subscribed):
        return {member.id: () for member in target.group.members}
    if target.homogeneous and not target.subscribed[0]:
        # The coordinator says that all subscriptions are equal, and the first one is of no topic.
        return {member.id: () for member in target.group.members}
    if target.homogeneous:
        return _assign_homogeneous(target, quotas)
    return answer(target, *assign_heterogeneous(target))


def _first_members_get_one_more(owned: Codes, share: int, extra: int) -> Codes:
    """Kafka 4.0: the first `extra` members in map order."""
    return share + (np.arange(len(owned)) < extra)


def _owners_keep_one_more(owned: Codes, share: int, extra: int) -> Codes:
    """Since Kafka 4.1: members that have more than `share`, in map order; the last members where these are too few."""
    more = owned > share
    left = extra - (np.cumsum(more) - more)
    gets = more & (left > 0)
    last = len(owned) - np.arange(len(owned)) <= left
    if last.any():
        gets[int(last.argmax()) :] = True
    return share + gets


def _assign_homogeneous(target: Target, quotas: Quotas) -> Answer:
    """UniformHomogeneousAssignmentBuilder.build: keep up to the quota, then deal what is free in map order."""
    group = target.group
    ranks = list(target.subscribed[0])
    mine = np.zeros(len(group.names), np.bool_)
    mine[ranks] = True
    owners, codes = target.flat
    wanted = mine[codes >> TOPIC_SHIFT]
    free = _free(target, codes[wanted])
    owners, codes = owners[wanted], codes[wanted]
    owned = np.bincount(owners, minlength=len(group.members))
    quota = quotas(owned, *divmod(int(group.counts[ranks].sum()), len(group.members)))
    revoked: list[int] = []
    for i in np.flatnonzero(owned > quota).tolist():
        numbers = [code_of(rank, number) for rank, held in target.owned(i).items() if mine[rank] for number in held]
        revoked += numbers[quota[i] :]
    if revoked:
        keeps = ~np.isin(codes, revoked)
        owners, codes = owners[keeps], codes[keeps]
        free = np.concatenate([free, np.array(revoked, np.int64)])
    takers = np.repeat(np.arange(len(group.members)), np.maximum(quota - owned, 0))
    if len(free) > len(takers):
        raise AssignorError(REFUSED, "Partitions were left unassigned")
    return answer(target, np.concatenate([owners, takers[: len(free)]]), np.concatenate([codes, free]))


def _free(target: Target, held: Codes) -> Codes:
    """Partitions that nobody had, topic by topic in the order of the set of topic ids. `held`: of these topics."""
    group = target.group
    known = held[group.exists(held)]
    free = np.ones(int(group.counts.sum()), np.bool_)
    starts = group.starts
    free[starts[known >> TOPIC_SHIFT] + (known & NUMBER)] = False
    topics = target.first_topics()
    place = np.zeros(len(group.names), np.int64)
    place[topics] = np.arange(1, len(topics) + 1)
    slots = np.flatnonzero(free)
    ranks = np.searchsorted(np.cumsum(group.counts), slots, "right")
    codes = ranks << TOPIC_SHIFT | slots - starts[ranks]
    wanted = place[ranks] > 0
    codes, places = codes[wanted], place[ranks][wanted]
    dealt: Codes = codes[np.argsort(places, kind="stable")]
    return dealt
