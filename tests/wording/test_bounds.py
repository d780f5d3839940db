"""What is said of a total that is known in bounds only."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groupsim.wording.bounds import is_near, near_word

MS = st.integers(0, 10_000_000)


@pytest.mark.parametrize(
    ("total", "least", "most", "word"),
    [
        (107_500, 90_000, 120_000, "about"),
        (107_500, 90_000, 107_520, "at most"),
        (107_500, 107_500, 120_000, "at least"),
        (107_500, 90_000, None, "about"),
    ],
)
def test_a_total_that_is_one_of_its_bounds_is_not_about(total: int, least: int, most: int | None, word: str) -> None:
    assert near_word(total, least, most) == word


@given(MS, MS, MS)
def test_a_total_that_is_shown_beside_its_bounds_is_about_right_and_within_half_and_double(
    a: int, b: int, c: int
) -> None:
    least, total, most = sorted((a, b, c))
    if is_near(total, least, most):
        assert near_word(total, least, most) == "about"
        assert total / 2 <= least <= total <= most <= 2 * total
