"""What-ifs of a recorded cluster of Kafka Connect, from its logs alone: one of three workers is killed."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from statistics import median

import pytest

from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.replay.choice import AS_RECORDED, Choice
from groupsim.replay.replayable import ReplayableRun, replayable_run
from groupsim.storage.memory import MemoryStore

LOGS = Path(__file__).parents[2] / "examples" / "connect"
SEEDS = 4
SHORT = Choice(name="delay 5 s", settings={"scheduled.rebalance.max.delay.ms": "5000"})
RECORDED_MS, SHORT_MS = 159_700, 59_600
"""Unit-milliseconds that the workers themselves recorded, with delays of 30 and of 5 s (docs/results.md)."""


@cache
def imported() -> ReplayableRun:
    store = MemoryStore()
    run = import_run(read_files(sorted(LOGS.glob("*.gz"))), store, name=None, topics={}).run
    return replayable_run(store, run, "kill-delay-30", choices=[SHORT])


def cost_ms(choice: Choice) -> float:
    of = imported()
    return median(of.measure(of.replay(choice, seed)).unavailable_partition_ms for seed in range(SEEDS))


def test_the_cluster_is_read_from_the_logs() -> None:
    recorded = imported().incident
    assert recorded is not None
    assert recorded.connect is not None
    assert recorded.connect.delay_ms == 30_000
    assert {name: tasks for name, (_, tasks) in recorded.connect.connectors.items()} == {"orders": 6, "users": 3}
    assert recorded.settings["session.timeout.ms"] == 10_000


def test_a_killed_worker_costs_what_it_cost_and_with_a_shorter_delay_what_that_cost() -> None:
    assert cost_ms(AS_RECORDED) == pytest.approx(RECORDED_MS, rel=0.1)
    assert cost_ms(SHORT) == pytest.approx(SHORT_MS, rel=0.15)


@pytest.mark.parametrize(
    "choice",
    [Choice(name="static", static=True), Choice(name="protocol", protocol="consumer")],
    ids=lambda choice: choice.name,
)
def test_workers_have_settings_of_their_own(choice: Choice) -> None:
    refused = imported().refusal(choice)
    assert refused is not None
    assert "workers of Kafka Connect" in refused
