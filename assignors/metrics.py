"""How good an answer is: balance, partitions kept and moved, violations (as the golden files define them).

Kafka's own defects are reproduced, so violations occur.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from groupsim.assignors.partition_array import NUMBER, TOPIC_SHIFT, Codes, PartitionArray, flatten
from groupsim.assignors.problem import Group
from groupsim.assignors.spec import Answer, Spec
from groupsim.events.types import MemberId, TopicPartition


def balance(sizes: Sequence[int]) -> int:
    """KIP-54's balance score: the sum of size differences over all pairs of members, in partitions. 0 is best."""
    return sum(size * (2 * i - len(sizes) + 1) for i, size in enumerate(sorted(sizes)))


def metrics(spec: Spec, answer: Answer) -> dict[str, int]:
    """Balance score and numbers of partitions; `assigned_*` (violations) only where not 0.

    claimed: existing partitions with one effective previous owner (highest generation; a tie means none); kept and
    moved: of these, now with that owner or with somebody else; unassigned: existing partitions of subscribed topics
    that nobody has. A partition assigned twice counts as its last holder's, in the problem's order of members.
    """
    group = Group.of(spec)
    owners, codes = answered(group, answer)
    exists = np.array([spec.partitions.get(name, 0) for name in group.names], np.int64)
    real = (codes & NUMBER) < exists[codes >> TOPIC_SHIFT]
    previous, claimed = effective_owners(group)
    alive = (claimed & NUMBER) < exists[claimed >> TOPIC_SHIFT]
    previous, claimed = previous[alive], claimed[alive]
    holders, held = _holders(group, owners, codes)
    at = np.minimum(np.searchsorted(held, claimed), max(len(held) - 1, 0))
    assigned = held[at] == claimed if len(held) else np.zeros(len(claimed), bool)
    kept = int((assigned & (holders[at] == previous)).sum()) if len(held) else 0
    result = {
        "balance": balance([len(answer[member.id]) if member.id in answer else 0 for member in group.members]),
        "claimed": len(claimed),
        "kept": kept,
        "moved": int(assigned.sum()) - kept,
        "unassigned": int((~np.isin(group.all_codes(), codes)).sum()),
    }
    violations = {
        "assigned_unsubscribed": _unsubscribed(group, owners, codes),
        "assigned_twice": len(codes) - len(held),
        "assigned_nonexistent": int((~real).sum()),
    }
    return result | {name: count for name, count in violations.items() if count}


def answered(group: Group, answer: Answer) -> tuple[Codes, Codes]:
    """Owners (positions in group.members) and codes of an answer, member after member."""
    parts = []
    for member in group.members:
        assigned = answer.get(member.id, ())
        if isinstance(assigned, PartitionArray) and assigned.names == group.names:
            parts.append(assigned.codes)
        else:
            partitions = (TopicPartition(*partition) for partition in assigned)
            parts.append(np.array([group.rank[t] << TOPIC_SHIFT | p for t, p in partitions], np.int64))
    return flatten(parts)


def effective_owners(group: Group) -> tuple[Codes, Codes]:
    """Previous owners and their partitions, sorted by partition: the highest generation counts, a tie means nobody."""
    owners, codes = flatten([np.unique(group.owned_codes(member)) for member in group.members])
    if not len(codes):
        return owners, codes
    generations = np.array([member.generation for member in group.members], np.int64)[owners]
    order = np.lexsort((generations, codes))
    owners, codes, generations = owners[order], codes[order], generations[order]
    last = np.append(codes[1:] != codes[:-1], True)
    tied = np.zeros(len(codes), bool)
    tied[1:] = (codes[1:] == codes[:-1]) & (generations[1:] == generations[:-1])
    wins = last & ~tied
    return owners[wins], codes[wins]


def _holders(group: Group, owners: Codes, codes: Codes) -> tuple[Codes, Codes]:
    """The last holder of each assigned partition in the problem's order of members, and the sorted partitions."""
    place = {member.id: k for k, member in enumerate(group.spec.members)}
    places = np.array([place[member.id] for member in group.members], np.int64)
    order = np.lexsort((places[owners], codes)) if len(codes) else np.empty(0, np.int64)
    owners, codes = owners[order], codes[order]
    last = np.append(codes[1:] != codes[:-1], True)[: len(codes)]
    return owners[last], codes[last]


def _unsubscribed(group: Group, owners: Codes, codes: Codes) -> int:
    """How many partitions are with members that do not subscribe to them."""
    sets = {topics: {group.rank[t] for t in topics} for topics in {m.topics for m in group.members}}
    wrong = 0
    ends = np.cumsum(np.bincount(owners, minlength=len(group.members))).tolist()
    start = 0
    for member, end in zip(group.members, ends, strict=True):
        ranks = codes[start:end] >> TOPIC_SHIFT
        allowed = sets[member.topics]
        wrong += sum(1 for rank in ranks.tolist() if rank not in allowed) if len(allowed) < len(group.names) else 0
        start = end
    return wrong


class Kind(StrEnum):
    """What an assignor must never do, by the names in `metrics`."""

    UNSUBSCRIBED = "assigned_unsubscribed"
    NONEXISTENT = "assigned_nonexistent"
    TWICE = "assigned_twice"


_SENTENCES = {
    Kind.UNSUBSCRIBED: "{0} is given to {1!r}, which does not subscribe to {0.topic!r}",
    Kind.NONEXISTENT: "{0} is given to {1!r}, but {0.topic!r} has no such partition",
    Kind.TWICE: "{0} is given to {1!r} although another member has it, too",
}


@dataclass(frozen=True, slots=True)
class Violation:
    """One wrong assignment; `str()` is the sentence."""

    kind: Kind
    member: MemberId
    partition: TopicPartition

    def __str__(self) -> str:
        return _SENTENCES[self.kind].format(self.partition, self.member)


def violations(spec: Spec, answer: Answer) -> Iterator[Violation]:
    """Every wrong assignment, members in the problem's order. Their numbers by kind are those of `metrics`."""
    seen: set[TopicPartition] = set()
    for member in spec.members:
        for partition in answer.get(member.id, ()):
            if partition.topic not in member.topics:
                yield Violation(Kind.UNSUBSCRIBED, member.id, partition)
            if partition.partition >= spec.partitions.get(partition.topic, 0):
                yield Violation(Kind.NONEXISTENT, member.id, partition)
            if partition in seen:
                yield Violation(Kind.TWICE, member.id, partition)
            seen.add(partition)
