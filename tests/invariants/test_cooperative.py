"""What a cooperative member holds is withheld from everybody else until it has let go."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.events.types import NO_GENERATION, Plan, Protocol, Subscription
from groupsim.invariants.cooperative import WithheldUntilRevoked
from tests.invariants.watched import Timed, tps, watch

COOPERATIVE, EAGER = "cooperative-sticky", "range"


def _offers(generation: int, *owned: int) -> tuple[Protocol, ...]:
    said = Subscription(topics=("orders",), owned=tps(*owned), generation=generation)
    return Protocol(COOPERATIVE, said), Protocol(EAGER, said)


def joined(member: str, generation: int = NO_GENERATION, *owned: int) -> Timed:
    return 1, c.MemberAdded(member=member, protocols=_offers(generation, *owned), request=1)


def stored(protocol: str, plan: Plan) -> Timed:
    return 9, c.AssignmentStored(generation=4, protocol=protocol, assignment=plan)


def test_a_partition_given_to_its_holder_or_to_nobody_is_right() -> None:
    facts = joined("a", 3, 0, 1), joined("b"), stored(COOPERATIVE, {"a": tps(0), "b": tps(2)})
    assert watch(WithheldUntilRevoked(), *facts) == []


def test_a_partition_given_to_another_while_it_is_held_is_named() -> None:
    facts = joined("a", 3, 0, 1), joined("b"), stored(COOPERATIVE, {"a": tps(0), "b": tps(1)})
    (broken,) = watch(WithheldUntilRevoked(), *facts)
    assert broken.sentence == "orders-1 granted to b while a held it in generation 4 of billing"


def test_an_eager_assignor_may_give_what_is_claimed() -> None:
    facts = joined("a", 3, 0, 1), joined("b"), stored(EAGER, {"a": tps(0), "b": tps(1)})
    assert watch(WithheldUntilRevoked(), *facts) == []


def test_of_two_claims_the_newer_generation_wins_and_equal_ones_block_each_other() -> None:
    newer = joined("a", 2, 0), joined("b", 3, 0)
    assert watch(WithheldUntilRevoked(), *newer, stored(COOPERATIVE, {"a": (), "b": tps(0)})) == []
    assert len(watch(WithheldUntilRevoked(), *newer, stored(COOPERATIVE, {"a": tps(0), "b": ()}))) == 1
    equal = joined("a", 3, 0), joined("b", 3, 0)
    assert len(watch(WithheldUntilRevoked(), *equal, stored(COOPERATIVE, {"a": (), "b": tps(0)}))) == 1
    assert watch(WithheldUntilRevoked(), *equal, stored(COOPERATIVE, {"a": (), "b": ()})) == []


def test_a_claim_ends_with_its_member_and_with_its_next_word() -> None:
    gone = joined("a", 3, 0), joined("b"), (2, c.MemberRemoved(member="a", cause="left"))
    assert watch(WithheldUntilRevoked(), *gone, stored(COOPERATIVE, {"b": tps(0)})) == []
    again = c.MemberUpdated(member="a", session_timeout_ms=1, rebalance_timeout_ms=1, protocols=_offers(3), request=3)
    assert watch(WithheldUntilRevoked(), *gone[:2], (3, again), stored(COOPERATIVE, {"a": (), "b": tps(0)})) == []
    replaced = c.MemberReplaced(instance_id="i", old="a", member="n", protocols=_offers(NO_GENERATION))
    assert watch(WithheldUntilRevoked(), *gone[:2], (3, replaced), stored(COOPERATIVE, {"b": tps(0)})) == []
