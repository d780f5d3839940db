"""Numbers that are evenly spread over the seeds of a what-if."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from groupsim.replay.even_sequences import MIDDLE, EvenDraws


def numbers(seeds: range, question: int) -> list[float]:
    """The numbers of one question, by seed."""
    found = []
    for seed in seeds:
        draws = EvenDraws(seed)
        found.append([draws.next() for _ in range(question + 1)][-1])
    return found


@settings(max_examples=40)
@given(st.integers(0, 1_000), st.integers(4, 40), st.integers(0, 12))
def test_any_seeds_in_a_row_leave_no_great_gap(first: int, many: int, question: int) -> None:
    found = sorted(numbers(range(first, first + many), question))
    around = [*found, found[0] + 1]
    assert max(after - before for before, after in pairwise(around)) <= 3 / many
    assert 0 <= found[0] <= found[-1] < 1


def test_the_first_seed_has_the_middle_and_two_questions_differ() -> None:
    assert numbers(range(1), 0) == [MIDDLE]
    assert numbers(range(5), 0)[1:] != numbers(range(5), 1)[1:]
