"""Percentages, counts and ranges."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from groupsim.wording.numbers import counted, percent_change, percent_change_range, probability, seconds_range

MS = st.integers(0, 10_000_000)


@given(st.floats(0.0, 3.0))
def test_a_percentage_of_zero_has_no_sign(quotient: float) -> None:
    shown = percent_change(quotient)
    assert shown is not None
    assert (shown == "0 %") == (round((quotient - 1) * 100) == 0)
    assert "-" not in percent_change_range((quotient, 1.0)).replace("−", "")


@given(st.lists(MS, min_size=1))
def test_a_range_names_its_ends_once_and_the_lower_one_first(ms: list[int]) -> None:
    ends = [float(end.replace(",", "")) for end in seconds_range(ms).split(" to ")]
    assert ends == sorted(set(ends))
    assert abs(ends[0] - min(ms) / 1_000) <= 0.0501
    assert abs(ends[-1] - max(ms) / 1_000) <= 0.0501


@given(st.integers(0, 10_000_000))
def test_only_one_thing_has_no_plural(number: int) -> None:
    assert counted(number, "fact").endswith("s") == (number != 1)


@given(st.floats(0.0, 1.0))
def test_a_probability_is_never_shown_as_more_than_it_is(value: float) -> None:
    assert float(probability(value)) <= value
