"""The best of several choices: how often it is found, how sure it is said to be, with how many runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from groupsim.advice.evidence import weigh
from groupsim.advice.selection import Goal, Selection, preferring, select

SEEDS = 400
Matrix = npt.NDArray[np.float64]


def problem(chance: np.random.Generator) -> Matrix:
    """Measures of 3 to 24 choices under common seeds, as unlike each other as those of simulations."""
    choices = int(chance.integers(3, 25))
    means = chance.lognormal(3, 1) * np.exp(chance.normal(0, chance.choice([0.05, 0.2, 0.6]), choices))
    varies, alike = chance.choice([0.03, 0.1, 0.3]), chance.choice([0.0, 0.5, 0.9])
    kind = int(chance.integers(3))

    def noise() -> Matrix:
        if kind == 0:
            return chance.normal(size=SEEDS)
        if kind == 1:
            return chance.gamma(1, 1, size=SEEDS) - 1
        two: Matrix = ((chance.random(SEEDS) < 0.15) - 0.15) / np.sqrt(0.15 * 0.85)
        return two

    common = noise()
    rows = [m * (1 + varies * (np.sqrt(alike) * common + np.sqrt(1 - alike) * noise())) for m in means]
    return np.array(rows)


def solved(measured: Matrix, goal: Goal) -> Selection:
    def sample(asked: Sequence[tuple[int, int]]) -> list[dict[str, float]]:
        return [{"partition_ms": float(measured[choice, seed])} for choice, seed in asked]

    return select(sample, len(measured), goal)


def best(found: Selection) -> int:
    assert found.evidence is not None
    return found.evidence.best


def test_it_is_right_as_often_as_it_says_and_uses_few_runs() -> None:
    chance = np.random.default_rng(11)
    right, said, shares = [], [], []
    for _ in range(150):
        measured = problem(chance)
        full = 50 * len(measured)
        found = solved(measured, Goal(budget=full))
        truth = measured.mean(axis=1)
        right.append(truth[best(found)] <= 1.05 * truth.min())
        said.append(found.confidence)
        shares.append(found.runs / full)
        assert found.runs <= full
    assert np.mean(right) >= 0.95
    assert np.mean(right) >= np.mean(said) - 0.02
    assert np.median(shares) <= 0.20


def test_choices_that_cost_nothing_at_all_are_better_than_another() -> None:
    costs = np.zeros((3, SEEDS))
    costs[2] = 900 + 50 * np.random.default_rng(3).random(SEEDS)
    found = solved(costs, Goal(budget=150))
    assert found.reached
    assert found.runs < 40
    assert best(found) == 0


def test_equal_choices_are_never_quite_sure_and_a_clear_best_is_found_at_once() -> None:
    flat = np.full((4, SEEDS), 7.0)
    found = solved(flat, Goal())
    assert found.reached
    assert 4 * 6 <= found.runs < 4 * 10
    assert found.confidence < 0.97
    flat[2] = 3.0
    clear = solved(flat, Goal())
    assert best(clear) == 2
    assert clear.runs == 4 * 6  # fewer seeds that all agree show no direction
    assert 0.99 < clear.confidence < 1  # six runs that are alike prove no probability of 1
    assert clear.evidence is not None
    difference = clear.evidence.differences[0]
    assert difference.mean == 4.0
    low, high = difference.interval()
    assert 0 < low < 4 < high


def test_common_seeds_count_for_nothing() -> None:
    chance = np.random.default_rng(3)
    common = chance.normal(0, 50, SEEDS)
    measured = np.array([100 + common, 110 + common + chance.normal(0, 0.1, SEEDS)])
    found = solved(measured, Goal())
    assert best(found) == 0
    assert found.evidence is not None
    assert found.runs == 12
    low, high = found.evidence.differences[1].interval()
    assert 9 < low < 10 < high < 11


def test_a_budget_ends_it_and_the_confidence_is_said_as_it_is() -> None:
    chance = np.random.default_rng(5)
    measured = chance.normal(100, 40, (6, SEEDS))
    found = solved(measured, Goal(indifference=0.0, budget=40))
    assert not found.reached
    assert found.runs <= 40
    assert found.confidence < 0.95


def test_two_runs_of_each_choice_are_the_least() -> None:
    with pytest.raises(ValueError, match="two runs or more"):
        weigh({0: [1.0, 2.0], 1: [1.0]}, 0.05)


def bounded(costs: Matrix, others: Matrix, goal: Goal) -> Selection:
    def sample(asked: Sequence[tuple[int, int]]) -> list[dict[str, float]]:
        return [{"partition_ms": float(costs[i, s]), "detection_ms": float(others[i, s])} for i, s in asked]

    return select(sample, len(costs), goal)


def test_the_best_of_those_that_keep_a_bound() -> None:
    chance = np.random.default_rng(7)
    costs = np.array([[10.0], [20.0], [30.0]]) + chance.normal(0, 1, (3, SEEDS))
    detection = np.array([[900.0], [500.0], [100.0]]) + chance.normal(0, 20, (3, SEEDS))
    assert [best(bounded(costs, detection, Goal(bounds={"detection_ms": most}))) for most in (1_000, 600, 200)] == [
        0,
        1,
        2,
    ]
    none = bounded(costs, detection, Goal(bounds={"detection_ms": 10}))
    assert none.evidence is None
    assert none.reached


def test_a_bound_that_is_nearly_met_takes_more_runs() -> None:
    chance = np.random.default_rng(8)
    costs = np.array([[10.0], [20.0]]) + chance.normal(0, 1, (2, SEEDS))
    detection = np.array([[100.0], [50.0]]) + chance.normal(0, 20, (2, SEEDS))
    clear = bounded(costs, detection, Goal(bounds={"detection_ms": 150}))
    near = bounded(costs, detection, Goal(bounds={"detection_ms": 101}, budget=60))
    assert clear.runs == 12
    assert near.runs > clear.runs
    assert near.confidence < clear.confidence


def test_the_smallest_change_is_taken_also_where_the_budget_ends_before_it_is_sure() -> None:
    chance = np.random.default_rng(5)
    common = chance.normal(0, 20, SEEDS)
    alike = [mean + common + chance.normal(0, 0.1, SEEDS) for mean in (100, 100.5, 120, 130)]
    measured = np.array([*alike, chance.normal(112, 60, SEEDS)])
    goal = Goal(budget=50)
    found = solved(measured, goal)
    assert not found.reached
    assert best(found) == 0
    smaller = preferring(found, goal, [4, 2, 1, 0, 3])
    assert best(smaller) == 1
    assert smaller.confidence < 0.95
    assert best(preferring(found, goal, [4, 2, 0, 1, 3])) == 0  # one is worse, the other may be
