"""The sticky algorithm for unequal subscriptions (GeneralAssignmentBuilder): keep, give out, move until balanced."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heapreplace

import numpy as np

from groupsim.assignors.java.hash_order import java_sorted
from groupsim.assignors.kafka.prior_ownership import PriorOwnership
from groupsim.assignors.kafka.racks import Racks
from groupsim.assignors.kafka.reassign import Reassignment, imbalance
from groupsim.assignors.kafka.sticky_equal import unassigned
from groupsim.assignors.partition_array import NUMBER, TOPIC_SHIFT, Codes
from groupsim.assignors.problem import Group


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
