"""sticky-stream-join (KIP-315, never shipped): number p of all topics goes to one member, and stays there if it can."""

from __future__ import annotations

import numpy as np

from groupsim.assignors.partition_array import NUMBER, TOPIC_SHIFT
from groupsim.assignors.problem import Group
from groupsim.assignors.spec import Answer, Spec


def sticky_stream_join(spec: Spec) -> Answer:
    """KIP-315. `Member.owned` carries the numbers a member had (of whatever topic), `generation` is its epoch.

    Numbers below the least partition count of the group's topics are given out, one by one and evenly; the others stay
    unassigned on purpose, and so does a topic's number at a member that does not subscribe to the topic. Left open
    by the KIP and decided here: topics without metadata don't count, members without any topic take no number, a
    number reported twice in one epoch stays with the first member by id.
    """
    group = Group.of(spec)
    topics = {
        i: [rank for rank in sorted({group.rank[t] for t in member.topics}) if group.counts[rank]]
        for i, member in enumerate(group.members)
    }
    takers = [i for i in group.by_id() if topics[i]]
    eligible = int(group.counts[group.counts > 0].min()) if takers else 0
    taken = _choose(takers, _previous(group, takers, eligible), eligible)
    owners: list[int] = []
    codes: list[int] = []
    for i, numbers in taken.items():
        for number in sorted(numbers):
            codes.extend(rank << TOPIC_SHIFT | number for rank in topics[i])
            owners.extend([i] * len(topics[i]))
    return group.answer(np.array(owners, np.int64), np.array(codes, np.int64))


def _previous(group: Group, takers: list[int], eligible: int) -> dict[int, list[int]]:
    """Numbers each member had, lowest first; the higher epoch wins, then the first member by id."""
    owner: dict[int, int] = {}
    for i in takers:
        for number in np.unique(group.owned_codes(group.members[i]) & NUMBER).tolist():
            if number < eligible and (
                number not in owner or group.members[i].generation > group.members[owner[number]].generation
            ):
                owner[number] = i
    result: dict[int, list[int]] = {i: [] for i in takers}
    for number in sorted(owner):
        result[owner[number]].append(number)
    return result


def _choose(takers: list[int], own: dict[int, list[int]], eligible: int) -> dict[int, list[int]]:
    """Round after round everybody takes a number: one it had, else one nobody had, else one of the longest list.

    Within a round those who have most of their own left choose first, so the last, partial round favours them.
    """
    unowned = sorted(set(range(eligible)).difference(*own.values()))
    seat = {i: k for k, i in enumerate(takers)}
    taken: dict[int, list[int]] = {i: [] for i in takers}
    left = eligible
    while left:
        for i in sorted(takers, key=lambda i: (-len(own[i]), seat[i]))[:left]:
            if own[i]:
                number = own[i].pop(0)
            elif unowned:
                number = unowned.pop(0)
            else:
                longest = max(takers, key=lambda j: (len(own[j]), -seat[j]))
                number = own[longest].pop()
            taken[i].append(number)
        left -= min(left, len(takers))
    return taken
