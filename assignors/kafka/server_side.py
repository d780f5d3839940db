"""A problem as the group coordinator has it (KIP-848): topic ids instead of names, `owned` as the current target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from groupsim.assignors.errors import AssignorError, BadSpec
from groupsim.assignors.java.hash_order import CAPACITY, MASK, computed_order, hash_order, java_sorted, string_hashes
from groupsim.assignors.java.topic_ids import bits, hash_code, sort_key
from groupsim.assignors.partition_array import NUMBER, TOPIC_SHIFT, Codes, flatten
from groupsim.assignors.problem import Group
from groupsim.assignors.spec import Answer, Spec


@dataclass(frozen=True, slots=True)
class Target:
    """`codes[i]`: the distinct partitions of group.members[i] before, in the given order; `subscribed[i]`: ranks.

    `hashes[rank]` is the hash code of the topic's id, `places[rank]` sorts topics as their ids sort.
    `flat`: all of `codes` after the position of each one's member.
    """

    group: Group
    hashes: list[int]
    places: list[int]
    subscribed: list[tuple[int, ...]]
    codes: list[Codes]
    flat: tuple[Codes, Codes]
    homogeneous: bool

    @staticmethod
    def of(spec: Spec) -> Target:
        """AssignorError `skipped` if a partition has two owners: the coordinator never has such a target."""
        group = Group.of(spec)
        codes = group.all_owned_codes()
        flat = flatten(codes)
        if not _differ(flat[1]):
            codes = [np.array(list(dict.fromkeys(mine.tolist())), np.int64) for mine in codes]
            flat = flatten(codes)
            if not _differ(flat[1]):
                raise AssignorError("skipped", "a partition has two owners")
        ids = id_bits(group, flat[1])
        ranks: dict[tuple[str, ...], tuple[int, ...]] = {}
        for topics in dict.fromkeys(member.topics for member in group.members):
            ranks[topics] = tuple(
                dict.fromkeys(rank for rank in map(group.rank.__getitem__, topics) if group.counts[rank])
            )
        everything = frozenset(topic for topics in ranks for topic in topics)
        same = spec.equal_subscriptions
        if same is None:
            same = all(everything.issubset(topics) for topics in ranks)
        subscribed = [ranks[member.topics] for member in group.members]
        hashes, places = list(map(hash_code, ids)), list(map(sort_key, ids))
        return Target(group, hashes, places, subscribed, codes, flat, same)

    def first_topics(self) -> list[int]:
        """The ranks of the first member's topics, in the order of its set of topic ids."""
        return first_topics(self.group, self.hashes, self.subscribed[0])

    def owned(self, i: int) -> dict[int, list[int]]:
        """What group.members[i] had: rank -> numbers, in the order of the coordinator's maps."""
        return in_map_order(self.group, self.hashes, self.codes[i])


def first_topics(group: Group, hashes: Sequence[int], subscribed: Sequence[int]) -> list[int]:
    """The ranks of the first member's topics, as `new HashSet<>(subscribedTopicIds)` iterates over them.

    The set to be copied counts topics that do not exist too.
    """
    ranks = topics_by_name(group, subscribed)
    size = len(set(group.members[0].topics)) if group.spec.topic_ids else len(subscribed)
    return [ranks[i] for i in hash_order([hashes[rank] for rank in ranks], _copied_capacity(size))]


def topics_by_name(group: Group, subscribed: Sequence[int]) -> list[int]:
    """The same, as the coordinator's `subscribedTopicIds` itself iterates: as the member's set of names does."""
    if not group.spec.topic_ids:
        return list(subscribed)
    topics = group.members[0].topics
    names = list(dict.fromkeys(topics))
    order = hash_order(string_hashes(names), _copied_capacity(len(topics)))
    return [rank for rank in (group.rank[names[i]] for i in order) if group.counts[rank]]


def in_map_order(group: Group, hashes: Sequence[int], codes: Codes) -> dict[int, list[int]]:
    """Distinct partitions of one member: rank -> numbers, as a HashMap of topic ids to HashSets of numbers iterates.

    Both are filled in the given order: by computeIfAbsent and add or, where the coordinator gives topic ids, as
    Assignment.fromRecord does, by put and by copying a list. In one bin, the number given first comes first.
    """
    by_topic: dict[int, list[int]] = {}
    growing = False
    for code in codes.tolist():
        growing = code >> TOPIC_SHIFT not in by_topic
        by_topic.setdefault(code >> TOPIC_SHIFT, []).append(code & NUMBER)
    ranks = list(by_topic)
    in_order = [hashes[rank] for rank in ranks]
    recorded = bool(group.spec.topic_ids)
    result: dict[int, list[int]] = {}
    for k in hash_order(in_order) if recorded else computed_order(in_order, growing):
        numbers = by_topic[ranks[k]]
        capacity = _copied_capacity(len(numbers)) if recorded else CAPACITY
        result[ranks[k]] = [numbers[at] for at in hash_order([number & MASK for number in numbers], capacity)]
    return result


def _differ(codes: Codes) -> bool:
    """Whether no partition stands twice among them."""
    ordered = np.sort(codes)
    return bool((ordered[1:] != ordered[:-1]).all())


def id_bits(group: Group, owned: Codes) -> list[int]:
    """The 128 bits of each topic's id by rank; without given ids Uuid(1, k), k counting the sorted names from 1."""
    given = group.spec.topic_ids
    result = [0] * len(group.names)
    if given:
        for rank, name in enumerate(group.names):
            if name in given:
                try:
                    result[rank] = bits(given[name])
                except ValueError as error:
                    raise BadSpec(f"topic {name!r}: {error}") from None
        return result
    known = java_sorted({*group.spec.partitions, *(group.names[r] for r in np.unique(owned >> TOPIC_SHIFT).tolist())})
    for k, name in enumerate(known, start=1):
        result[group.rank[name]] = 1 << 64 | k
    return result


def answer(target: Target, owners: Codes, codes: Codes) -> Answer:
    """codes[i] goes to group.members[owners[i]]; each list is sorted, since the server's assignors return sets."""
    order = np.argsort(codes)
    return target.group.answer(owners[order], codes[order])


def _copied_capacity(size: int) -> int:
    """The table of `new HashSet<>(collection)`: a power of two above size / 0.75 + 1, at least 16."""
    wanted = max(int(size / 0.75) + 1, 16)
    return 1 << (wanted - 1).bit_length()
