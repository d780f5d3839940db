"""The search among many choices finds what is known to be best, the same under the same seed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

import pytest

from groupsim.advice.choices import Choice, Space, vary
from groupsim.advice.errors import AdviceError
from groupsim.advice.large_search import BATCH, FEW, FINALISTS, SEEDS, TRIALS, Found, found, is_many
from groupsim.advice.refused import Refused
from groupsim.advice.selection import Goal, Row, Sample

RANGE = vary(["session=1000..100000", "assignor=range,sticky,cooperative"])
PLAIN = Goal()
GRID = vary([f"{key}={','.join(map(str, range(1, 10)))}" for key in "abc"])


def anything(_choice: Choice) -> None:
    """Every choice can be."""


def near_nine_seconds(choices: Sequence[Choice]) -> Sample:
    """The further the session from 9 s (as a ratio), the worse; sticky is best; common noise and some of its own."""

    def sample(asked: Sequence[tuple[int, int]]) -> list[Row]:
        return [{"partition_ms": _cost(choices[i], nth), "rebalances": int(choices[i]["session"])} for i, nth in asked]

    return sample


def _cost(choice: Choice, nth: int) -> float:
    noise = Random(f"{nth}").gauss(0, 200) + Random(f"{nth}/{choice}").gauss(0, 20)
    apart = abs(math.log(int(choice["session"]) / 9_000))
    return 1_000 + 400 * apart + {"range": 300, "sticky": 0, "cooperative": 100}[choice["assignor"]] + noise


def searched(seed: int = 0, goal: Goal = PLAIN, most: int | None = None) -> Found:
    return found(RANGE, near_nine_seconds, anything, goal, seed, most)


@pytest.mark.parametrize("seed", range(3))
def test_the_search_comes_near_an_optimum_that_no_six_values_have(seed: int) -> None:
    best = [choice for choice in searched(seed).choices if choice["assignor"] == "sticky"]
    assert min(abs(math.log(int(choice["session"]) / 9_000)) for choice in best) < 0.15
    assert len(best) >= FINALISTS / 2


def test_the_same_seed_tries_the_same_and_counts_its_runs() -> None:
    first = searched(4)
    assert first == searched(4) != searched(5)
    assert len(first.choices) == FINALISTS < first.tried <= TRIALS
    assert first.runs == first.tried * SEEDS
    assert all(len(choice["session"].rstrip("0")) <= 2 for choice in first.choices)


def test_of_choices_that_a_setting_without_effect_makes_one_is_left() -> None:
    space = {**RANGE, "nothing": ["1", "2", "3"]}
    choices = found(space, near_nine_seconds_whatever_else, anything, PLAIN, 0, None).choices
    assert len({(choice["session"], choice["assignor"]) for choice in choices}) == len(choices) == FINALISTS


def near_nine_seconds_whatever_else(choices: Sequence[Choice]) -> Sample:
    return near_nine_seconds([{key: choice[key] for key in RANGE} for choice in choices])


def test_of_several_measures_it_leaves_choices_that_none_beats() -> None:
    choices = searched(goal=Goal(also=("rebalances",))).choices  # sessions as short as possible, and near 9 s
    sessions = sorted(int(choice["session"]) for choice in choices)
    assert sessions[0] < 2_000
    assert 5_000 < sessions[-1] < 12_000


def test_a_bound_keeps_the_search_where_it_is_kept() -> None:
    assert all(int(choice["session"]) <= 5_000 for choice in searched(goal=Goal(bounds={"rebalances": 5_000})).choices)


def test_a_choice_that_cannot_be_is_passed_over() -> None:
    def short(choice: Choice) -> Refused | None:
        return Refused(choice, "too long") if int(choice["session"]) > 6_000 else None

    left = found(RANGE, near_nine_seconds, short, Goal(), 0, None)
    assert left.choices
    assert left.refused
    assert all(int(each.choice["session"]) > 6_000 for each in left.refused)
    assert all(int(choice["session"]) <= 6_000 for choice in left.choices)


def test_where_none_can_be_one_sentence_says_why() -> None:
    def never(choice: Choice) -> Refused:
        return Refused(choice, "too long")

    with pytest.raises(AdviceError, match=r"none of 64 choices .* is possible: session=\d+ .*: too long"):
        found(RANGE, near_nine_seconds, never, Goal(), 0, None)


def test_a_small_budget_tries_less_and_one_too_small_is_refused() -> None:
    assert searched(most=60).tried <= 20
    with pytest.raises(AdviceError, match="a search needs 48 runs at least"):
        searched(most=BATCH * SEEDS - 1)


@pytest.mark.parametrize(("space", "many"), [(RANGE, True), (GRID, True), ({"a": ["1"] * FEW}, False)])
def test_ranges_and_large_grids_are_searched(space: Space, many: bool) -> None:
    assert is_many(space) is many
