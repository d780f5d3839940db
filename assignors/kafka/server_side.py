"""A problem as the group coordinator has it (KIP-848): topic ids instead of names, `owned` as the current target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from groupsim.assignors.errors import AssignorError
from groupsim.assignors.java.hash_order import CAPACITY, MASK, computed_order, hash_order, java_sorted
from groupsim.assignors.partition_array import NUMBER, TOPIC_SHIFT, Codes, flatten
from groupsim.assignors.problem import Group
from groupsim.assignors.spec import Answer, Spec


@dataclass(frozen=True, slots=True)
class Target:
    """`owned[i]`: rank -> numbers of group.members[i], both in Java's order of iteration; `subscribed[i]`: ranks.

    `uuid[rank]` is the hash code of the topic's id: ids are Uuid(1, k), k counting the sorted topic names from 1.
    """

    group: Group
    uuid: list[int]
    subscribed: list[tuple[int, ...]]
    owned: list[dict[int, list[int]]]
    homogeneous: bool

    @staticmethod
    def of(spec: Spec) -> Target:
        """AssignorError `skipped` if a partition has two owners: the coordinator never has such a target."""
        group = Group.of(spec)
        codes = [group.owned_codes(member) for member in group.members]
        _, owned = flatten([np.unique(mine) for mine in codes])
        if len(np.unique(owned)) != len(owned):
            raise AssignorError("skipped", "a partition has two owners")
        known = java_sorted({*spec.partitions, *(group.names[r] for r in np.unique(owned >> TOPIC_SHIFT).tolist())})
        uuid = [0] * len(group.names)
        for k, name in enumerate(known, start=1):
            uuid[group.rank[name]] = 1 ^ k
        subscribed = [
            tuple(dict.fromkeys(rank for rank in map(group.rank.__getitem__, member.topics) if group.counts[rank]))
            for member in group.members
        ]
        everything = frozenset(topic for member in group.members for topic in member.topics)
        same = all(everything.issubset(member.topics) for member in group.members)
        return Target(group, uuid, subscribed, [_owned(uuid, mine) for mine in codes], same)

    def in_set_order(self, ranks: list[int], capacity: int = CAPACITY) -> list[int]:
        """Topics as a HashSet of their ids iterates, filled in the given order."""
        return [ranks[i] for i in hash_order([self.uuid[rank] for rank in ranks], capacity)]

    def answer(self, sets: list[dict[int, set[int]]]) -> Answer:
        """Each member's partitions, sorted: the server's assignors return sets."""
        return self.group.answer_of(
            [
                sorted(rank << TOPIC_SHIFT | number for rank, numbers in mine.items() for number in numbers)
                for mine in sets
            ]
        )


def _owned(uuid: list[int], codes: Codes) -> dict[int, list[int]]:
    """A HashMap of topic ids to HashSets of numbers, filled in the given order, as both iterate."""
    by_topic: dict[int, dict[int, None]] = {}
    growing = False
    for code in codes.tolist():
        growing = code >> TOPIC_SHIFT not in by_topic
        by_topic.setdefault(code >> TOPIC_SHIFT, {})[code & NUMBER] = None
    ranks = list(by_topic)
    result: dict[int, list[int]] = {}
    for k in computed_order([uuid[rank] for rank in ranks], growing):
        numbers = list(by_topic[ranks[k]])
        result[ranks[k]] = [numbers[i] for i in hash_order([number & MASK for number in numbers])]
    return result
