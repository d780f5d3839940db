"""The sticky core for equal subscriptions: quotas, one sort, one deal (Kafka: ConstrainedAssignmentBuilder)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from groupsim.assignors.errors import AssignorError
from groupsim.assignors.kafka.java_order import java_sorted
from groupsim.assignors.kafka.racks import Racks
from groupsim.assignors.partition_array import NUMBER, TOPIC_SHIFT, Codes
from groupsim.assignors.prior_ownership import Claims
from groupsim.assignors.problem import Group

Mask = npt.NDArray[np.bool_]

ILLEGAL_STATE = "java.lang.IllegalStateException"


@dataclass(slots=True)
class Quotas:
    """How many partitions a member may have: `low` at least, `high` at most, `high` only `wanted` members.

    `sizes[i]` is what members[i] has by now, `over` how many have more than `low`; `under` and `exact` are Kafka's
    two lists of members (as positions) that may still get partitions.
    """

    low: int
    high: int
    wanted: int
    sizes: list[int]
    over: int = 0
    under: list[int] = field(default_factory=list)
    exact: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Dealt:
    """owners[i] gets codes[i], in the order of Kafka's lists. `moved`: somebody must give it up first."""

    owners: Codes
    codes: Codes
    moved: Mask


def assign_equal(group: Group, claims: Claims, racks: Racks | None = None) -> Dealt:
    """Keep what fits the quotas, deal the rest round robin over members sorted by id.

    `racks` puts partitions first where a replica is near (KIP-881). Phantom partitions (numbers beyond the count)
    and double claims are treated exactly as in Java, defects included. AssignorError where Java throws.
    """
    members, every = len(group.members), group.all_codes()
    if not members:
        raise AssignorError("java.lang.ArithmeticException", "/ by zero")
    quotas = Quotas(len(every) // members, -(-len(every) // members), len(every) % members, [0] * members)
    owners, codes = claims.owners, claims.codes
    far = racks.far(owners, codes) if racks else np.zeros(len(codes), bool)
    given_up = [(owners[far], codes[far])]
    owners, codes = sorted_by_number(group, *without_doubles(claims, owners[~far], codes[~far]))
    kept = keep_within_quota(quotas, owners)
    given_up.append((owners[~kept], codes[~kept]))
    quotas.under, quotas.exact = by_id(group, quotas.under), by_id(group, quotas.exact)
    rest = unassigned(every, codes[kept])
    near = np.empty(0, np.int64)
    if racks:
        near, rest = racks.deal_near(quotas, rest)
    takers = np.concatenate([near, deal(group, quotas, len(rest) - len(near))])
    moved = transferring(claims, given_up, takers, rest)
    return Dealt(
        np.concatenate([owners[kept], takers]),
        np.concatenate([codes[kept], rest]),
        np.concatenate([np.zeros(len(codes[kept]), bool), moved]),
    )


def without_doubles(claims: Claims, owners: Codes, codes: Codes) -> tuple[Codes, Codes]:
    """Claims less one of each doubly claimed partition per member (a later, higher claimant may still list it)."""
    if not len(claims.doubly_claimed):
        return owners, codes
    keep = np.ones(len(codes), bool)
    seen: set[tuple[int, int]] = set()
    for i in np.flatnonzero(np.isin(codes, claims.doubly_claimed)).tolist():
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
    limits = [quotas.low] * len(quotas.sizes)
    for i, size in enumerate(sizes.tolist()):
        if size < quotas.low:
            quotas.under.append(i)
        elif size >= quotas.high and quotas.over < quotas.wanted:
            limits[i] = quotas.high
            quotas.over += 1
            if quotas.over == quotas.wanted:
                quotas.exact.clear()
        elif quotas.over < quotas.wanted:
            quotas.exact.append(i)
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


def deal(group: Group, quotas: Quotas, partitions: int) -> Codes:
    """Who takes the i-th of so many partitions: round robin up to the floor, then one more each (assignRoundRobin)."""
    under = np.array(quotas.under, np.int64)
    lacking = quotas.low - np.array(quotas.sizes, np.int64)[under]
    total = int(lacking.sum())
    if partitions < total:
        _too_few(group, quotas, partitions, lacking)
    if partitions - total > len(quotas.exact) + len(under):
        raise AssignorError(ILLEGAL_STATE, "No more unfilled consumers to be assigned.")
    place = np.repeat(np.arange(len(under), dtype=np.int64), lacking)
    turn = np.arange(total, dtype=np.int64) - np.repeat(np.cumsum(lacking) - lacking, lacking)
    key = turn * max(len(under), 1) + place
    key.sort()
    filled = under[np.argsort(lacking, kind="stable")]  # who reaches the floor first gets one more first
    extra = np.concatenate([np.array(quotas.exact, np.int64), filled])[: partitions - total]
    return np.concatenate([under[key % max(len(under), 1)], extra])


def _too_few(group: Group, quotas: Quotas, partitions: int, lacking: Codes) -> None:
    """verifyUnfilledMembers: partitions ran out before everybody had the floor; raises what Java raises."""
    if quotas.over != quotas.wanted:
        message = "We haven't reached the expected number of members with more than the minQuota partitions, "
        raise AssignorError(ILLEGAL_STATE, message + "but no more partitions to be assigned")
    turns, rest = 0, partitions
    while rest >= (waiting := int((lacking > turns).sum())):
        rest, turns = rest - waiting, turns + 1
    last = [i for i, lack in enumerate(lacking.tolist()) if lack > turns]
    first = next(i for k, i in enumerate(last) if k >= rest or lacking[i] > turns + 1)
    name = group.members[quotas.under[first]].id
    message = f"Consumer: [{name}] doesn't reach minQuota partitions, and no more partitions to be assigned"
    raise AssignorError(ILLEGAL_STATE, message)


def transferring(claims: Claims, given_up: list[tuple[Codes, Codes]], takers: Codes, rest: Codes) -> Mask:
    """Which of the newly dealt partitions somebody else must revoke first (partitionsTransferringOwnership)."""
    givers, given = (np.concatenate(parts) for parts in zip(*given_up, strict=True))
    moved = np.isin(rest, claims.doubly_claimed)
    if len(given):
        order = np.argsort(given, kind="stable")
        at = np.minimum(np.searchsorted(given[order], rest), len(given) - 1)
        moved |= (given[order][at] == rest) & (givers[order][at] != takers)
    return moved


def by_id(group: Group, positions: list[int]) -> list[int]:
    """Positions of members sorted by member id, as Java sorts strings."""
    found = {group.members[i].id: i for i in positions}
    return [found[name] for name in java_sorted(found)]
