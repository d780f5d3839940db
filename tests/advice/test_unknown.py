"""What nobody knows: the first few draws cover its range, and an advice is not sure of what they left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groupsim.advice.advice import Advice
from groupsim.advice.advising import advised
from groupsim.advice.choices import Choice
from groupsim.advice.current_settings import of_values
from groupsim.advice.selection import Goal, Row, Sample
from groupsim.advice.unknown import Range, Unknown, drawn, unknown

AWAY = {"away_ms": Range(200, 9_000, whole=True)}
CHOICES = [{"static": "true"}, {"static": "false"}]


def shares(between: Unknown, seeds: int, first: int) -> list[list[float]]:
    rows = [drawn(between, nth, first) for nth in range(seeds)]
    return [sorted(found.share(float(row[key])) for row in rows) for key, found in between.items()]


@settings(derandomize=True, max_examples=60, deadline=None)
@given(first=st.integers(0, 10**6), seeds=st.integers(2, 200))
def test_draws_are_evenly_spread_however_many_there_are(first: int, seeds: int) -> None:
    between = unknown(["away_ms=1000.0..64000", "share=0..0.5", "pause_ms=100.0..9000"])
    for places, widest in zip(shares(between, seeds, first), (2, 3, 5), strict=True):
        gaps = [high - low for low, high in pairwise([*places, places[0] + 1])]
        assert max(gaps) <= widest / seeds + 1e-3


def test_draws_are_other_ones_with_another_first_seed_and_the_same_again_with_the_same() -> None:
    assert [drawn(AWAY, nth, 5) for nth in range(9)] == [drawn(AWAY, nth, 5) for nth in range(9)]
    assert len({drawn(AWAY, 0, first)["away_ms"] for first in range(50)}) > 40


def test_two_unknowns_are_drawn_independently_of_each_other() -> None:
    between = unknown(["one=0.0..1", "two=0.0..1"])
    rows = [drawn(between, nth) for nth in range(400)]
    both = sum(float(row["one"]) < 0.5 and float(row["two"]) < 0.5 for row in rows)
    assert 90 <= both <= 110


class Seldom:
    """Static members are better but for the upper `part` of the range of times away; in the mean they are worse."""

    def __init__(self, part: float, first_seed: int) -> None:
        self._part, self._first = part, first_seed

    def sample(self, choices: Sequence[Choice], unknown: Unknown, held: Mapping[str, str] | None = None) -> Sample:
        def sampled(asked: Sequence[tuple[int, int]]) -> list[Row]:
            return [
                self._row(choices[i], {**drawn(unknown, nth, self._first), **(held or {})}, nth) for i, nth in asked
            ]

        return sampled

    def _row(self, choice: Choice, values: Mapping[str, str], nth: int) -> Row:
        beyond = AWAY["away_ms"].share(float(values["away_ms"])) > 1 - self._part
        static, dynamic = 10_000 + (24_000 / self._part if beyond else 0), 25_000
        noise = Random(f"{self._first + nth}/{choice.get('static')}").gauss(0, 2_000)
        return {"partition_ms": (static if choice.get("static") == "true" else dynamic) + noise}


def answered(part: float, first_seed: int) -> Advice:
    return advised(Seldom(part, first_seed), CHOICES, Goal(), AWAY, 100, of_values({"static": "false"}, CHOICES))


@pytest.mark.parametrize("part", [0.3, 0.125, 0.06])
def test_an_advice_is_seldom_sure_and_wrong_where_a_small_part_of_what_is_unknown_decides(part: float) -> None:
    found = [answered(part, first) for first in range(0, 1_200, 20)]
    wrong = [each.selection.evidence is not None and each.selection.evidence.best == 0 for each in found]
    sure_and_wrong = sum(w and each.selection.confidence >= 0.95 for w, each in zip(wrong, found, strict=True))
    assert sure_and_wrong <= 0.05 * len(found)
    assert sum(wrong) <= 0.1 * len(found)
