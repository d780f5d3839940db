"""Where the best choice changes along something unknown."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from groupsim.advice.advice import Advice
from groupsim.advice.errors import AdviceError
from groupsim.advice.flips import along
from groupsim.advice.selection import Goal, Row, Sample, select
from groupsim.advice.unknown import Range, drawn, unknown

DOWNTIME = {"downtime_ms": Range(1_000, 64_000, whole=True)}
STATIC, DYNAMIC, WORSE = range(3)


def cost(choice: int, downtime: float, seed: int) -> float:
    """Static members cost their downtime, dynamic ones a fixed 20 s, whatever it is."""
    exact = {STATIC: 2 * downtime, DYNAMIC: 40_000, WORSE: 3 * downtime + 60_000}[choice]
    return exact * (1 + 0.02 * Random(f"{choice}/{seed}").gauss(0, 1))


def advice(middle: float) -> Advice:
    def sample(asked: Sequence[tuple[int, int]]) -> list[Row]:
        return [{"partition_ms": cost(choice, middle, seed)} for choice, seed in asked]

    choices = [{"static": "true"}, {"static": "false"}, {"static": "false", "assignor": "slow"}]
    return Advice(choices, Goal(), select(sample, 3, Goal()))


def at(contenders: Sequence[int], key: str, value: str) -> Sample:
    assert key == "downtime_ms"
    return lambda asked: [{"partition_ms": cost(contenders[i], float(value), seed)} for i, seed in asked]


@pytest.mark.parametrize("middle", [4_000, 50_000])
def test_the_flip_lies_where_both_cost_the_same(middle: float) -> None:
    (found,) = along(advice(middle), DOWNTIME, at)
    (flip,) = found.flips
    assert (flip.before, flip.after) == (STATIC, DYNAMIC)
    assert 18_000 <= float(flip.below) < float(flip.above) <= 22_000


def test_there_is_none_where_one_choice_is_always_best() -> None:
    (found,) = along(advice(4_000), {"downtime_ms": Range(100, 9_000, whole=True)}, at)
    assert found.flips == []
    assert [min(means, key=lambda i: means[i]) for means in found.means.values()] == [STATIC] * 5


def test_what_is_unknown_is_the_same_for_all_choices_under_a_seed_and_within_its_range() -> None:
    between = unknown(["downtime_ms=1000..64000", "share=0..0.5"])
    rows = [drawn(between, seed) for seed in range(200)]
    assert rows == [drawn(between, seed) for seed in range(200)]
    downtimes = [int(row["downtime_ms"]) for row in rows]
    assert min(downtimes) >= 1_000
    assert max(downtimes) <= 64_000
    below = sum(ms < 8_000 for ms in downtimes)  # the middle, as ratios
    assert 70 <= below <= 130
    assert all(0 <= float(row["share"]) <= 0.5 for row in rows)


@pytest.mark.parametrize("text", ["downtime_ms", "downtime_ms=5", "=1..2", "downtime_ms=9..1", "a=1..2,3"])
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(AdviceError, match="--unknown"):
        unknown([text])
