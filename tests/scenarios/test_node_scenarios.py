"""Drained nodes and spot instances: what an advice about budget, session and static members compares."""

from __future__ import annotations

import pytest

from groupsim.analysis.tables.measures import measured
from groupsim.scenarios.catalogue import find
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore

SMALL = {"replicas": 6, "partitions": 12, "nodes": 2, "duration.ms": 400_000}
SPOT = {"replicas": 4, "partitions": 8, "nodes": 4, "every_ms": 400_000, "duration.ms": 960_000}


def measures(name: str, **settings: object) -> dict[str, float]:
    store = MemoryStore()
    result = run(find(name), store, settings=settings, record="facts")  # type: ignore[arg-type]
    assert result.ok, result.failure
    return measured(list(store.read(result.info.id)))


def test_pods_that_go_one_by_one_cost_more_rebalances_than_pods_that_go_together() -> None:
    one, all_, none = (
        measures("node_drain", **SMALL, way=way, max_unavailable=most)
        for way, most in (("budget", "1"), ("budget", "100%"), ("no-budget", "1"))
    )
    assert one["rebalances"] > all_["rebalances"]
    assert one["max_partitions"] <= none["max_partitions"]
    assert all_["rebalances"] == none["rebalances"]


def test_static_members_that_are_back_within_their_session_cause_no_rebalance() -> None:
    times = {"start_ms": 8_000, "start_spread_ms": 0}
    long, short = (
        measures("node_drain", **SMALL, **times, way="static", max_unavailable="100%", session_timeout_ms=ms)
        for ms in (45_000, 6_000)
    )
    assert long["rebalances"] == 1 < short["rebalances"]
    assert long["detection_ms"] < 16_000


def test_a_session_says_how_long_a_node_without_a_notice_is_missed() -> None:
    notice = measures("spot_instances", **SPOT, notice="half-minute")
    short, long = (
        measures("spot_instances", **SPOT, notice="no-notice", session_timeout_ms=ms) for ms in (10_000, 45_000)
    )
    assert notice["detection_ms"] == 0
    assert 8_000 < short["detection_ms"] < 20_000 < 40_000 < long["detection_ms"]
    assert notice["after_start_ms"] < short["after_start_ms"] < long["after_start_ms"]


def test_static_members_are_no_help_where_their_node_went_without_a_notice() -> None:
    one, other = (
        measures("spot_instances", **SPOT, notice="no-notice", session_timeout_ms=10_000, static=static)
        for static in (False, True)
    )
    assert 0.6 < one["after_start_ms"] / other["after_start_ms"] < 1.7
    assert other["rebalances"] > 3


@pytest.mark.parametrize(
    ("name", "settings", "sentence"),
    [
        ("node_drain", {"way": "gently"}, "way must be all, no-budget, budget, static"),
        ("node_drain", {"max_unavailable": "few"}, "max_unavailable must be a number of pods or a percentage"),
        ("spot_instances", {"notice": "soon"}, "notice must be all, two-minutes, half-minute, no-notice"),
    ],
)
def test_what_makes_no_sense_is_refused(name: str, settings: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadScenario, match=sentence):
        measures(name, **settings)
