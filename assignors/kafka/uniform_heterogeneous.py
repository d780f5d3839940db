"""uniform for unequal subscriptions (UniformHeterogeneousAssignmentBuilder): give out, then balance topic by topic."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from groupsim.assignors.errors import AssignorError
from groupsim.assignors.kafka.server_side import Target
from groupsim.assignors.partition_array import NUMBER, TOPIC_SHIFT, Codes, flatten

ROUNDS = 16
"""Kafka stops after so many passes over the topics (MAX_ITERATION_COUNT)."""


def assign_heterogeneous(target: Target) -> tuple[Codes, Codes]:
    """For every partition the position of its owner in target.group.members, and the partition.

    AssignorError where Java throws.
    """
    return _TargetBuilder(target).build()


class MemberBalancer:
    """Subscribers of one topic (ascending) sorted by size; the least and most loaded ranges grow towards each other.

    Kafka: MemberAssignmentBalancer. `sizes` is shared with the builder and changes while partitions move.
    """

    def __init__(self, sizes: list[int], members: list[int]) -> None:
        self.sizes = sizes
        self.members = sorted(members, key=sizes.__getitem__)
        self._low_end = 0
        self._low = sizes[self.members[0]] - 1
        self._next_low = 0
        self._high_start = self._high_end = len(self.members)
        self._high = sizes[self.members[-1]] + 1
        self._next_high = len(self.members) - 1

    def least(self) -> int:
        """The next member to get a partition."""
        if self._next_low >= self._low_end:
            self._low += 1
            while self._low_end < len(self.members) and self.sizes[self.members[self._low_end]] == self._low:
                self._low_end += 1
            self._next_low = 0
        self._next_low += 1
        return self.members[self._next_low - 1]

    def most(self) -> int:
        """The next member to give a partition, -1 when nobody is left."""
        if self._next_high < self._high_start:
            if self._high_end <= self._high_start and self._high_start > 0:
                self._high = self.sizes[self.members[self._high_start - 1]]
            else:
                self._high -= 1
            while self._high_start > 0 and self.sizes[self.members[self._high_start - 1]] == self._high:
                self._high_start -= 1
            self._next_high = self._high_end - 1
        if self._next_high < 0:
            return -1
        self._next_high -= 1
        return self.members[self._next_high + 1]

    def exclude(self) -> None:
        """The member `most` named last has nothing to give."""
        at, last = self._next_high + 1, self._high_end - 1
        self.members[at], self.members[last] = self.members[last], self.members[at]
        self._high_end -= 1

    def balanced(self) -> bool:
        """Both ranges have met."""
        return self._high - self._low <= 1


class _TargetBuilder:
    """The target being built: owners[rank][number] is a position in the group, -1 nobody."""

    def __init__(self, target: Target) -> None:
        self.target = target
        counts = target.group.counts
        self.subscribers: dict[int, list[int]] = {}
        for i, ranks in enumerate(target.subscribed):
            for rank in ranks:
                if rank in self.subscribers:
                    self.subscribers[rank].append(i)
                else:
                    self.subscribers[rank] = [i]
        self.owners = {rank: [-1] * int(counts[rank]) for rank in self.subscribers}
        self.sizes = [0] * len(target.subscribed)

    def build(self) -> tuple[Codes, Codes]:
        """Keep, give out, balance; then the position of each partition's owner, and the partition."""
        self._keep()
        for rank in self._sorted(list(self.subscribers)):
            owners = self.owners[rank]
            if -1 in owners:
                balancer = MemberBalancer(self.sizes, self.subscribers[rank])
                for number, owner in enumerate(owners):
                    if owner == -1:
                        self._assign(rank, number, balancer.least())
        self._balance_topics(self._sorted([rank for rank, members in self.subscribers.items() if len(members) > 1]))
        _, owners_of_all = flatten([np.array(owners, np.int64) for owners in self.owners.values()])
        _, codes = flatten([np.arange(len(numbers)) | rank << TOPIC_SHIFT for rank, numbers in self.owners.items()])
        return owners_of_all, codes

    def _sorted(self, ranks: list[int]) -> list[int]:
        """Most partitions per subscriber first, then fewest subscribers, then topic id."""

        def key(rank: int) -> tuple[float, int, int]:
            members = len(self.subscribers[rank])
            return -(len(self.owners[rank]) / members), members, self.target.places[rank]

        return sorted(ranks, key=key)

    def _keep(self) -> None:
        """Everybody keeps what is of topics they subscribe to. AssignorError for a number beyond the topic's count."""
        group = self.target.group
        owners, codes = self.target.flat
        topics = len(group.names)
        _, subscribed = flatten(
            [np.array(ranks, np.int64) + i * topics for i, ranks in enumerate(self.target.subscribed)]
        )
        kept = np.isin(owners * topics + (codes >> TOPIC_SHIFT), subscribed)
        owners, codes = owners[kept], codes[kept]
        beyond = ~group.exists(codes)
        if beyond.any():
            self._refuse(int(owners[beyond].min()))
        self.sizes = np.bincount(owners, minlength=len(self.sizes)).tolist()
        held = np.full(int(group.counts.sum()), -1, np.int64)
        starts = group.starts
        held[starts[codes >> TOPIC_SHIFT] + (codes & NUMBER)] = owners
        self.owners = {
            rank: held[starts[rank] : starts[rank] + group.counts[rank]].tolist() for rank in self.subscribers
        }

    def _refuse(self, i: int) -> NoReturn:
        """Java meets the first number beyond a topic's count as it iterates over what the member had."""
        for rank, numbers in self.target.owned(i).items():
            count = int(self.target.group.counts[rank])
            for number in numbers:
                if rank in self.target.subscribed[i] and number >= count:
                    message = f"Index {number} out of bounds for length {count}"
                    raise AssignorError("java.lang.ArrayIndexOutOfBoundsException", message)
        raise AssertionError("the member has no such partition")

    def _assign(self, rank: int, number: int, i: int) -> None:
        owners = self.owners[rank]
        if owners[number] != -1:
            self.sizes[owners[number]] -= 1
        owners[number] = i
        self.sizes[i] += 1

    def _balance_topics(self, ranks: list[int]) -> None:
        """Balance topic after topic until a whole round moves nothing (balanceTopics)."""
        last = -1
        for _ in range(ROUNDS):
            for k, rank in enumerate(ranks):
                if k == last:
                    return
                if self._balance_topic(rank) or last == -1:
                    last = k

    def _balance_topic(self, rank: int) -> int:
        """Move partitions of one topic from most to least loaded subscribers; how many (balanceTopic)."""
        sizes = [self.sizes[i] for i in self.subscribers[rank]]
        if max(sizes) - min(sizes) <= 1:
            return 0
        balancer = MemberBalancer(self.sizes, self.subscribers[rank])
        stock: dict[int, list[int]] = {}
        for number, owner in enumerate(self.owners[rank]):
            if owner in stock:
                stock[owner].append(number)
            else:
                stock[owner] = [number]
        moved = 0
        while not balancer.balanced():
            giver = balancer.most()
            while giver != -1 and not stock.get(giver):
                balancer.exclude()
                giver = balancer.most()
            if giver == -1:
                break
            number = stock[giver].pop()
            taker = balancer.least()
            if balancer.balanced():
                break
            self._assign(rank, number, taker)
            moved += 1
        return moved
