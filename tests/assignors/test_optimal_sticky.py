"""optimal-sticky against every possible answer, and its certificate against tampering."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

from groupsim.assignors.extra.min_cost_flow import Network
from groupsim.assignors.extra.optimal_sticky import network, solve, valid_owners
from groupsim.assignors.problem import Group
from groupsim.assignors.spec import Member, Spec
from groupsim.events.types import TopicPartition
from tests.assignors.strategies import specs


def best_by_trying_all(spec: Spec) -> tuple[int, int]:
    """Least sum of squared sizes and, with it, fewest partitions away from their previous owner."""
    group = Group.of(spec)
    owner = {
        (group.names[code >> 32], code & 0xFFFFFFFF): group.members[i].id
        for i, code in zip(*(part.tolist() for part in valid_owners(group)), strict=True)
    }
    every, choices = [], []
    for topic, count in spec.partitions.items():
        takers = [member.id for member in spec.members if topic in member.topics]
        if takers:
            every += [(topic, number) for number in range(count)]
            choices += [takers] * count
    best = (10**9, 10**9)
    for choice in product(*choices):
        squares = sum(choice.count(member.id) ** 2 for member in spec.members)
        moves = sum(owner.get(partition) != taker for partition, taker in zip(every, choice, strict=True))
        best = min(best, (squares, moves))
    return best


@settings(max_examples=150, deadline=None)
@given(specs(members=4, partitions=2))
def test_no_answer_of_all_is_better_than_the_optimum(spec: Spec) -> None:
    answer, certificate = solve(spec)
    squares, moves = best_by_trying_all(spec)
    assert (certificate.squares, certificate.moves) == (squares, moves)
    assert sum(len(assigned) ** 2 for assigned in answer.values()) == squares


@settings(deadline=None)
@given(specs(members=9, partitions=12))
def test_every_optimum_comes_with_a_proof(spec: Spec) -> None:
    assert solve(spec)[1].proved


def test_a_worse_answer_does_not_reach_the_bound() -> None:
    owned = tuple(TopicPartition("t", n) for n in range(4))
    spec = Spec((Member("a", ("t",), owned, 1), Member("b", ("t",))), {"t": 4})
    group = Group.of(spec)
    owners, codes = valid_owners(group)
    net: Network = network(group, owners, codes, np.zeros(2, np.int64))
    proof = net.solve()
    assert net.cost() == (8, 2)
    assert proof.bound == 8 * proof.weight + 2
    assert 10 * proof.weight + 1 > proof.bound


def test_a_chain_of_moves_is_found_where_no_single_move_helps() -> None:
    """a may only have x, c only y: a's surplus reaches c through b."""
    xs = [TopicPartition("x", n) for n in range(4)]
    ys = [TopicPartition("y", n) for n in range(3)]
    spec = Spec(
        (
            Member("a", ("x",), tuple(xs[:3]), 1),
            Member("b", ("x", "y"), (xs[3], ys[0]), 1),
            Member("c", ("y",), (), 1),
        ),
        {"x": 4, "y": 2},
    )
    answer, certificate = solve(spec)
    assert sorted(len(assigned) for assigned in answer.values()) == [2, 2, 2]
    assert certificate.moves == 3


@pytest.mark.parametrize("members", [0, 1])
def test_the_smallest_groups_have_an_optimum_too(members: int) -> None:
    spec = Spec(tuple(Member(f"m{i}", ("t",)) for i in range(members)), {"t": 3})
    answer, certificate = solve(spec)
    assert {member: len(assigned) for member, assigned in answer.items()} == {f"m{i}": 3 for i in range(members)}
    assert certificate.proved
