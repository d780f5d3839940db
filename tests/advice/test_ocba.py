"""A budget divided among choices."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from groupsim.advice.ocba import allocation


def test_the_published_example() -> None:
    means, variances = [1.2, 2.1, 3.4, 4.87, 6.05], [3.3, 2, 4.5, 5.3, 6.9]
    assert allocation(means, variances, [12, 6, 5, 5, 4], 100) == [48, 38, 11, 2, 1]


def test_one_choice_gets_everything_and_equal_ones_about_as_much() -> None:
    assert allocation([3.0], [1.0], [4], 10) == [10]
    even = allocation([1.0, 1.0], [2.0, 2.0], [5, 5], 10)
    assert even == [5, 5]


def test_what_had_more_than_its_share_gets_nothing() -> None:
    given_ = allocation([1.0, 1.1, 9.0], [1.0, 1.0, 1.0], [5, 5, 50], 20)
    assert given_[2] == 0
    assert sum(given_) == 20


@given(
    st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(0, 1e6), st.integers(2, 50)), min_size=1, max_size=12),
    st.integers(0, 500),
)
def test_the_whole_budget_is_given_and_nothing_taken_back(found: list[tuple[float, float, int]], more: int) -> None:
    means, variances, runs = (list(column) for column in zip(*found, strict=True))
    given_ = allocation(means, variances, runs, more)
    assert sum(given_) == more
    assert min(given_) >= 0
