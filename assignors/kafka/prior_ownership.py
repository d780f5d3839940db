"""The owners that the sticky assignors start from, and whether all subscriptions are equal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from groupsim.assignors.java.hash_order import computed_order, string_hashes
from groupsim.assignors.partition_array import NUMBER, TOPIC_SHIFT, Codes, flatten
from groupsim.assignors.problem import Group
from groupsim.events.types import NO_GENERATION


@dataclass(frozen=True, slots=True)
class PriorOwnership:
    """`owners[i]` (a position in group.members) owned `codes[i]`, members in order; `reported_*`: as members say it.

    `reported_twice`: sorted codes that several members report in one generation; none of them keeps these.
    """

    equal_subscriptions: bool
    owners: Codes
    codes: Codes
    reported_owners: Codes
    reported_codes: Codes
    reported_twice: Codes
    newest_generation: int


def prior_ownership(group: Group, *, from_user_data: bool) -> PriorOwnership:
    """AbstractStickyAssignor.allSubscriptionsEqual: the highest generation wins, equal generations cancel out.

    `from_user_data`: members report in the sticky assignor's user data, which lists topic by topic in hash order.
    """
    reported_owners, reported = flatten([group.owned_codes(member) for member in group.members])
    equal = _equal_subscriptions(group)
    if from_user_data and not equal:  # equal subscriptions: what is kept will be sorted anyway
        reported = _by_topic(group, reported_owners, reported)
    known = group.counts[reported >> TOPIC_SHIFT] > 0
    codes, owners = (reported, reported_owners) if known.all() else (reported[known], reported_owners[known])
    twice: Codes = np.empty(0, np.int64)
    if _has_repeats(group, codes):
        kept, twice = _resolve_repeats(group, owners, codes)
        codes, owners = codes[kept], owners[kept]
    highest = max((member.generation for member in group.members), default=NO_GENERATION)
    return PriorOwnership(equal, owners, codes, reported_owners, reported, twice, max(highest, NO_GENERATION))


def _equal_subscriptions(group: Group) -> bool:
    """As Kafka tests it: the others are compared with the first subscription that is *not empty*."""
    first: tuple[str, ...] = ()
    topics: frozenset[str] = frozenset()
    for member in group.members:
        if not first:
            first, topics = member.topics, frozenset(member.topics)
        elif len(member.topics) != len(topics) or (member.topics != first and not topics.issuperset(member.topics)):
            return False
    return True


def _by_topic(group: Group, owners: Codes, codes: Codes) -> Codes:
    """Each member's partitions as StickyAssignor.serializeTopicPartitionAssignment groups them by topic."""
    result = codes.copy()
    ends = np.cumsum(np.bincount(owners, minlength=len(group.members))).tolist()
    start = 0
    for end in ends:
        ranks = codes[start:end] >> TOPIC_SHIFT
        if len(ranks) and (ranks != ranks[0]).any():
            present, first = np.unique(ranks, return_index=True)
            appearance = present[np.argsort(first)].tolist()
            growing = int(first.max()) == len(ranks) - 1
            place = np.zeros(len(group.names), np.int64)
            hashes = string_hashes([group.names[rank] for rank in appearance])
            for where, i in enumerate(computed_order(hashes, growing)):
                place[appearance[i]] = where
            result[start:end] = codes[start:end][np.argsort(place[ranks], kind="stable")]
        start = end
    return result


def _has_repeats(group: Group, codes: Codes) -> bool:
    """Whether any partition is reported more than once (existing ones are counted, others sorted)."""
    ranks, numbers = codes >> TOPIC_SHIFT, codes & NUMBER
    real = group.exists(codes)
    if real.all():
        slots = group.starts[ranks] + numbers
    else:
        phantoms = np.sort(codes[~real])
        if (phantoms[1:] == phantoms[:-1]).any():
            return True
        slots = group.starts[ranks[real]] + numbers[real]
    seen = np.zeros(int(group.counts.sum()), bool)
    seen[slots] = True
    return int(np.count_nonzero(seen)) < len(slots)


def _resolve_repeats(group: Group, owners: Codes, codes: Codes) -> tuple[npt.NDArray[np.bool_], Codes]:
    """Which claims are kept, and the sorted codes that are claimed twice in one generation.

    As in Kafka the generation of the *other* claimant is the one in its metadata, which older clients do not send,
    and a second claimant of one generation stands as the "other" for a third although neither keeps the partition.
    """
    own = [member.generation for member in group.members]
    other = [
        NO_GENERATION if group.spec.generation_in_user_data else max(generation, NO_GENERATION) for generation in own
    ]
    _, inverse, counts = np.unique(codes, return_inverse=True, return_counts=True)
    kept = np.ones(len(codes), bool)
    contested = np.flatnonzero(counts[inverse] > 1)
    last: dict[int, int] = {}
    holding: dict[int, int] = {}
    twice: set[int] = set()
    for i in contested.tolist():
        code, owner = int(codes[i]), int(owners[i])
        if code not in last:
            last[code], holding[code] = owner, i
            continue
        against = other[last[code]]
        if own[owner] < against:
            kept[i] = False
            continue
        if holding[code] >= 0:
            kept[holding[code]] = False
        last[code] = owner
        if own[owner] == against:
            twice.add(code)
            kept[i] = False
            holding[code] = -1
        else:
            holding[code] = i
    return kept, np.array(sorted(twice), np.int64)
