"""Where a recorded log does not support a total, the total is unknown: no 0.0, and no figure beside it."""

from __future__ import annotations

from typing import Any

import pytest

from groupsim.analysis.tables.support import UNSUPPORTED, support, supported


def numbers(partition_ms: int, unknown_ms: int, rebalances: int = 3) -> dict[str, Any]:
    unavailable = {"partition_ms": partition_ms, "unknown_ms": unknown_ms, "share": 0.1, "by_label": {"WITHHELD": 1}}
    return {"unavailable": unavailable, "groups": {"billing": {"rebalances": rebalances}}}


def test_a_figure_that_the_log_supports_stays() -> None:
    found = supported({}, numbers(1_200, 100), 100_000)["unavailable"]
    assert (found["partition_ms"], found["known_share"]) == (1_200, 0.999)
    assert "unknown" not in found


@pytest.mark.parametrize(
    ("stored", "given", "total_ms", "reason"),
    [
        ({}, numbers(0, 0), 0, "no log names a partition"),
        ({}, numbers(5, 60_000), 100_000, "60 % of all partition time unknown"),
        ({}, numbers(0, 400), 100_000, "3 rebalances and of no unavailable partition"),
        ({UNSUPPORTED: ["a.json: its records are in no order"]}, numbers(5, 0), 100_000, "in no order"),
    ],
)
def test_a_figure_that_it_does_not_support_is_unknown(
    stored: dict[str, Any], given: dict[str, Any], total_ms: int, reason: str
) -> None:
    assert reason in (support(stored, given, total_ms).unknown or "")
    found = supported(stored, given, total_ms)["unavailable"]
    assert (found["partition_ms"], found["share"], found["by_label"]) == (None, None, {})


def test_no_rebalance_and_nothing_unavailable_is_zero() -> None:
    assert support({}, numbers(0, 0, rebalances=0), 100_000).unknown is None
