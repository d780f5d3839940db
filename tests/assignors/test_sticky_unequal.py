"""The quick pass of the general algorithm against Java's literal one, and what it remembers of its moves."""

from __future__ import annotations

from hypothesis import given, settings

from groupsim.assignors.java.hash_order import string_hash
from groupsim.assignors.kafka.prior_ownership import prior_ownership
from groupsim.assignors.kafka.racks import Racks
from groupsim.assignors.kafka.sticky_unequal import Movements, Reassignment, assign_unequal, imbalance
from groupsim.assignors.partition_array import code_of
from groupsim.assignors.problem import Group
from groupsim.assignors.spec import Spec
from tests.assignors.strategies import specs


class Literal(Reassignment):
    """Asks before every partition whether the group is balanced, as Java does."""

    def perform(self, codes: list[int]) -> bool:
        performed = False
        while self._pass(codes):
            performed = True
        return performed


@settings(deadline=None)
@given(specs(equal=False, honest=True, members=7, partitions=9))
def test_passing_on_without_asking_moves_the_same_partitions(spec: Spec) -> None:
    group = Group.of(spec)
    prior = prior_ownership(group, from_user_data=False)
    quick = assign_unequal(group, prior, Racks.of(group))
    literal = assign_unequal(group, prior, Racks.of(group), Literal)
    assert quick.lists == literal.lists


def test_a_partition_that_came_from_the_taker_goes_back_first() -> None:
    moves = Movements([string_hash("t")])
    one, two = code_of(0, 1), code_of(0, 2)
    moves.record(0, one, giver=5, taker=6)
    assert moves.actual(0, two, giver=6, taker=5) == one
    assert moves.actual(0, two, giver=6, taker=7) == two
    moves.record(0, one, giver=6, taker=5)
    assert moves.actual(0, two, giver=6, taker=5) == two, "there and back is no move"


def test_two_moves_of_a_partition_count_as_one_from_its_first_owner() -> None:
    moves = Movements([string_hash("t")])
    one, two = code_of(0, 1), code_of(0, 2)
    moves.record(0, one, giver=1, taker=2)
    moves.record(0, one, giver=2, taker=3)
    assert moves.actual(0, two, giver=3, taker=1) == one


def test_the_balance_score_overflows_as_a_java_int_does() -> None:
    assert imbalance([0, 1, 5]) == 10
    assert imbalance([0] * 50_000 + [1] * 50_000) == (2_500_000_000 + (1 << 31)) % (1 << 32) - (1 << 31)
