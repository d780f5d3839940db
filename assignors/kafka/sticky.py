"""sticky and cooperative-sticky (KIP-54, KIP-429): one core, two ways of telling who owned what and of handing over."""

from __future__ import annotations

import numpy as np

from groupsim.assignors.kafka.java_order import string_order
from groupsim.assignors.kafka.racks import Racks
from groupsim.assignors.kafka.sticky_equal import assign_equal
from groupsim.assignors.kafka.sticky_unequal import assign_unequal
from groupsim.assignors.partition_array import PartitionArray
from groupsim.assignors.prior_ownership import Claims, settle
from groupsim.assignors.problem import Group
from groupsim.assignors.spec import Answer, Spec


def sticky(spec: Spec) -> Answer:
    """Kafka's StickyAssignor, eager: what moves is given to its new owner at once.

    `Member.owned` and `generation` are what the member's user data carried. Raises AssignorError where Java throws.
    Java's defects are part of it: see `sticky_unequal` and golden `metrics` (assigned_unsubscribed, ..._twice).
    """
    group = Group.of(spec)
    claims = settle(group, grouped=True)
    if claims.equal:
        dealt = assign_equal(group, claims, Racks.of(group))
        return group.answer(dealt.owners, dealt.codes)
    return _answer(group, assign_unequal(group, claims, Racks.of(group)).lists)


def cooperative_sticky(spec: Spec) -> Answer:
    """Kafka's CooperativeStickyAssignor: what moves is left out until its old owner has revoked it."""
    group = Group.of(spec)
    claims = settle(group, grouped=False)
    if claims.equal:
        dealt = assign_equal(group, claims, Racks.of(group))
        stay = ~dealt.moved
        return group.answer(dealt.owners[stay], dealt.codes[stay])
    state = assign_unequal(group, claims, Racks.of(group))
    _withhold(group, claims, state.lists, state.aside)
    return _answer(group, state.lists)


def _withhold(group: Group, claims: Claims, lists: list[list[int]], aside: frozenset[int]) -> None:
    """computePartitionsTransferringOwnership: what one member lost by its own words and another one won.

    Claims count as made, stale ones included: a partition given to a member with a stale claim is not withheld.
    """
    owned: list[set[int]] = [set() for _ in lists]
    for owner, code in zip(claims.raw_owners.tolist(), claims.raw_codes.tolist(), strict=True):
        owned[owner].add(code)
    inserted = [i for i in range(len(lists)) if i not in aside] + sorted(aside)
    added: dict[int, int] = {}
    revoked: set[int] = set()
    for i in [inserted[k] for k in string_order([group.members[i].id for i in inserted])]:
        added.update((code, i) for code in lists[i] if code not in owned[i])
        revoked |= owned[i].difference(lists[i])
    for code, i in added.items():
        if code in revoked:
            lists[i].remove(code)


def _answer(group: Group, lists: list[list[int]]) -> dict[str, PartitionArray]:
    return {
        member.id: PartitionArray(group.names, np.array(codes, np.int64))
        for member, codes in zip(group.members, lists, strict=True)
    }
