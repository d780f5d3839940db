"""One way to roll alone, with a crash behind it: what an advice about a deployment compares."""

from __future__ import annotations

import pytest

from groupsim.analysis.tables.measures import measured
from groupsim.scenarios.catalogue import find
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore

SMALL = {"replicas": 4, "partitions": 8, "duration.ms": 300_000}


def measures(**settings: object) -> dict[str, float]:
    store = MemoryStore()
    result = run(find("four_ways_to_roll"), store, settings=SMALL | settings, record="facts")  # type: ignore[arg-type]
    assert result.ok, result.failure
    return measured(list(store.read(result.info.id)))


def test_static_names_help_in_a_stateful_set_and_hurt_in_a_deployment() -> None:
    static, renamed, plain = (measures(way=way) for way in ("static", "static-new-names", "as-it-comes"))
    assert static["rebalances"] == 1 < plain["rebalances"]
    assert renamed["detection_ms"] > 40_000 > 10_000 > static["detection_ms"]
    assert renamed["after_start_ms"] > 3 * plain["after_start_ms"]


def test_a_process_that_dies_is_noticed_after_the_session() -> None:
    short, long = (measures(way="all-new-first", crashes=1, session_timeout_ms=ms) for ms in (10_000, 45_000))
    assert 6_000 < short["detection_ms"] <= 10_000
    assert 40_000 < long["detection_ms"] <= 45_000
    assert measures(way="all-new-first")["detection_ms"] == 0


def test_a_larger_surge_means_fewer_rebalances() -> None:
    one, all_ = (measures(way="as-it-comes", max_surge=most, max_unavailable="0") for most in ("1", "100%"))
    assert all_["rebalances"] < one["rebalances"]


def test_another_way_is_refused() -> None:
    with pytest.raises(BadScenario, match="way must be all, as-it-comes"):
        measures(way="at-once")
