"""The example that an advice names: choices that differ, and what they need of the brokers."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from groupsim.advice.example import limits, of_incident
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.replay.broker_limits import needs
from groupsim.replay.choice import Choice
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT
from groupsim.replay.replayable import ReplayableRun, replayable_run
from groupsim.storage.memory import MemoryStore

EXAMPLES = Path(__file__).parents[2] / "examples"


@cache
def killed() -> ReplayableRun:
    store = MemoryStore()
    reading = read_files(sorted((EXAMPLES / "consumer-groups" / "kill9-uniform").glob("*.log.gz")))
    return replayable_run(store, import_run(reading, store, name=None, topics={}, session_timeout_ms=None).run)


def recorded() -> Incident:
    found = killed().incident
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("heartbeat", "values"), [(1_000, "1000,3000"), (5_000, "1700,5000"), (3_000, "3000,9000"), (300, "300,900")]
)
def test_values_of_the_heartbeat_differ(heartbeat: int, values: str) -> None:
    settings = {**recorded().settings, HEARTBEAT: heartbeat}
    example = of_incident(replace(killed(), incident=replace(recorded(), settings=settings)))
    assert f"group.consumer.heartbeat.interval.ms={values}" in example


def test_a_short_session_is_named_with_the_limit_of_the_brokers() -> None:
    assert limits(["assignor=range,sticky", "session.timeout.ms=6000,9000"]) == ""
    assert limits(["session.timeout.ms=3000,6000"]).startswith("session.timeout.ms=3000 needs group.min.session.time")


def test_what_a_choice_does_not_name_needs_no_limit_of_the_brokers() -> None:
    assert needs(recorded(), Choice(name="slow", restart_ms=500)) == ()
    shorter = Choice(name="short", settings={"group.consumer.session.timeout.ms": "6000"})
    (limit,) = needs(recorded(), shorter)
    assert limit.startswith("group.consumer.min.session.timeout.ms=6000 or less on the brokers")
