"""range: topic by topic, contiguous ranges over sorted members.

With racks (KIP-881) topics with the same members and partition count go together, near replicas first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from groupsim.assignors.kafka.racks import replica_racks, uses_racks
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
    if any(member.rack for member in group.members) and (near := _near_ranges(group, subscribers)):
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


class _Topic:
    """One topic while it is assigned: `left` are its unassigned partition numbers, `members` (sorted) may take them."""

    def __init__(self, group: Group, rank: int, members: Sequence[int]) -> None:
        count = int(group.counts[rank])
        self.rank = rank
        self.members = tuple(members)
        self.left = dict.fromkeys(range(count))
        self._racks = {i: group.members[i].rack or "" for i in members}
        known = {rack for rack in self._racks.values() if rack}
        self._replicas = replica_racks(group, rank) if known else []
        self.aware = uses_racks(known, self._replicas)
        self.together = tuple(self._racks.items()), len(self._replicas)
        self._taken = dict.fromkeys(members, 0)
        self._each, self._extra = divmod(count, len(members))

    def near(self, member: int, number: int) -> bool:
        """The member has no rack, or a replica of the partition is in its rack."""
        return not self._racks[member] or self._racks[member] in self._replicas[number]

    def room(self, member: int) -> int:
        """How many more partitions the member may take."""
        return max(0, self._each + (self._extra > 0) - self._taken[member])

    def take(self, member: int, numbers: Sequence[int]) -> None:
        """Give partitions to the member."""
        self._taken[member] += len(numbers)
        if self._taken[member] > self._each:
            self._extra -= 1
        for number in numbers:
            del self.left[number]


def _near_ranges(group: Group, subscribers: dict[str, list[int]]) -> tuple[Codes, Codes] | None:
    """Owners and codes, sorted by topic and number; None where racks decide nothing. `subscribers`: by topic."""
    topics = [_Topic(group, rank, subscribers[group.names[rank]]) for rank in group.java_topics()]
    if not any(topic.aware for topic in topics):
        return None
    taken: list[tuple[int, int]] = []
    together: dict[object, list[_Topic]] = {}
    for topic in topics:
        together.setdefault(topic.together, []).append(topic)
    for alike in together.values():
        if len(alike) > 1:
            taken.extend(_assign_together(alike))
        elif alike[0].aware:
            taken.extend(_assign_ranges(alike[0], near=True))
    for topic in topics:
        taken.extend(_assign_ranges(topic, near=False))
    taken.sort()
    codes = np.array([code for code, _ in taken], np.int64)
    return np.array([owner for _, owner in taken], np.int64), codes


def _assign_ranges(topic: _Topic, *, near: bool) -> Iterable[tuple[int, int]]:
    """Member after member takes what it may (assignRanges)."""
    for member in topic.members:
        if not topic.left:
            return
        numbers = [number for number in topic.left if not near or topic.near(member, number)][: topic.room(member)]
        if numbers:
            topic.take(member, numbers)
            yield from ((topic.rank << TOPIC_SHIFT | number, member) for number in numbers)


def _assign_together(topics: Sequence[_Topic]) -> Iterable[tuple[int, int]]:
    """Each number of all topics to the first member near all of its replicas (assignCoPartitionedWithRackMatching)."""
    remaining = dict.fromkeys(topics[0].members)
    for number in range(topics[0].together[1]):
        member = next((m for m in remaining if all(t.near(m, number) and t.room(m) > 0 for t in topics)), None)
        if member is None:
            continue
        for topic in topics:
            topic.take(member, [number])
            yield topic.rank << TOPIC_SHIFT | number, member
        if not any(topic.room(member) for topic in topics):
            del remaining[member]
            if not remaining:
                return
