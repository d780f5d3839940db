"""sticky and cooperative-sticky (KIP-54, KIP-429): one algorithm; reports and handover of partitions differ."""

from __future__ import annotations

from groupsim.assignors.java.hash_order import string_order
from groupsim.assignors.kafka.prior_ownership import PriorOwnership, prior_ownership
from groupsim.assignors.kafka.racks import Racks
from groupsim.assignors.kafka.sticky_equal import assign_equal
from groupsim.assignors.kafka.sticky_unequal import assign_unequal
from groupsim.assignors.problem import Group
from groupsim.assignors.spec import Answer, Spec


def sticky(spec: Spec) -> Answer:
    """Kafka's StickyAssignor, eager: what moves is given to its new owner at once.

    `Member.owned` and `generation` are what the member's user data carried. Raises AssignorError where Java throws.
    Java's defects are part of it: see `sticky_unequal` and golden `metrics` (assigned_unsubscribed, ..._twice).
    """
    group = Group.of(spec)
    prior = prior_ownership(group, from_user_data=True)
    if prior.equal_subscriptions:
        assignment = assign_equal(group, prior, Racks.of(group))
        return group.answer(assignment.owners, assignment.codes)
    return group.answer_of(assign_unequal(group, prior, Racks.of(group)).lists)


def cooperative_sticky(spec: Spec) -> Answer:
    """Kafka's CooperativeStickyAssignor: what moves is left out until its old owner has revoked it."""
    group = Group.of(spec)
    prior = prior_ownership(group, from_user_data=False)
    if prior.equal_subscriptions:
        assignment = assign_equal(group, prior, Racks.of(group))
        stay = ~assignment.moved
        return group.answer(assignment.owners[stay], assignment.codes[stay])
    state = assign_unequal(group, prior, Racks.of(group))
    _withhold(group, prior, state.lists, state.aside)
    return group.answer_of(state.lists)


def _withhold(group: Group, prior: PriorOwnership, lists: list[list[int]], aside: frozenset[int]) -> None:
    """computePartitionsTransferringOwnership: what one member reported and lost, and another member got.

    Every report counts, also of an older generation: a partition given to a member that reported it is not withheld.
    """
    owned: list[set[int]] = [set() for _ in lists]
    for owner, code in zip(prior.reported_owners.tolist(), prior.reported_codes.tolist(), strict=True):
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
