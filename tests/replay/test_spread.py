"""The median of seeds, its interval, and humps: pure functions of numbers."""

from __future__ import annotations

from math import comb
from random import Random
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupsim.replay.spread import CONFIDENCE, histogram, median_interval, modes, narrow

VALUES = st.lists(st.integers(0, 1_000_000), min_size=1, max_size=60)


@given(VALUES, st.randoms())
def test_an_interval_encloses_the_median_and_does_not_depend_on_the_order(values: list[int], chance: Random) -> None:
    low, high = median_interval(values)
    assert low <= median(values) <= high
    assert {low, high} <= set(values)
    assert median_interval(chance.sample(values, len(values))) == (low, high)


@given(st.integers(6, 100))
def test_an_interval_is_the_narrowest_that_holds_the_true_median_as_often_as_promised(number: int) -> None:
    low, high = median_interval(range(number))
    covered = sum(comb(number, below) for below in range(int(low) + 1, int(high) + 1)) / 2**number
    narrower = sum(comb(number, below) for below in range(int(low) + 2, int(high))) / 2**number
    assert narrower < CONFIDENCE <= covered


def test_an_interval_of_nothing_is_an_error_and_of_few_values_is_all_of_them() -> None:
    assert median_interval([5, 1, 3]) == (1, 5)
    assert median_interval(range(5_000)) == (2_430, 2_569)
    with pytest.raises(ValueError, match="no values"):
        median_interval([])


@given(VALUES)
def test_more_of_the_same_values_never_make_a_stable_median_unstable(values: list[int]) -> None:
    if narrow(values, 0.05, 250):
        assert narrow(values * 2, 0.05, 250)


@given(VALUES)
def test_modes_share_out_all_values_and_keep_their_order(values: list[int]) -> None:
    found = modes(values)
    assert sum(mode.share for mode in found) == pytest.approx(1, abs=0.001)
    assert found[0].least == min(values)
    assert found[-1].most == max(values)
    if len(found) == 2:
        assert found[0].most < found[1].least
        assert all(mode.least <= mode.median <= mode.most and mode.share >= 0.19 for mode in found)


@given(st.integers(0, 1_000), st.integers(3_000, 9_000), st.integers(3, 20), st.integers(3, 20), st.randoms())
def test_two_groups_far_apart_are_two_modes_and_one_group_is_one(
    first: int, second: int, few: int, many: int, chance: Random
) -> None:
    low = [first + chance.randrange(500) for _ in range(few)]
    high = [second + chance.randrange(500) for _ in range(many)]
    assert len(modes(low, 501)) == 1
    if min(few, many) * 5 >= few + many:
        assert [mode.least for mode in modes([*low, *high], 500)] == [min(low), min(high)]


def test_a_histogram_has_a_column_for_each_part_of_the_range() -> None:
    assert histogram([1, 1, 1, 1, 10], 4) == "█  ▂"
    assert histogram([7, 7], 3) == "█  "
