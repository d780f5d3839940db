"""Who owned what, as the sticky assignors settle it first, and whether all subscriptions are equal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from groupsim.assignors.kafka.java_order import computed_order, string_hashes
from groupsim.assignors.partition_array import TOPIC_SHIFT, Codes
from groupsim.assignors.problem import Group
from groupsim.events.types import NO_GENERATION


@dataclass(frozen=True, slots=True)
class Claims:
    """`owners[i]` (a position in group.members) holds `codes[i]`, members in order; `raw_*` are the claims as made.

    `doubly_claimed`: sorted codes claimed by several members in one generation, kept by none of them.
    """

    equal: bool
    owners: Codes
    codes: Codes
    raw_owners: Codes
    raw_codes: Codes
    doubly_claimed: Codes
    generation: int


def settle(group: Group, *, grouped: bool) -> Claims:
    """AbstractStickyAssignor.allSubscriptionsEqual: the highest generation wins, equal generations cancel out.

    `grouped`: claims come from the sticky assignor's user data, which lists them topic by topic in hash order.
    """
    lists = [group.owned_codes(member) for member in group.members]
    raw_codes = np.concatenate([np.empty(0, np.int64), *lists])
    raw_owners = np.repeat(np.arange(len(lists), dtype=np.int64), [len(codes) for codes in lists])
    equal = _equal(group)
    if grouped and not equal:  # equal subscriptions: what is kept will be sorted anyway
        raw_codes = _by_topic(group, raw_owners, raw_codes)
    known = group.counts[raw_codes >> TOPIC_SHIFT] > 0
    codes, owners = (raw_codes, raw_owners) if known.all() else (raw_codes[known], raw_owners[known])
    doubly: Codes = np.empty(0, np.int64)
    if _has_repeats(group, codes):
        kept, doubly = _arbitrate(group, owners, codes)
        codes, owners = codes[kept], owners[kept]
    highest = max((member.generation for member in group.members), default=NO_GENERATION)
    return Claims(equal, owners, codes, raw_owners, raw_codes, doubly, max(highest, NO_GENERATION))


def _equal(group: Group) -> bool:
    """Kafka's test, with its quirk: the first *non-empty* subscription is what the others are compared with."""
    first: tuple[str, ...] = ()
    topics: frozenset[str] = frozenset()
    for member in group.members:
        if not first:
            first, topics = member.topics, frozenset(member.topics)
        elif len(member.topics) != len(topics) or (member.topics != first and not topics.issuperset(member.topics)):
            return False
    return True


def _by_topic(group: Group, owners: Codes, codes: Codes) -> Codes:
    """Each member's claims as StickyAssignor.serializeTopicPartitionAssignment groups them by topic."""
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
    """Whether any partition is claimed more than once (existing ones are counted, others sorted)."""
    ranks, numbers = codes >> TOPIC_SHIFT, codes & ((1 << TOPIC_SHIFT) - 1)
    real = numbers < group.counts[ranks]
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


def _arbitrate(group: Group, owners: Codes, codes: Codes) -> tuple[npt.NDArray[np.bool_], Codes]:
    """Which claims stand, and the sorted codes claimed twice in one generation.

    As in Kafka the generation of the *other* claimant is the one in its metadata, which older clients do not send,
    and a second claimant of one generation stands as the "other" for a third although neither keeps the partition.
    """
    own = [member.generation for member in group.members]
    other = [NO_GENERATION if group.spec.generation_in_user_data else max(found, NO_GENERATION) for found in own]
    _, inverse, counts = np.unique(codes, return_inverse=True, return_counts=True)
    kept = np.ones(len(codes), bool)
    contested = np.flatnonzero(counts[inverse] > 1)
    last: dict[int, int] = {}
    holding: dict[int, int] = {}
    doubly: set[int] = set()
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
            doubly.add(code)
            kept[i] = False
            holding[code] = -1
        else:
            holding[code] = i
    return kept, np.array(sorted(doubly), np.int64)
