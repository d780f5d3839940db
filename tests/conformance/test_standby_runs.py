"""Recorded Kafka Streams applications of Kafka 4.4.0 with standbys played again: whether a setting makes it better.

All recordings, with figures and pairs: `python -m tests.conformance.standby_applications` (docs/results.md).
"""

from __future__ import annotations

from functools import cache
from statistics import median

import pytest

from tests.conformance.standby_applications import RUNS, Played, pairs, played

PAIRS = [
    ("N01-rolling-restart__streams", "N02-rolling-restart-standby__streams"),
    ("N02-rolling-restart-standby__streams", "N02-rolling-restart-standby__classic"),
    ("N02-rolling-restart-standby__streams", "N10-rolling-restart-no-volume-standby__streams"),
]
SEEDS = 1
"""Enough for these, which differ by half."""


@cache
def play(name: str) -> Played:
    return played(RUNS / f"{name}__r1.json.gz", SEEDS)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_a_pair_has_the_recorded_sign(one: str, other: str) -> None:
    plays = [play(one), play(other)]
    assert [right for *_, right in pairs(plays)] == [True], [(p.was, median(p.costs)) for p in plays]
