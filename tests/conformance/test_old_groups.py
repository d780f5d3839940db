"""The measure of old groups, on runs that are written down here; the quiet host beside steps that were recorded."""

from __future__ import annotations

from pathlib import Path
from statistics import mean, median
from typing import Any

import pytest

from groupsim.conformance.timelines.recorded_form import library
from groupsim.conformance.timelines.reenact import reenact_on_hosts
from groupsim.simulation.clients.config import JAVA, KAFKA_PYTHON, LIBRDKAFKA
from tests.conformance.old_group_steps import Steps, quantiles
from tests.conformance.old_groups import START_MS, Recorded, lateness, rebalances, spread_ms

INTERVAL_MS = 3_000
GOLDEN = Path(__file__).parents[1] / "golden" / "old-groups"
SIX = [f"m{i}" for i in range(1, 7)]


def old_group(age_ms: int) -> dict[str, Any]:
    """A recording as far as a re-enactment reads it: six members, and a seventh after so long."""
    starts = [{"action": "start", "member": m, "t_ms": 500 * i, "incarnation": 0} for i, m in enumerate(SIX)]
    late = {"action": "start", "member": "m7", "t_ms": age_ms, "incarnation": 0}
    return {
        "id": "old__range",
        "assignor": "range",
        "members": [*SIX, "m7"],
        "config": {
            "partitions": {"orders": 24},
            "heartbeat.interval.ms": INTERVAL_MS,
            "group.initial.rebalance.delay.ms": 0,
            "group.coordinator.append.linger.ms": -1,
            "records_per_partition_per_s": 1,
        },
        "actions": [*starts, late],
        "run_end_ms": age_ms + 10_000,
        "summary": {"window_ms": [age_ms, age_ms + 10_000]},
    }


def test_a_rebalance_costs_what_was_unavailable_until_the_next_one_or_the_next_action() -> None:
    run = {
        "broker": [{"kind": "rebalance_started", "t_ms": at} for at in (1_100, 1_900, 5_500)],
        "events": [{"kind": "assigned", "t_ms": at} for at in (500, 1_800, 2_600)],
        "unavailable": {"orders-0": [[1_000, 1_600]], "orders-1": [[1_500, 2_500], [3_000, 5_600]]},
    }
    actions = [{"action": "close", "member": "m1", "t_ms": 1_000}, {"action": "kill", "member": "m2", "t_ms": 3_000}]
    found = [(r.action, r.ordinal, r.age_ms, r.cost) for r in rebalances(run, actions, 9_000)]
    assert found == [
        ("close m1 1000", 1, 600, 600 + 400),
        ("close m1 1000", 2, 100, 600),
        ("kill m2 3000", 1, 2_900, 100),  # what waited for the session is no part of it
    ]


def logged(at_ms: int, kind: str, **more: object) -> dict[str, Any]:
    return {"t_ms": START_MS + at_ms, "kind": kind, "member": "m1", "incarnation": 0, **more}


def test_steps_are_timed_from_the_brokers_log_and_first_ones_stand_apart() -> None:
    again = "need to revoke partitions [orders-3] as indicated by the current assignment and re-join"
    run = {
        "broker": [
            logged(at, kind, generation=generation)
            for at, kind, generation in (
                (10, "join_completed", 1),
                (20, "assignment_received", 1),
                (110, "join_completed", 2),
                (112, "assignment_received", 2),
            )
        ],
        "client_log": [
            logged(25, "join_ok", generation=1),
            logged(60, "rejoin_requested", reason=again),
            logged(71, "join_sent"),
            logged(111, "join_ok", generation=2),
        ],
        "events": [logged(55, "assigned", generation=1), logged(116, "assigned", generation=2)],
    }
    assert Steps(run).taken == {
        "first joined": [15],
        "first assigned at once": [30],
        "first revoked > join sent": [11],
        "joined": [1],
        "assigned": [4],
    }
    assert quantiles([1, 2])[4] == 1.5


def test_intervals_with_a_rebalance_in_them_show_no_lateness() -> None:
    assert lateness([0, 3_001, 6_000, 10_500, 13_502], INTERVAL_MS) == [1, -1, 2]


def test_phases_are_as_far_apart_as_the_round_without_its_largest_gap() -> None:
    assert spread_ms({"m1": [2_990], "m2": [3_010], "m3": [3_000]}, 2_000, INTERVAL_MS) == 20
    assert spread_ms({"m1": [2_990], "m2": []}, 2_000, INTERVAL_MS) is None


@pytest.mark.parametrize(
    ("name", "known"), [("kafka", KAFKA_PYTHON), ("confluent", LIBRDKAFKA), ("Apache Kafka Java client 4.4.0", JAVA)]
)
def test_a_library_goes_by_its_name_or_that_of_its_module(name: str, known: str) -> None:
    assert library(name) == known


def test_a_seventh_member_costs_an_idle_group_what_it_cost_a_recorded_one() -> None:
    """Recorded, once each: 2,287 partition-ms after half an hour, 642 to 834 within seconds of another rebalance."""
    record = old_group(60_000)
    played = [reenact_on_hosts(record, seed, {0: "quiet"}) for seed in range(8)]
    recorded = Recorded(record, {})
    costs = [r.cost for run in played for r in recorded.rebalances(run)]
    assert len(costs) == len(played)
    assert 640 < median(costs) < 2_290
    quiet = [[at for at in run["heartbeats"]["m1.0"] if 10_000 < at < 60_000] for run in played]
    late = [ms for sent in quiet for ms in lateness(sent, INTERVAL_MS)]
    assert 0.7 < sum(late) / len(late) < 1.4


@pytest.mark.parametrize(("story", "off"), [("old-group-at-work", 0.15), ("old-group-heavy", 0.4)])
def test_simulated_members_at_work_are_as_late_as_recorded_ones(story: str, off: float) -> None:
    recorded = Recorded.read(next(GOLDEN.glob(f"{story}__*")))
    runs = [reenact_on_hosts(recorded.record, seed, {0: "quiet"}) for seed in (1, 2)]
    played = [ms for run in runs for late in recorded.lateness(run["heartbeats"]).values() for ms in late]
    assert mean(played) == pytest.approx(mean(recorded.lateness_of_all), rel=off)


def test_members_of_librdkafka_stay_in_step() -> None:
    recorded = Recorded.read(next(GOLDEN.glob("old-group-librdkafka__*")))
    runs = [reenact_on_hosts(recorded.record, seed, {0: "quiet"})["heartbeats"] for seed in range(5)]
    late = [ms for run in runs for ms in recorded.lateness(run)["librdkafka"]]
    assert mean(late) == pytest.approx(mean(recorded.lateness_of_all), rel=0.15)
    apart = [recorded.spreads(run)[1] for run in runs]
    assert recorded.spreads(recorded.heartbeats)[1] == 2
    assert all(ms is not None and ms < 40 for ms in apart)
