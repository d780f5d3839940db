"""The moves of a reassignment so far: a partition that came from a member goes back to it first."""

from __future__ import annotations

from groupsim.assignors.java.hash_order import CAPACITY, partition_hash
from groupsim.assignors.partition_array import NUMBER

Pair = tuple[int, int]


class _HashSet:
    """The first element of a Java HashSet of partitions of one topic; its table grows and never shrinks."""

    __slots__ = ("_capacity", "_items")

    def __init__(self) -> None:
        self._items: dict[int, int] = {}
        self._capacity = CAPACITY

    def add(self, code: int, spread: int) -> None:
        self._items[code] = spread
        if len(self._items) > 0.75 * self._capacity:
            self._capacity *= 2

    def remove(self, code: int) -> bool:
        """True when nothing is left."""
        del self._items[code]
        return not self._items

    def first(self) -> int:
        mask = self._capacity - 1
        return min(self._items, key=lambda code: self._items[code] & mask)


class Movements:
    """AbstractStickyAssignor.PartitionMovements for members as positions and partitions as codes of one topic each."""

    def __init__(self, topic_hashes: list[int]) -> None:
        self._topic_hashes = topic_hashes
        self._by_topic: dict[int, dict[Pair, _HashSet]] = {}
        self._pairs: dict[int, Pair] = {}

    def actual(self, topic: int, code: int, giver: int, taker: int) -> int:
        """Which partition of the topic to move instead: one that came from `taker` before, if any."""
        moves = self._by_topic.get(topic)
        if moves is None:
            return code
        if code in self._pairs:
            giver = self._pairs[code][0]
        back = moves.get((taker, giver))
        return code if back is None else back.first()

    def record(self, topic: int, code: int, giver: int, taker: int) -> None:
        """A partition moved; two moves of one partition count as one, there and back as none."""
        if code in self._pairs:
            source = self._forget(topic, code)
            if source != taker:
                self._add(topic, code, (source, taker))
        else:
            self._add(topic, code, (giver, taker))

    def _add(self, topic: int, code: int, pair: Pair) -> None:
        self._pairs[code] = pair
        h = partition_hash(self._topic_hashes[topic], code & NUMBER)
        self._by_topic.setdefault(topic, {}).setdefault(pair, _HashSet()).add(code, h ^ (h >> 16))

    def _forget(self, topic: int, code: int) -> int:
        pair = self._pairs.pop(code)
        moves = self._by_topic[topic]
        if moves[pair].remove(code):
            del moves[pair]
        if not moves:
            del self._by_topic[topic]
        return pair[0]
