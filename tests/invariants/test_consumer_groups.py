"""The invariants on facts of a consumer group, written by hand: one that keeps each, one that breaks it."""

from __future__ import annotations

from groupsim.events import consumer as c
from groupsim.events.consumer import BumpCause, LossCause, MemberState
from groupsim.events.group import CoordinatorLoaded
from groupsim.events.types import Held
from groupsim.invariants.epochs import GenerationsAdvance
from groupsim.invariants.ownership import SingleOwner
from tests.invariants.watched import Timed, watch


def reconciled(at_ms: int, member: str, epoch: int, *partitions: int, pending: Held = ()) -> Timed:
    held = tuple(("orders", n, epoch) for n in partitions)
    fact = c.MemberReconciled(
        member=member, epoch=epoch, previous_epoch=0, state=MemberState.STABLE, assigned=held, pending=pending
    )
    return at_ms, fact


def bumped(at_ms: int, epoch: int) -> Timed:
    return at_ms, c.GroupEpochBumped(epoch=epoch, metadata_hash=1, cause=BumpCause.MEMBER_REMOVED)


def test_a_partition_goes_from_one_member_to_another() -> None:
    facts = (reconciled(1, "a", 2, 0, 1), reconciled(2, "a", 3, 0), reconciled(3, "b", 3, 1))
    assert watch(SingleOwner(), *facts) == []


def test_what_a_member_still_has_to_give_up_nobody_else_gets() -> None:
    (broken,) = watch(SingleOwner(), reconciled(1, "a", 2, 0, pending=(("orders", 1, 2),)), reconciled(3, "b", 3, 1))
    assert broken.sentence == "orders-1 held by a and b at epoch 3 of billing"


def test_what_a_removed_member_held_is_free() -> None:
    removed = (2, c.ConsumerMemberRemoved(member="a", cause=LossCause.LEFT))
    assert watch(SingleOwner(), reconciled(1, "a", 2, 0), removed, reconciled(3, "b", 3, 0)) == []


def test_epochs_grow_and_only_a_failover_takes_them_back() -> None:
    assert watch(GenerationsAdvance(), bumped(1, 2), bumped(2, 3), (3, CoordinatorLoaded()), bumped(4, 3)) == []
    said = watch(GenerationsAdvance(), bumped(1, 5), bumped(2, 4), bumped(3, 5))
    assert [v.sentence for v in said] == [
        "generation of billing went back from 5 to 4 (GroupEpochBumped)",
        "the epoch of billing was bumped and is still 5",
    ]
