"""The invariants on facts of a consumer group, written by hand: one that keeps each, one that breaks it."""

from __future__ import annotations

from groupsim.events import client as p
from groupsim.events import consumer as c
from groupsim.events import world as w
from groupsim.events.consumer import BumpCause, LossCause, MemberState
from groupsim.events.group import CoordinatorLoaded
from groupsim.events.types import Held
from groupsim.invariants.convergence import Converges
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


def test_a_topic_made_anew_is_another_one_that_may_be_given_before_the_former_is_given_up() -> None:
    pending = reconciled(1, "a", 2, pending=(("orders", 1, 2),))
    anew = c.MemberReconciled(
        member="b", epoch=3, previous_epoch=0, state=MemberState.STABLE, assigned=(("orders#4", 1, 3),), pending=()
    )
    assert watch(SingleOwner(), pending, (3, anew)) == []


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


def story(until_ms: int) -> list[Timed]:
    """A member of a consumer group is dead from 10 s on, and the coordinator never removes it."""
    a, b = (c.ConsumerMemberUpdated(member=x, client_host=f"{x}.0", topics=("orders",)) for x in "ab")
    facts: list[Timed] = [
        (0, w.TopicCreated(topic="orders", partitions=2, rate=0.0)),
        (0, w.GroupDeclared(group="billing", protocol="consumer", topics=("orders",))),
        *((1, p.ProcessStarted(process=f"{x}.0", client_id=x, topics=("orders",))) for x in "ab"),
        (2, a),
        (2, b),
        bumped(3, 2),
        (3, c.TargetComputed(epoch=2, assignor="uniform", changed={}, at_ms=3)),
        reconciled(4, "a", 2, 0),
        reconciled(5, "b", 2, 1),
        (10_000, p.Crashed(process="b.0")),
    ]
    return [*facts, (until_ms, w.RunEnded(status="finished"))]


def test_a_dead_member_of_a_consumer_group_may_keep_its_partitions_for_its_session() -> None:
    assert watch(Converges(), *story(60_000)) == []
    (broken,) = watch(Converges(), *story(91_000))
    assert broken.sentence == "orders-1 still belongs to b.0, which is gone, in billing"


def downgraded(at_ms: int, generation: int) -> Timed:
    return at_ms, c.GroupDowngraded(generation=generation, protocol="range", leader="a", assignment={})


def test_a_downgrade_may_forget_only_the_epoch_that_its_own_request_let_grow() -> None:
    assert watch(GenerationsAdvance(), bumped(1, 2), bumped(5, 3), downgraded(5, 2)) == []
    (broken,) = watch(GenerationsAdvance(), bumped(1, 2), bumped(5, 3), downgraded(6, 2))
    assert broken.sentence == "generation of billing went back from 3 to 2 (GroupDowngraded)"


def test_a_group_in_the_place_of_an_empty_one_begins_anew() -> None:
    created = (3, c.ConsumerGroupCreated(replaces_classic=True))
    assert watch(GenerationsAdvance(), bumped(1, 7), created, bumped(4, 2)) == []
    assert len(watch(GenerationsAdvance(), bumped(1, 7), bumped(4, 2))) == 1


def test_a_static_member_that_is_away_has_given_up_what_it_had_to() -> None:
    leaving = reconciled(1, "a", 2, 0, pending=(("orders", 1, 2),))
    away = (2, c.StaticMemberAway(member="a"))
    assert watch(SingleOwner(), leaving, away, reconciled(3, "b", 3, 1)) == []
    assert len(watch(SingleOwner(), leaving, away, reconciled(3, "b", 3, 0))) == 1
