"""Re-enacted runs show what the recorded ones show, and depend on nothing but the recorded actions and the seed."""

from __future__ import annotations

from statistics import median
from typing import Any

import pytest

from groupsim.conformance.timelines.deviation import deviation
from groupsim.conformance.timelines.equivalence import generations, unavailable_ms
from groupsim.conformance.timelines.recorded_times import FIRST_JOIN
from groupsim.conformance.timelines.recording import BadRecording
from groupsim.conformance.timelines.reenact import reenact
from tests.conformance.runs import NAMES, played, recording
from tests.thinned import examples

RANGE = "S07-rolling-restart__range__d0__r1"
COOPERATIVE = "S07-rolling-restart__cooperative-sticky__d0__r1"
CLOSING = "S03-one-closes__range__d0__r1"
KAFKA_PYTHON = "S02-fourth-joins__kafkapython-range__d0__r1"
RDKAFKA = "S02-fourth-joins__librdkafka-cooperative-sticky__d0__r1"
NAMED = ("id", "assignor", "config", "members", "actions", "run_end_ms")
STEPS = (*FIRST_JOIN, "start", "join_completed", "join_ok", "assignment_received", "assigned")
SEEDS = range(examples(10, 24))
LINE = frozenset({"t_ms", "member", "incarnation", "kind"})
RARER = {("client_log", "commit_failed_locally", LINE), ("client_log", "sync_failed", LINE | {"reason"})}
"""Lines that other recordings have than those kept here."""


@pytest.mark.parametrize("name", NAMES)
def test_some_seed_shows_the_recorded_generations_callbacks_and_partitions(name: str) -> None:
    found = deviation(recording(name), SEEDS)
    assert found.difference is None
    assert found.unavailable_partitions >= 0.7


@pytest.mark.parametrize("name", [RANGE, COOPERATIVE, KAFKA_PYTHON, RDKAFKA, CLOSING])
def test_the_recorded_duration_lies_among_the_re_enacted_ones(name: str) -> None:
    found = sorted(unavailable_ms(played(name, seed)) for seed in SEEDS)
    assert found[0] <= unavailable_ms(recording(name)) <= found[-1]


def test_a_rolling_restart_costs_cooperative_sticky_more_partition_time_than_range_in_both() -> None:
    """The second round waits for a whole heartbeat interval: the surprise of the recordings."""
    pairs = ((RANGE, COOPERATIVE), (RANGE.replace("r1", "r2"), COOPERATIVE.replace("r1", "r2")))
    for eager, cooperative in pairs:
        assert unavailable_ms(recording(cooperative)) > 1.5 * unavailable_ms(recording(eager))
        ours = [median(unavailable_ms(played(name, seed)) for seed in SEEDS) for name in (eager, cooperative)]
        assert ours[1] > 1.5 * ours[0]


@pytest.mark.parametrize("name", [CLOSING, RDKAFKA, "S15-partitions-grow__range__d3__r1"])
def test_only_settings_actions_and_the_hosts_speed_are_read_and_the_same_seed_gives_the_same_run(name: str) -> None:
    recorded = recording(name)
    window = {"window_ms": recorded["summary"]["window_ms"]}
    steps = {
        part: [row for row in recorded[part] if row["kind"] in STEPS] for part in ("events", "broker", "client_log")
    }
    needed = {key: recorded[key] for key in NAMED} | {"summary": window} | steps
    assert reenact(needed, 5) == played(name, 5)
    assert reenact(needed, 6) != played(name, 5)


def test_a_re_enactment_has_the_recordings_own_form() -> None:
    ours, theirs = played(CLOSING, 0), recording(CLOSING)
    assert set(theirs["summary"]) == set(ours["summary"])
    assert {k for i in theirs["ownership"].values() for e in i for k in e} == {
        k for i in ours["ownership"].values() for e in i for k in e
    }
    assert [t["t_ms"] for t in ours["events"]] == sorted(t["t_ms"] for t in ours["events"])


def _shapes(run: dict[str, Any]) -> set[tuple[str, str, frozenset[str]]]:
    """Which keys each kind of line has; a library's own sentences are left out."""
    parts = ("events", "broker", "client_log")
    return {(part, e["kind"], frozenset(e) - {"message"}) for part in parts for e in run[part]}


def test_every_event_and_every_line_of_a_log_has_the_keys_it_has_in_some_recording() -> None:
    recorded = set().union(*(_shapes(recording(name)) for name in NAMES))
    for name in NAMES:
        assert _shapes(played(name, 0)) <= recorded | RARER


def test_the_window_opens_with_the_fault_or_with_the_runs_own_first_full_ownership() -> None:
    assert played(CLOSING, 0)["summary"]["window_ms"] == [8000, 15000]
    recorded = recording(CLOSING)
    recorded["actions"] = [a for a in recorded["actions"] if a["action"] == "start"]
    recorded["summary"]["window_ms"] = [317, 15000]
    summary = reenact(recorded, 1)["summary"]
    assert summary["window_ms"] == [summary["first_full_ownership_ms"], 15000]
    assert 0 < summary["first_full_ownership_ms"] != 317


def test_kafka_python_leads_its_first_generation_without_metadata() -> None:
    first = [e for e in played(KAFKA_PYTHON, 0)["events"] if e["member"] == "m1"]
    callbacks = [
        (e["kind"], len(e["partitions"]), e["generation"]) for e in first if "partitions" in e and "of" not in e
    ]
    assert callbacks[:3] == [("revoked", 0, -1), ("assigned", 0, 1), ("revoked", 0, 1)]
    assert generations(played(KAFKA_PYTHON, 0))[:2] == ((1, 1), (2, 1))


def test_librdkafka_keeps_its_last_partitions_and_gives_up_the_first() -> None:
    given_up = [e["partitions"] for e in played(RDKAFKA, 0)["events"] if e["kind"] == "revoked" and e["member"] == "m1"]
    assert given_up == [[["orders", p] for p in range(8)], [["orders", 8]]]


def _without(key: str) -> dict[str, Any]:
    recorded = recording(CLOSING)
    del recorded[key]
    return recorded


def _with(action: dict[str, Any]) -> dict[str, Any]:
    recorded = recording(CLOSING)
    recorded["actions"].append(action)
    return recorded


@pytest.mark.parametrize(
    ("recorded", "says"),
    [
        (_without("config"), "'config' is missing"),
        (_without("actions"), "'actions' is missing"),
        (_with({"action": "close", "member": "m9", "t_ms": 1}), "'m9' is none of the members m1, m2, m3"),
        (_with({"action": "explode", "member": "m1", "t_ms": 1}), "'explode' at 1 ms is unknown"),
        (_with({"action": "close", "member": "m1", "t_ms": "soon"}), "must be a whole number, not 'soon'"),
        (_with({"action": "kill", "member": "m1", "t_ms": 9_000}), "'incarnation' is missing"),
        (_with({"action": "kill", "member": "m1", "incarnation": "x", "t_ms": 9_000}), "a whole number, not 'x'"),
        (_with({"action": "add_partitions", "member": None, "topic": "x", "t_ms": 1}), "unknown topic 'x'"),
        (
            _with({"action": "add_partitions", "topic": "orders", "partitions": 12, "t_ms": 1}),
            "can only grow, not to 12",
        ),
        (_with({"action": "kill", "member": "m1", "incarnation": 0, "t_ms": 99_999}), "after the run's end"),
        (_with({"action": "cont", "member": "m1", "t_ms": 9_000}), "m1 is not stopped"),
        (_with({"action": "start", "member": "m1", "t_ms": 9_000}), "m1 runs already"),
        (_with({"action": "close", "member": "m2", "t_ms": 9_000}), "m2 does not run"),
    ],
)
def test_a_recording_that_cannot_be_re_enacted_is_refused_in_one_sentence(recorded: dict[str, Any], says: str) -> None:
    with pytest.raises(BadRecording) as refused:
        reenact(recorded, 0)
    assert says in str(refused.value)
    assert "S03-one-closes__range__d0__r1" in str(refused.value)
