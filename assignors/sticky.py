"""sticky and cooperative-sticky (KIP-54, KIP-429): one core, two ways of telling who owned what and of handing over."""

from __future__ import annotations

from assignors.claims import settle
from assignors.group import Group
from assignors.racks import Racks
from assignors.spec import Answer, Spec
from assignors.sticky_equal import assign_equal


def sticky(spec: Spec) -> Answer:
    """Kafka's StickyAssignor, eager: what moves is given to its new owner at once.

    `Member.owned` and `generation` are what the member's user data carried. Raises AssignorError where Java throws.
    """
    group = Group.of(spec)
    claims = settle(group, grouped=True)
    dealt = assign_equal(group, claims, Racks.of(group))
    return group.answer(dealt.owners, dealt.codes)


def cooperative_sticky(spec: Spec) -> Answer:
    """Kafka's CooperativeStickyAssignor: what moves is left out until its old owner has revoked it."""
    group = Group.of(spec)
    claims = settle(group, grouped=False)
    dealt = assign_equal(group, claims, Racks.of(group))
    stay = ~dealt.moved
    return group.answer(dealt.owners[stay], dealt.codes[stay])
