"""The choices that no other beats in several measures."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from groupsim.advice.pareto import select_front
from groupsim.advice.selection import Goal, Row, Sample

GOAL = Goal("cost", also=("delay",), budget=3_000)


def sampler(truth: Sequence[tuple[float, float]], noise: float, seed: int = 0) -> Sample:
    """Rows around the true means; each seed makes all choices cost more or less alike."""

    def sample(asked: Sequence[tuple[int, int]]) -> list[Row]:
        rows: list[Row] = []
        for choice, nth in asked:
            shared = Random(f"{seed}/{nth}").gauss(0, 0.1)
            own = Random(f"{seed}/{nth}/{choice}")
            cost, delay = truth[choice]
            rows.append(
                {
                    "cost": cost * (1 + shared + own.gauss(0, noise)),
                    "delay": delay * (1 + shared + own.gauss(0, noise)),
                }
            )
        return rows

    return sample


def test_cheap_and_quick_choices_remain_and_what_both_beat_does_not() -> None:
    found, front = select_front(sampler([(10, 90), (90, 10), (40, 40), (60, 60), (95, 95)], 0.03), 5, GOAL)
    assert front.members == [0, 2, 1]
    assert found.reached
    assert found.runs < 5 * 50


def test_of_choices_that_are_alike_the_first_stands_for_the_others() -> None:
    _, front = select_front(sampler([(10, 90), (10, 90), (90, 10)], 0), 3, GOAL)
    assert front.members == [0, 2]
    assert front.alike == {0: [1], 2: []}


def test_a_bound_leaves_choices_out() -> None:
    goal = Goal("cost", {"delay": 50}, also=("delay",), budget=3_000)
    _, front = select_front(sampler([(10, 90), (90, 10), (40, 40)], 0.02), 3, goal)
    assert front.members == [2, 1]


def test_it_is_wrong_no_more_often_than_it_says() -> None:
    wrong = 0
    for seed in range(60):
        truth = [(20.0, 80.0), (80.0, 20.0), (22.0, 88.0), (50.0, 50.0), (53.5, 53.5), (90.0, 25.0)]
        found, front = select_front(sampler(truth, 0.05, seed), len(truth), GOAL)
        wrong += found.reached and set(front.members) != {0, 1, 3}
    assert wrong <= 6


@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40)), min_size=1, max_size=8),
    st.integers(0, 5),
)
def test_without_chance_no_member_is_beaten_beyond_the_zone(truth: list[tuple[int, int]], seed: int) -> None:
    _, front = select_front(sampler([(float(a), float(b)) for a, b in truth], 0, seed), len(truth), GOAL)
    assert front.members
    zone = 1 + GOAL.indifference
    for i in front.members:
        for cost, delay in truth:
            assert not (cost * zone < truth[i][0] and delay * zone < truth[i][1])
