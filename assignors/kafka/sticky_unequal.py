"""The sticky algorithm for unequal subscriptions (GeneralAssignmentBuilder): keep, give out, move until balanced.

Partitions are moved one by one until no move improves the balance (performReassignments); one that came from a member
goes back to it first (PartitionMovements).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heapreplace
from itertools import groupby

import numpy as np

from groupsim.assignors.errors import AssignorError
from groupsim.assignors.java.hash_order import CAPACITY, java_sorted, partition_hash, string_hash
from groupsim.assignors.kafka.prior_ownership import PriorOwnership
from groupsim.assignors.kafka.racks import Racks
from groupsim.assignors.kafka.sticky_equal import unassigned
from groupsim.assignors.metrics import balance
from groupsim.assignors.partition_array import NUMBER, TOPIC_SHIFT, Codes
from groupsim.assignors.problem import Group

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


NULL = 'Cannot invoke "java.util.List.{}" because the return value of "java.util.Map.get(Object)" is null'


def imbalance(sizes: Sequence[int]) -> int:
    """KIP-54's balance score as a Java int, which may overflow (getBalanceScore)."""
    return (balance(sizes) + (1 << 31)) % (1 << 32) - (1 << 31)


class Reassignment:
    """The state of one assignment: lists[i] are the codes of group.members[i], owner[code] who has it.

    subscribers[rank] are the members of a topic, topics[i] the topics of a member; `aside`: members that take no part.
    """

    def __init__(self, group: Group, prior: PriorOwnership, racks: Racks | None) -> None:
        self.group = group
        self.racks = racks
        self.odd = False
        self.aside: frozenset[int] = frozenset()
        self.lists: list[list[int]] = [[] for _ in group.members]
        self.owner: dict[int, int] = {}
        self.subscribers: list[list[int]] = [[] for _ in group.names]
        self.topics: list[set[int]] = []
        self.most: list[int] = []
        self._subscribe()
        self.place = np.argsort(np.array(group.by_id(), np.int64))
        self._place: list[int] = self.place.tolist()
        self.previous = _previous(group, prior)
        self.movements = Movements([string_hash(name) for name in group.names])

    def _subscribe(self) -> None:
        counts, total = self.group.counts.tolist(), int(self.group.counts.sum())
        known = sum(count > 0 for count in counts)
        for i, member in enumerate(self.group.members):
            ranks = [rank for rank in map(self.group.rank.__getitem__, member.topics) if counts[rank]]
            for rank in ranks:
                self.subscribers[rank].append(i)
            self.topics.append(set(ranks))
            self.most.append(total if len(ranks) == known else sum(counts[rank] for rank in ranks))

    def key(self, i: int) -> int:
        """Sorts members by size, then by id (SubscriptionComparator)."""
        return len(self.lists[i]) * len(self.lists) + self._place[i]

    def distinct(self, code: int) -> list[int]:
        """Who may have this partition."""
        return list(dict.fromkeys(self.subscribers[code >> TOPIC_SHIFT]))

    def give(self, code: int, i: int) -> None:
        """Give out a partition that nobody has."""
        self.lists[i].append(code)
        self.owner[code] = i

    def set_aside(self, fixed: list[int]) -> None:
        """These members keep what they have and are ignored from now on."""
        self.aside = frozenset(fixed)

    def active_sizes(self) -> list[int]:
        """Sizes of the members that take part."""
        return [len(codes) for i, codes in enumerate(self.lists) if i not in self.aside]

    def perform(self, codes: list[int]) -> bool:
        """Pass over the partitions until a pass moves nothing; True if anything moved (performReassignments)."""
        plain = not self.odd and not self.previous
        performed = False
        while self._pass_by_topic(codes) if plain else self._pass(codes):
            performed = True
        return performed

    def _pass_by_topic(self, codes: list[int]) -> bool:
        """One pass where only subscribers hold partitions, each one once.

        Kafka asks before every partition whether the group is balanced, which here means exactly that no partition
        can be moved: passing on without asking moves the same partitions.
        """
        sizes = np.array([len(held) for held in self.lists], np.int64)
        moved = False
        for rank, group in groupby(codes, key=lambda code: code >> TOPIC_SHIFT):
            moved |= self._pass_topic(rank, np.array(list(group), np.int64), sizes)
        return moved

    def _pass_topic(self, rank: int, codes: Codes, sizes: Codes) -> bool:
        takers = np.array(self.subscribers[rank], np.int64)
        places = self.place[takers]
        owners = np.array([self.owner[code] for code in codes.tolist()], np.int64)
        where = {code: k for k, code in enumerate(codes.tolist())}
        start, moved = 0, False
        while start < len(codes):
            loads = sizes[takers]
            best = int(np.argmin(loads * len(sizes) + places))
            heavy = sizes[owners[start:]] > loads[best] + 1
            k = int(np.argmax(heavy))
            if not heavy[k]:
                break
            taker = int(takers[best])
            code, giver = self._move_like(int(codes[start + k]), taker)
            sizes[giver] -= 1
            sizes[taker] += 1
            if code in where:
                owners[where[code]] = taker
            start += k + 1
            moved = True
        return moved

    def _pass(self, codes: list[int]) -> bool:
        """One pass as Java makes it, for older generations, phantom partitions and partitions with two owners."""
        moved = False
        balanced = bool(codes) and self._balanced()
        for code in codes:
            if balanced:
                break
            owner = self.owner[code]
            if code in self.previous and self._size(owner) > self._size(self.previous[code]) + 1:
                self._move_like(code, self.previous[code])
            elif self._improvable(code, owner):
                self._move_like(code, min((i for i in self.distinct(code) if i not in self.aside), key=self.key))
            else:
                continue
            moved = True
            balanced = self._balanced()
        return moved

    def _improvable(self, code: int, owner: int) -> bool:
        """Whether some subscriber has at least two less; members near the partition are asked first, as in Java."""
        takers = self.distinct(code)
        if self.racks and self.racks.near(owner, code):
            near = [i for i in takers if self.racks.near(i, code)]
            takers = near + takers
        return any(self._size(owner) > self._size(i) + 1 for i in takers)

    def _size(self, i: int) -> int:
        if i in self.aside:
            raise AssignorError("java.lang.NullPointerException", NULL.format("size()"))
        return len(self.lists[i])

    def _move_like(self, code: int, taker: int) -> tuple[int, int]:
        """Move this partition, or one of its topic that came from there; what moved and who gave it."""
        rank = code >> TOPIC_SHIFT
        code = self.movements.actual(rank, code, self.owner[code], taker)
        giver = self.owner[code]
        self.movements.record(rank, code, giver, taker)
        if giver in self.aside:
            raise AssignorError("java.lang.NullPointerException", NULL.format("remove(Object)"))
        if code in self.lists[giver]:
            self.lists[giver].remove(code)
        self.lists[taker].append(code)
        self.owner[code] = taker
        return code, giver

    def _balanced(self) -> bool:
        """isBalanced: sizes differ by one at most, or no member could get a partition from one with two more."""
        active = [i for i in range(len(self.lists)) if i not in self.aside]
        if not active:
            raise AssignorError("java.util.NoSuchElementException", "null")
        sizes = [len(self.lists[i]) for i in active]
        if min(sizes) >= max(sizes) - 1:
            return True
        holder = {code: i for i in active for code in self.lists[i]}
        wanting = [i for i in sorted(active, key=self.key) if len(self.lists[i]) != self.most[i]]
        if self.odd:
            return not any(self._could_get_more(i, holder) for i in wanting)
        heaviest: dict[int, int] = {}
        for code, i in holder.items():
            rank = code >> TOPIC_SHIFT
            heaviest[rank] = max(heaviest.get(rank, 0), len(self.lists[i]))
        return not any(len(self.lists[i]) + 1 < heaviest.get(rank, 0) for i in wanting for rank in self.topics[i])

    def _could_get_more(self, i: int, holder: dict[int, int]) -> bool:
        """Whether a partition of the member's topics is with a member that has at least two more."""
        held = set(self.lists[i])
        for rank in dict.fromkeys(self.group.rank[topic] for topic in self.group.members[i].topics):
            for number in range(int(self.group.counts[rank])):
                code = rank << TOPIC_SHIFT | number
                if code in held:
                    continue
                if code not in holder:
                    raise AssignorError("java.lang.NullPointerException", NULL.format("size()"))
                if len(self.lists[i]) + 1 < len(self.lists[holder[code]]):
                    return True
        return False


def _previous(group: Group, prior: PriorOwnership) -> dict[int, int]:
    """By partition the latest owner of an older generation than the newest (updatePrevAssignment)."""
    generations = [member.generation for member in group.members]
    result: dict[int, int] = {}
    for owner, code in zip(prior.reported_owners.tolist(), prior.reported_codes.tolist(), strict=True):
        if generations[owner] < prior.newest_generation and (
            code not in result or generations[owner] > generations[result[code]]
        ):
            result[code] = owner
    return result


def assign_unequal(
    group: Group, prior: PriorOwnership, racks: Racks | None, kind: type[Reassignment] = Reassignment
) -> Reassignment:
    """The final state; its `lists` are in Kafka's order. AssignorError where Java throws.

    Defects of the original are kept: where members report an older generation, a partition may go to a member that
    does not subscribe to it, phantom partitions are kept, and a partition may be given twice.
    """
    state = kind(group, prior, racks)
    revoked = _keep_owned(state, prior, racks)
    order = [group.rank[name] for name in _topics_by_subscribers(state)]
    every, free, state.odd = _free_codes(state, order)
    initializing = not state.lists[max(range(len(group.members)), key=state.key)]
    _give_out(state, free, racks)
    fixed_topics = {rank for rank in order if len(state.subscribers[rank]) < 2}
    movable = [code for code in every if code >> TOPIC_SHIFT not in fixed_topics]
    fixed = [i for i in range(len(group.members)) if not _can_take_part(state, i)]
    state.set_aside(fixed)
    before = [list(codes) for codes in state.lists]
    if not revoked:
        state.perform([code for code in free if code >> TOPIC_SHIFT not in fixed_topics])
    performed = state.perform(movable)
    if (
        performed
        and not initializing
        and imbalance(state.active_sizes())
        >= imbalance([len(before[i]) for i in range(len(before)) if i not in state.aside])
    ):
        for i, codes in enumerate(before):
            if i not in state.aside:
                state.lists[i] = codes
    return state


def _topics_by_subscribers(state: Reassignment) -> list[str]:
    """Subscribed topics with metadata: fewest subscribers first, then by name (TopicComparator)."""
    group = state.group
    names = [group.names[rank] for rank in np.flatnonzero(group.counts).tolist()]
    return sorted(java_sorted(names), key=lambda name: len(state.subscribers[group.rank[name]]))


def _keep_owned(state: Reassignment, prior: PriorOwnership, racks: Racks | None) -> bool:
    """Fill the lists with what members still may have; True if somebody loses a partition (assignOwnedPartitions)."""
    revoked = False
    for owner, code in zip(prior.owners.tolist(), prior.codes.tolist(), strict=True):
        state.owner[code] = owner
        if code >> TOPIC_SHIFT not in state.topics[owner] or (racks and racks.mismatch(owner, code)):
            revoked = True
        else:
            state.lists[owner].append(code)
    return revoked


def _free_codes(state: Reassignment, order: list[int]) -> tuple[list[int], list[int], bool]:
    """All partitions in Kafka's order, those without owner, and whether the kept ones are odd (phantom or double)."""
    group = state.group
    place = np.zeros(len(group.names), np.int64)
    place[order] = np.arange(len(order))
    back = np.array(order, np.int64)

    def moved(codes: Codes, table: Codes) -> Codes:
        result: Codes = table[codes >> TOPIC_SHIFT] << TOPIC_SHIFT | (codes & NUMBER)
        return result

    every = np.sort(moved(group.all_codes(), place))
    kept = moved(np.array([code for codes in state.lists for code in codes], np.int64), place)
    free = unassigned(every, kept)
    odd = len(every) - len(free) < len(kept)
    return moved(every, back).tolist(), moved(free, back).tolist(), odd


def _give_out(state: Reassignment, free: Iterable[int], racks: Racks | None) -> None:
    """Each partition to the subscriber that has least, near ones first where racks count (maybeAssign)."""
    if racks and racks.aware:
        left = []
        for code in free:
            near = [i for i in state.distinct(code) if not racks.mismatch(i, code)]
            if near:
                state.give(code, min(near, key=state.key))
            else:
                left.append(code)
        free = left
    topic = -1
    heap: list[tuple[int, int]] = []
    for code in free:
        if code >> TOPIC_SHIFT != topic:
            topic = code >> TOPIC_SHIFT
            heap = [(state.key(i), i) for i in state.distinct(code)]
            heapify(heap)
        if heap:
            i = heap[0][1]
            state.give(code, i)
            heapreplace(heap, (state.key(i), i))


def _can_take_part(state: Reassignment, i: int) -> bool:
    """canConsumerParticipateInReassignment: it lacks something it could have, or holds something others could."""
    if len(state.lists[i]) < state.most[i]:
        return True
    return any(len(state.subscribers[code >> TOPIC_SHIFT]) >= 2 for code in state.lists[i])
