"""uniform for unequal subscriptions (UniformHeterogeneousAssignmentBuilder): give out, then balance topic by topic."""

from __future__ import annotations

from groupsim.assignors.errors import AssignorError
from groupsim.assignors.kafka.server_side import Target

ROUNDS = 16
"""Kafka stops after so many passes over the topics (MAX_ITERATION_COUNT)."""


def assign_heterogeneous(target: Target) -> list[dict[int, set[int]]]:
    """Topic ranks and partition numbers of each of target.group.members. AssignorError where Java throws."""
    return _TargetBuilder(target).build()


class MemberBalancer:
    """Subscribers of one topic sorted by size; the least and most loaded ranges grow towards each other.

    Kafka: MemberAssignmentBalancer. `sizes` is shared with the builder and changes while partitions move.
    """

    def __init__(self, sizes: list[int], members: list[int]) -> None:
        self.sizes = sizes
        self.members = sorted(members, key=lambda i: (sizes[i], i))
        self._low_end = 0
        self._low = sizes[self.members[0]] - 1
        self._next_low = 0
        self._high_start = self._high_end = len(self.members)
        self._high = sizes[self.members[-1]] + 1
        self._next_high = len(self.members) - 1

    def spread(self) -> int:
        """Largest minus smallest size, before anything moves."""
        return self.sizes[self.members[-1]] - self.sizes[self.members[0]]

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
                self.subscribers.setdefault(rank, []).append(i)
        self.owners = {rank: [-1] * int(counts[rank]) for rank in self.subscribers}
        self.sizes = [0] * len(target.subscribed)
        self.sets: list[dict[int, set[int]]] = [{} for _ in target.subscribed]

    def build(self) -> list[dict[int, set[int]]]:
        """Keep, give out, balance."""
        self._keep()
        for rank in self._sorted(list(self.subscribers)):
            free = [number for number, owner in enumerate(self.owners[rank]) if owner == -1]
            if free:
                balancer = MemberBalancer(self.sizes, self.subscribers[rank])
                for number in free:
                    self._assign(rank, number, balancer.least())
        self._balance_topics(self._sorted([rank for rank, members in self.subscribers.items() if len(members) > 1]))
        return self.sets

    def _sorted(self, ranks: list[int]) -> list[int]:
        """Most partitions per subscriber first, then fewest subscribers, then topic id."""

        def key(rank: int) -> tuple[float, int, int]:
            members = len(self.subscribers[rank])
            return -(len(self.owners[rank]) / members), members, self.target.places[rank]

        return sorted(ranks, key=key)

    def _keep(self) -> None:
        for i in range(len(self.sets)):
            for rank, numbers in self.target.owned(i).items():
                if rank not in self.target.subscribed[i]:
                    continue
                self.sizes[i] += len(numbers)
                owners = self.owners[rank]
                for number in numbers:
                    if number >= len(owners):
                        message = f"Index {number} out of bounds for length {len(owners)}"
                        raise AssignorError("java.lang.ArrayIndexOutOfBoundsException", message)
                    owners[number] = i
                self.sets[i][rank] = set(numbers)

    def _assign(self, rank: int, number: int, i: int) -> None:
        before = self.owners[rank][number]
        if before != -1:
            self.sets[before][rank].discard(number)
            self.sizes[before] -= 1
        self.sets[i].setdefault(rank, set()).add(number)
        self.owners[rank][number] = i
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
        balancer = MemberBalancer(self.sizes, self.subscribers[rank])
        if balancer.spread() <= 1:
            return 0
        stock: dict[int, list[int]] = {}
        for number, owner in enumerate(self.owners[rank]):
            stock.setdefault(owner, []).append(number)
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
