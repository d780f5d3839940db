"""The sticky algorithm for equal subscriptions: quotas, one sort, round robin (Kafka: ConstrainedAssignmentBuilder)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from groupsim.assignors.errors import AssignorError
from groupsim.assignors.java.hash_order import java_sorted
from groupsim.assignors.kafka.prior_ownership import PriorOwnership
from groupsim.assignors.kafka.quotas import Quotas
from groupsim.assignors.kafka.racks import Racks
from groupsim.assignors.partition_array import NUMBER, TOPIC_SHIFT, Codes
from groupsim.assignors.problem import Group

Mask = npt.NDArray[np.bool_]

ILLEGAL_STATE = "java.lang.IllegalStateException"


@dataclass(frozen=True, slots=True)
class EqualAssignment:
    """owners[i] gets codes[i], in the order of Kafka's lists. `moved`: another member must revoke it first."""

    owners: Codes
    codes: Codes
    moved: Mask


def assign_equal(group: Group, prior: PriorOwnership, racks: Racks | None = None) -> EqualAssignment:
    """Keep what fits the quotas, give the rest round robin to members sorted by id.

    With `racks`, members near a replica come first (KIP-881). Phantom partitions (numbers beyond the count) and
    partitions reported twice are treated exactly as in Java, defects included. AssignorError where Java throws.
    """
    members, every = len(group.members), group.all_codes()
    if not members:
        raise AssignorError("java.lang.ArithmeticException", "/ by zero")
    quotas = Quotas.of(len(every), members)
    owners, codes = prior.owners, prior.codes
    far = racks.far(owners, codes) if racks else np.zeros(len(codes), bool)
    given_up = [(owners[far], codes[far])]
    owners, codes = sorted_by_number(group, *without_doubles(prior, owners[~far], codes[~far]))
    kept = keep_within_quota(quotas, owners)
    given_up.append((owners[~kept], codes[~kept]))
    quotas.under_min, quotas.exactly_min = _by_id(group, quotas.under_min), _by_id(group, quotas.exactly_min)
    rest = unassigned(every, codes[kept])
    near = np.empty(0, np.int64)
    if racks:
        near, rest = racks.assign_near(quotas, rest)
    takers = np.concatenate([near, round_robin_takers(group, quotas, len(rest) - len(near))])
    moved = transferring(prior, given_up, takers, rest)
    return EqualAssignment(
        np.concatenate([owners[kept], takers]),
        np.concatenate([codes[kept], rest]),
        np.concatenate([np.zeros(len(codes[kept]), bool), moved]),
    )


def without_doubles(prior: PriorOwnership, owners: Codes, codes: Codes) -> tuple[Codes, Codes]:
    """The claims less one of each partition reported twice per member (a later, higher claimant may list it again)."""
    if not len(prior.reported_twice):
        return owners, codes
    keep = np.ones(len(codes), bool)
    seen: set[tuple[int, int]] = set()
    for i in np.flatnonzero(np.isin(codes, prior.reported_twice)).tolist():
        claim = int(owners[i]), int(codes[i])
        if claim not in seen:
            seen.add(claim)
            keep[i] = False
    return owners[keep], codes[keep]


def sorted_by_number(group: Group, owners: Codes, codes: Codes) -> tuple[Codes, Codes]:
    """Each member's partitions by number, then topic name: the order in which Kafka keeps them."""
    if not len(codes):
        return owners, codes
    ranks, numbers = codes >> TOPIC_SHIFT, codes & NUMBER
    rank_bits = len(group.names).bit_length()
    number_bits = int(numbers.max()).bit_length()
    if rank_bits + number_bits + len(group.members).bit_length() > 62:
        order = np.lexsort((ranks, numbers, owners))
        return owners[order], codes[order]
    key = (owners << number_bits | numbers) << rank_bits | ranks
    key.sort()  # one integer per claim sorts several times faster than an index
    ranks = key & ((1 << rank_bits) - 1)
    key >>= rank_bits
    return key >> number_bits, ranks << TOPIC_SHIFT | (key & ((1 << number_bits) - 1))


def keep_within_quota(quotas: Quotas, owners: Codes) -> Mask:
    """Which claims are kept; fills the quotas' lists (assignOwnedPartitions). Members in Java's order."""
    sizes = np.bincount(owners, minlength=len(quotas.sizes))
    limits = [quotas.min_quota] * len(quotas.sizes)
    for i, size in enumerate(sizes.tolist()):
        if size < quotas.min_quota:
            quotas.under_min.append(i)
        elif size >= quotas.max_quota and quotas.over_min < quotas.expected_over_min:
            limits[i] = quotas.max_quota
            quotas.over_min += 1
            if quotas.over_min == quotas.expected_over_min:
                quotas.exactly_min.clear()
        elif quotas.over_min < quotas.expected_over_min:
            quotas.exactly_min.append(i)
    most = np.array(limits, np.int64)
    quotas.sizes = np.minimum(sizes, most).tolist()
    if (sizes <= most).all():
        return np.ones(len(owners), bool)
    place = np.arange(len(owners), dtype=np.int64) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    mask: Mask = place < most[owners]
    return mask


def unassigned(every: Codes, kept: Codes) -> Codes:
    """Partitions not kept, sorted by topic and number (getUnassignedPartitions).

    Java walks both sorted lists at once; a kept partition that doesn't exist, or is kept twice, is never met, and
    from there on it takes every kept partition for an unassigned one.
    """
    if not len(kept):
        return every
    kept = np.sort(kept)
    at = np.searchsorted(every, kept)
    met = every[np.minimum(at, len(every) - 1)] == kept
    met[1:] &= kept[1:] != kept[:-1]
    stuck = len(met) if met.all() else int(np.argmin(met))
    free = np.ones(len(every), bool)
    free[at[:stuck]] = False
    return every[free]


def round_robin_takers(group: Group, quotas: Quotas, partitions: int) -> Codes:
    """Who takes the i-th of so many partitions: round robin up to the floor, then one more each (assignRoundRobin)."""
    under = np.array(quotas.under_min, np.int64)
    lacking = quotas.min_quota - np.array(quotas.sizes, np.int64)[under]
    total = int(lacking.sum())
    if partitions < total:
        _too_few(group, quotas, partitions, lacking)
    if partitions - total > len(quotas.exactly_min) + len(under):
        raise AssignorError(ILLEGAL_STATE, "No more unfilled consumers to be assigned.")
    place = np.repeat(np.arange(len(under), dtype=np.int64), lacking)
    turn = np.arange(total, dtype=np.int64) - np.repeat(np.cumsum(lacking) - lacking, lacking)
    key = turn * max(len(under), 1) + place
    key.sort()
    filled = under[np.argsort(lacking, kind="stable")]  # who reaches the floor first gets one more first
    extra = np.concatenate([np.array(quotas.exactly_min, np.int64), filled])[: partitions - total]
    return np.concatenate([under[key % max(len(under), 1)], extra])


def _too_few(group: Group, quotas: Quotas, partitions: int, lacking: Codes) -> None:
    """verifyUnfilledMembers: partitions ran out before everybody had the floor; raises what Java raises."""
    if quotas.over_min != quotas.expected_over_min:
        message = "We haven't reached the expected number of members with more than the minQuota partitions, "
        raise AssignorError(ILLEGAL_STATE, message + "but no more partitions to be assigned")
    turns, rest = 0, partitions
    while rest >= (waiting := int((lacking > turns).sum())):
        rest, turns = rest - waiting, turns + 1
    last = [i for i, lack in enumerate(lacking.tolist()) if lack > turns]
    first = next(i for k, i in enumerate(last) if k >= rest or lacking[i] > turns + 1)
    name = group.members[quotas.under_min[first]].id
    message = f"Consumer: [{name}] doesn't reach minQuota partitions, and no more partitions to be assigned"
    raise AssignorError(ILLEGAL_STATE, message)


def transferring(prior: PriorOwnership, given_up: list[tuple[Codes, Codes]], takers: Codes, rest: Codes) -> Mask:
    """Which of the newly dealt partitions somebody else must revoke first (partitionsTransferringOwnership)."""
    givers, given = (np.concatenate(parts) for parts in zip(*given_up, strict=True))
    moved = np.isin(rest, prior.reported_twice)
    if len(given):
        order = np.argsort(given, kind="stable")
        at = np.minimum(np.searchsorted(given[order], rest), len(given) - 1)
        moved |= (given[order][at] == rest) & (givers[order][at] != takers)
    return moved


def _by_id(group: Group, positions: list[int]) -> list[int]:
    """These positions sorted by member id; only the few that are asked for, not `group.by_id()`."""
    by_id = {group.members[i].id: i for i in positions}
    return [by_id[name] for name in java_sorted(by_id)]
