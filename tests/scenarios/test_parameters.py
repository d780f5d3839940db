"""Stories under other parameters: each claim is one that another world would break."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from groupsim.scenarios.catalogue import find
from groupsim.simulation.run import RunResult, run
from groupsim.storage.memory import MemoryStore


def run_scenario(name: str, settings: Mapping[str, str] | None = None, seed: int = 3) -> RunResult:
    return run(find(name), MemoryStore(), seed=seed, settings=settings, record="facts")


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("bad_leader", {"kind": "throws"}),
        ("bad_leader", {"kind": "hangs"}),
        ("initial_delay", {"delay_ms": "3000"}),
        ("static_slower_than_session", {"downtime_ms": "5000"}),
        ("upgrade_in_one_bounce", {"members": "6", "partitions": "20"}),
        ("scale_out_and_in", {"assignors": "sticky,cooperative-sticky,optimal-sticky"}),
        ("stream_join", {"partitions": "16", "members": "5"}),
        ("follower_rejoins", {"assignor": "cooperative-sticky"}),
        ("slow_assignor", {"members": "12", "partitions": "12"}),
        ("slow_assignor", {"members": "12", "partitions": "12", "assignor_ms": "0"}),
        ("restart_three_ways", {"members": "5", "partitions": "30"}),
        ("swarm", {"assignor": "cooperative-sticky", "faults": "4"}),
    ],
)
def test_the_story_holds_under_other_parameters_too(name: str, settings: dict[str, str]) -> None:
    result = run_scenario(name, settings)
    assert result.failure is None
    assert result.ok, result.violations


@pytest.mark.parametrize(
    ("name", "settings", "claim"),
    [
        ("long_batch_while_join_parked", {"batch_ms": "4000"}, "alice is thrown out"),
        ("cut_from_coordinator", {"cut_ms": "2000"}, "librdkafka: it has given everything up by itself"),
        ("everybody_too_slow", {"batch_ms": "2000"}, "thrown out for not polling"),
        ("assignor_slower_than_session", {"session_ms": "40000"}, "join phases were completed|not one assignment"),
        ("one_slow_member", {"batch_ms": "1000"}, "partition-seconds"),
    ],
)
def test_where_the_cause_is_missing_the_claim_does_not_hold(name: str, settings: dict[str, str], claim: str) -> None:
    failure = run_scenario(name, settings).failure
    assert failure is not None
    assert re.search(claim, failure), failure
