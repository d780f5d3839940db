"""Groups of KafkaJS, Sarama and aiokafka as recorded on Kafka 4.4, and as the simulator re-enacts them."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from groupsim.conformance.timelines.equivalence import callbacks, generations, unavailable_ms, unavailable_partitions
from groupsim.conformance.timelines.recorded_form import libraries
from groupsim.conformance.timelines.reenact import reenact
from groupsim.simulation.clients.config import AIOKAFKA, KAFKAJS, SARAMA
from recorders.timelines import recorder

FOLDER = Path(__file__).parents[1] / "golden" / "clients"
SEEDS = range(2)
MISSED = {(SARAMA, "rolling-restart")}
"""Sarama's members often notice that one left only when it is back; the simulated ones notice first. Why is not known:
perhaps heartbeats wait behind fetches on the connection that both use."""


@cache
def recorded() -> list[dict[str, Any]]:
    return recorder.read(FOLDER)


def outcome(run: dict[str, Any]) -> object:
    return generations(run), callbacks(run), unavailable_partitions(run)


def library_of(run: dict[str, Any]) -> str:
    return libraries(run["config"], run["actions"]).usual


@pytest.mark.parametrize(("library", "stories"), [(KAFKAJS, 8), (SARAMA, 9), (AIOKAFKA, 9)])
def test_each_library_has_eight_stories_and_nearly_all_of_them_repeat_themselves(library: str, stories: int) -> None:
    outcomes = defaultdict(list)
    for run in recorded():
        if library_of(run) == library:
            outcomes[run["scenario"], run["assignor"]].append(outcome(run))
    assert len({story for story, _ in outcomes}) == stories
    assert {len(repeated) for repeated in outcomes.values()} == {2}
    assert sum(first == second for first, second in outcomes.values()) >= len(outcomes) - 1


@pytest.mark.parametrize("library", [KAFKAJS, SARAMA, AIOKAFKA])
def test_generations_callbacks_and_partitions_are_as_recorded(library: str) -> None:
    runs = [run for run in recorded() if library_of(run) == library]
    missed = {
        (library, run["scenario"])
        for run in runs
        if outcome(run) not in [outcome(reenact(run, seed, recorded_times=True)) for seed in SEEDS]
    }
    assert missed == {story for story in MISSED if story[0] == library}


def test_stories_that_were_put_aside_are_as_recorded() -> None:
    aside = recorder.read(FOLDER / "put-aside")
    assert len(aside) == 20
    assert [run["id"] for run in aside if outcome(run) != outcome(reenact(run, 0, recorded_times=True))] == []


def gone(library: str, story: str) -> list[str]:
    """Why the group lost its first member, as the broker says it; empty if it lost none."""
    run = next(r for r in recorded() if r["scenario"] == story and library_of(r) == library)
    rows = [b for b in run["broker"] if b["kind"] == "session_expired" or "LeaveGroup" in b.get("reason", "")]
    return [row["kind"] for row in rows][:1]


def cost_ms(library: str, story: str) -> int:
    """The most that a recording of it cost, in partition-milliseconds."""
    found = [r for r in recorded() if r["scenario"] == story and library_of(r) == library]
    return max(unavailable_ms(run) for run in found)


def test_a_batch_that_is_too_slow_costs_each_library_its_membership_in_another_way() -> None:
    assert gone(KAFKAJS, "poll-interval") == ["session_expired"], "it sends no heartbeats while it works"
    assert gone(AIOKAFKA, "poll-interval") == ["rebalance_started"], "it has max.poll.interval.ms, and leaves"
    assert gone(SARAMA, "poll-interval") == [], "it has no limit"


def test_a_member_joins_at_once_beside_a_slow_batch_of_aiokafka_only() -> None:
    assert cost_ms(AIOKAFKA, "slow-beside-a-join") < 1_000, "its listener runs beside the batch"
    assert min(cost_ms(library, "slow-beside-a-join") for library in (KAFKAJS, SARAMA)) > 10_000
