"""A problem prepared for the algorithms: checked, members in Java's order, topics ranked by name, owned as codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from groupsim.assignors.errors import BadSpec
from groupsim.assignors.java.hash_order import java_sorted, string_order, string_set
from groupsim.assignors.partition_array import NUMBER, TOPIC_SHIFT, Codes, PartitionArray, flatten
from groupsim.assignors.spec import Member, Spec

NOTHING: Codes = np.empty(0, np.int64)
LARGEST_INT = (1 << 31) - 1
MOST_PARTITIONS = 20_000_000
"""More than any cluster has: a mistyped count must not fill the memory."""
RADIX = 1 << 16
"""Below so many owners a stable argsort is NumPy's radix sort, linear in the number of partitions."""


@dataclass(frozen=True, slots=True)
class Group:
    """`members` in the order in which Java's HashMap of subscriptions iterates; ranks index `names`.

    `counts[rank]` is the number of partitions of a *subscribed* topic, 0 for every other name.
    """

    spec: Spec
    members: tuple[Member, ...]
    names: tuple[str, ...]
    rank: dict[str, int]
    counts: Codes

    @staticmethod
    def of(spec: Spec) -> Group:
        """Check and prepare a problem. BadSpec names a duplicate member or an impossible number."""
        ids = [member.id for member in spec.members]
        _check(spec, ids)
        subscribed = dict.fromkeys(dict.fromkeys(member.topics for member in spec.members))
        wanted = {topic for topics in subscribed for topic in topics}
        names = tuple(java_sorted(wanted.union(spec.partitions, _owned_topics(spec.members))))
        counts = np.array([spec.partitions.get(name, 0) if name in wanted else 0 for name in names], np.int64)
        members = tuple(spec.members[i] for i in string_order(ids))
        return Group(spec, members, names, {name: i for i, name in enumerate(names)}, counts)

    @property
    def starts(self) -> Codes:
        """Where each topic's partitions begin when all are counted through, sorted by topic and number."""
        return np.cumsum(self.counts) - self.counts

    def java_topics(self) -> list[int]:
        """Ranks of subscribed topics with metadata, in the order of Kafka's `partitionsPerTopic`.

        AbstractPartitionAssignor.assign: a HashSet filled member by member, then a HashMap filled from that set.
        """
        distinct = dict.fromkeys(member.topics for member in self.members)
        topics_in_order = string_set(topic for topics in distinct for topic in topics)
        present = [topic for topic in topics_in_order if self.counts[self.rank[topic]]]
        return [self.rank[present[i]] for i in string_order(present)]

    def all_codes(self) -> Codes:
        """Every partition of the subscribed topics, sorted by topic name and number."""
        ranks = np.repeat(np.arange(len(self.names), dtype=np.int64), self.counts)
        numbers = np.arange(len(ranks), dtype=np.int64) - np.repeat(self.starts, self.counts)
        codes: Codes = ranks << TOPIC_SHIFT | numbers
        return codes

    def owned_codes(self, member: Member) -> Codes:
        """The partitions a member reports as owned, as codes in the given order."""
        owned = member.owned
        if type(owned) is PartitionArray:  # isinstance asks an abstract base class: slow for thousands of members
            if owned.names is self.names or owned.names == self.names:
                return owned.codes
            table = np.array([self.rank.get(name, -1) for name in owned.names], np.int64)
            codes: Codes = table[owned.codes >> TOPIC_SHIFT] << TOPIC_SHIFT | (owned.codes & NUMBER)
            return codes
        if not len(owned):
            return NOTHING
        rank = self.rank
        return np.array([rank[topic] << TOPIC_SHIFT | number for topic, number in owned], np.int64)

    def all_owned_codes(self) -> list[Codes]:
        """`owned_codes` of every member; arrays over these very names are taken as they are."""
        if not any(type(member.owned) is PartitionArray for member in self.members):
            return self._flat_codes()
        known: dict[int, bool] = {}
        result = []
        for member in self.members:
            owned = member.owned
            if type(owned) is PartitionArray:
                names = owned.names
                if (same := known.get(id(names))) is None:
                    same = known[id(names)] = names == self.names
                if same:
                    result.append(owned.codes)
                    continue
            result.append(self.owned_codes(member))
        return result

    def _flat_codes(self) -> list[Codes]:
        """The same where all members report tuples: one array, cut into pieces."""
        rank, ends = self.rank, np.cumsum([len(member.owned) for member in self.members]).tolist()
        codes = np.array([rank[topic] << TOPIC_SHIFT | n for m in self.members for topic, n in m.owned], np.int64)
        return [codes[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    def exists(self, codes: Codes) -> npt.NDArray[np.bool_]:
        """Which of the codes are partitions of subscribed topics."""
        result: npt.NDArray[np.bool_] = (codes & NUMBER) < self.counts[codes >> TOPIC_SHIFT]
        return result

    def by_id(self) -> list[int]:
        """Positions of the members sorted by member id, as Java sorts strings."""
        place = {member.id: i for i, member in enumerate(self.members)}
        return [place[name] for name in java_sorted(place)]

    def answer(self, owners: Codes, codes: Codes) -> dict[str, PartitionArray]:
        """Give codes[i] to members[owners[i]]; each list keeps the order given."""
        small = owners.astype(np.uint16) if len(self.members) < RADIX else owners
        order = np.argsort(small, kind="stable")
        ends = np.cumsum(np.bincount(owners, minlength=len(self.members))).tolist()
        codes = codes[order]
        result: dict[str, PartitionArray] = {}
        start = 0
        for member, end in zip(self.members, ends, strict=True):
            result[member.id] = PartitionArray(self.names, codes[start:end])
            start = end
        return result

    def answer_by_topic(self, topics: Iterable[tuple[Codes, Codes]]) -> dict[str, PartitionArray]:
        """`answer` for owners and codes given topic by topic."""
        parts = list(topics)
        _, owners = flatten([owners for owners, _ in parts])
        _, codes = flatten([codes for _, codes in parts])
        return self.answer(owners, codes)

    def answer_of(self, lists: Sequence[Sequence[int]]) -> dict[str, PartitionArray]:
        """lists[i] goes to members[i]."""
        return {
            member.id: PartitionArray(self.names, np.array(codes, np.int64))
            for member, codes in zip(self.members, lists, strict=True)
        }


def _check(spec: Spec, ids: Sequence[str]) -> None:
    """BadSpec unless ids are distinct, counts possible and together not too many, and generations Java ints."""
    if len(set(ids)) != len(ids):
        twice = next(name for i, name in enumerate(ids) if name in ids[:i])
        raise BadSpec(f"member {twice!r} stands twice in the group")
    for name, count in spec.partitions.items():
        if count < 0:
            raise BadSpec(f"topic {name!r} has {count} partitions")
    if (total := sum(spec.partitions.values())) > MOST_PARTITIONS:
        largest = max(spec.partitions, key=lambda name: spec.partitions[name])
        raise BadSpec(f"{total:,} partitions are more than {MOST_PARTITIONS:,}; topic {largest!r} has most of them")
    generations = [member.generation for member in spec.members] or [0]
    if max(generations) > LARGEST_INT or min(generations) < -LARGEST_INT:
        for member in (m for m in spec.members if abs(m.generation) > LARGEST_INT):
            raise BadSpec(f"member {member.id!r} has generation {member.generation}, which is no 32-bit number")


def _owned_topics(members: Iterable[Member]) -> set[str]:
    """Names of the topics of owned partitions; BadSpec where a partition number is negative."""
    result: set[str] = set()
    names_of_arrays: set[tuple[str, ...]] = set()
    last: tuple[str, ...] = ()
    for member in members:
        if type(member.owned) is PartitionArray:
            if member.owned.names is not last:
                last = member.owned.names
                names_of_arrays.add(last)
            continue
        if not len(member.owned):
            continue
        topics, numbers = zip(*member.owned, strict=True)
        result.update(topics)
        if min(numbers) < 0 or max(numbers) > LARGEST_INT:
            topic, number = next(p for p in member.owned if not 0 <= p[1] <= LARGEST_INT)
            raise BadSpec(f"member {member.id!r} says it owns partition {number} of topic {topic!r}")
    for names in names_of_arrays:
        result.update(names)
    return result


def by_instance(members: Sequence[Member]) -> list[int]:
    """Positions as Kafka's MemberInfo sorts: static members by instance id, then the rest by member id."""
    static = [i for i, member in enumerate(members) if member.instance_id is not None]
    instances = [members[i].instance_id or "" for i in static]
    place = {name: k for k, name in enumerate(java_sorted(set(instances)))}
    static.sort(key=lambda i: place[members[i].instance_id or ""])
    dynamic = {members[i].id: i for i in range(len(members)) if members[i].instance_id is None}
    return static + [dynamic[name] for name in java_sorted(dynamic)]
