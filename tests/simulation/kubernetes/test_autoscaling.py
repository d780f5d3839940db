"""The formulas of HorizontalPodAutoscaler and KEDA, by what they document and their own tests expect."""

from __future__ import annotations

from typing import Any

import pytest

from groupsim.simulation.kubernetes.autoscaler import KafkaTrigger
from groupsim.simulation.kubernetes.hpa import Behaviour, Policy, Rules, desired_for_average

AVERAGES = (  # total lag, lag wanted each, pods now, pods wanted; the first six of replica_calculator_test.go
    (8600, 2867, 5, 3),
    (8600, 2150, 3, 4),
    (8600, 2900, 3, 3),
    (20_000, 5_000, 3, 4),
    (6_000, 2_000, 5, 3),
    (20_166, 5_000, 4, 4),
    (8601, 2150, 3, 5),
    (100, 10, 10, 10),
    (109, 10, 10, 10),  # within a tenth
    (111, 10, 10, 12),
    (91, 10, 10, 10),
    (89, 10, 10, 9),
    (0, 10, 4, 0),
    (1, 10, 0, 1),
    (35, 10, 0, 4),
)
LAGS: tuple[
    tuple[dict[str, Any], dict[int, int], tuple[int, ...], int, bool], ...
] = (  # settings, lag by partition, stuck partitions, metric, active
    ({}, {0: 5, 1: 5}, (), 10, True),
    ({}, {0: 500, 1: 0, 2: 0}, (), 30, True),  # three partitions, ten each
    ({"allow_idle_consumers": True}, {0: 500, 1: 0, 2: 0}, (), 500, True),
    ({"limit_to_partitions_with_lag": True}, {0: 500, 1: 0, 2: 0}, (), 10, True),
    ({"allow_idle_consumers": True, "limit_to_partitions_with_lag": True}, {0: 500, 1: 3}, (), 20, True),
    ({"lag_threshold": 100}, {0: 150, 1: 149}, (), 299, True),
    ({"lag_threshold": 100}, {0: 250, 1: 49}, (), 299, True),
    ({"lag_threshold": 100}, {0: 250, 1: 50}, (), 200, True),
    ({"activation_lag_threshold": 20}, {0: 20}, (), 10, False),
    ({"activation_lag_threshold": 20}, {0: 21}, (), 10, True),
    ({"exclude_persistent_lag": True}, {0: 9, 1: 7}, (1,), 9, True),
    ({"exclude_persistent_lag": True}, {0: 0, 1: 7}, (1,), 0, True),
    ({}, {0: 0, 1: 0}, (), 0, False),
)


@pytest.mark.parametrize(("total", "each", "replicas", "wanted"), AVERAGES)
def test_pods_for_an_average(total: int, each: int, replicas: int, wanted: int) -> None:
    assert desired_for_average(total, each, replicas) == wanted


@pytest.mark.parametrize(("settings", "lag", "stuck", "metric", "active"), LAGS)
def test_the_lag_that_keda_reports(
    settings: dict[str, Any], lag: dict[int, int], stuck: tuple[int, ...], metric: int, active: bool
) -> None:
    assert KafkaTrigger(**settings).total(lag, frozenset(stuck)) == (metric, active)


def test_it_doubles_or_adds_four_in_fifteen_seconds() -> None:
    behaviour = Behaviour(most=100)
    assert [behaviour.allowed(at_ms, now, 100) for at_ms, now in ((0, 1), (15_000, 5), (30_000, 10))] == [5, 10, 20]
    assert behaviour.allowed(35_000, 20, 100) == 20  # ten were added within this period


def test_going_down_waits_for_the_highest_wish_of_five_minutes() -> None:
    behaviour = Behaviour(most=20)
    behaviour.allowed(0, 10, 10)
    counts = [behaviour.allowed(at_ms, 10, 2) for at_ms in range(15_000, 330_000, 15_000)]
    assert counts == [10] * 19 + [2, 2]  # the wish of time 0 counts for 300 s


def test_a_window_for_going_up_takes_the_lowest_wish() -> None:
    behaviour = Behaviour(up=Rules((Policy("pods", 4),), window_ms=60_000), most=20)
    behaviour.allowed(0, 2, 2)
    assert [behaviour.allowed(at_ms, 2, 9) for at_ms in (15_000, 30_000, 45_000)] == [2, 2, 2]
    assert behaviour.allowed(60_000, 2, 9) == 6


@pytest.mark.parametrize(
    ("select", "count"), [("max", 15), ("min", 18), ("disabled", 20)], ids=["most", "least", "not at all"]
)
def test_policies_of_going_down(select: str, count: int) -> None:
    policies = (Policy("pods", 2, 60_000), Policy("percent", 25, 60_000))
    behaviour = Behaviour(down=Rules(policies, window_ms=0, select=select), most=20)
    assert behaviour.allowed(0, 20, 1) == count


def test_a_percentage_adds_at_least_one_pod_and_removes_whole_ones() -> None:
    behaviour = Behaviour(
        up=Rules((Policy("percent", 10),), window_ms=0), down=Rules((Policy("percent", 10),), window_ms=0), most=20
    )
    assert behaviour.allowed(0, 3, 20) == 4
    assert behaviour.allowed(60_000, 15, 1) == 13


def test_the_least_and_the_most_count() -> None:
    behaviour = Behaviour(down=Rules((Policy("percent", 100),), window_ms=0), least=3, most=7)
    assert behaviour.allowed(0, 5, 50) == 7
    assert behaviour.allowed(60_000, 5, 0) == 3
