"""Recorded applications of Kafka Streams 4.4.0 played again, `group.protocol=classic`: who gets what, at what cost.

The times of tasks (FIRST_MS, NEXT_MS, TURN_MS) were measured in these recordings, so the costs are a fit; the sequences
of assignments are not. Process ids are those recorded: their order decides who gets what. K06's assignments are left
out: they depend on how far its first instance had come when the second one joined.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from groupsim.events import classic
from groupsim.events.base import Recorded
from groupsim.scenarios.dsl import Application, Part, Script, Store, World
from tests.conformance.recorded_applications import RUNS, SEEDS, begin_ms, costs, done_again, near, played

RECORDINGS = sorted(RUNS.glob("*classic*.json.gz"))
SAME_PLANS = [path for path in RECORDINGS if not path.name.startswith("K06")]
CLIENT: dict[str, int | float | str | bool] = {
    "group.protocol": "classic",
    "session.timeout.ms": 6_000,
    "heartbeat.interval.ms": 1_000,
    "max.poll.interval.ms": 10_000,
    "auto.commit.interval.ms": 1_000,
}
RECORD_MS = 0.05
"""Of 3,000 that were there before, when they were first read (0.02 to 0.18 recorded, most often 0.04)."""
STARTS_MS = 210
"""From a simulated instance's start to its first JoinGroup."""
MORE_SEEDS = {"K01": 20, "K06": 20}
"""Of stories whose repetitions differ most: 9.6 and 12.6 partition-seconds, and 16 and 0."""
OUTSIDE = "K06-fourth-joins-slow-restore__classic__r1"
OUTSIDE_REASON = "it cost 15,994 partition-ms; 60 seeds cost 1,840 to 15,230 (docs/results.md, K06)"
Owners = dict[str, list[int]]


def again(recorded: dict[str, Any]) -> Callable[[World], Script]:
    """The story of a recording: its actions, with starts so long that members join when they did."""

    def begins_ms(action: dict[str, Any]) -> int:
        at_ms = int(action["t_ms"])
        if action["action"] != "start":
            return at_ms
        return max(at_ms, int(recorded["joins_ms"][f"{action['member']}.{action['incarnation']}"]) - STARTS_MS)

    def story(world: World) -> Script:
        """As recorded: each record that a task reads adds one to its changelog."""
        world.configure_broker({"group.initial.rebalance.delay.ms": 0})
        there = recorded["config"].get("preloaded_records_per_partition", 0)
        orders = world.topic("orders", recorded["config"]["partitions"]["orders"], rate=2.0, backlog=there)
        part = Part((orders,), Store(0))
        config = {**CLIENT, "acceptable.recovery.lag": recorded["config"].get("acceptable.recovery.lag", 10_000)}
        app = world.streams("app", part, config=config, processes=recorded["processes"])
        yield from done_again(world, app, recorded, begins_ms, Application(record_ms=RECORD_MS) if there else None)

    return story


@cache
def runs_of(path: Path) -> tuple[dict[str, Any], list[list[Recorded]]]:
    return played(path, again, MORE_SEEDS.get(path.name[:3], SEEDS))


def planned(recorded: dict[str, Any]) -> list[Owners]:
    """The assignments since the fault, as the leaders' logs have them."""
    since = recorded["summary"]["window_ms"][0]
    received = [line for line in recorded["broker"] if line["kind"] == "assignment_received"]
    wanted = {int(line["groups"][1]) for line in received if line["t_ms"] >= since}
    lines = gzip.decompress((RUNS.parent / "streams-plans.jsonl.gz").read_bytes()).splitlines()
    plans = [plan for plan in map(json.loads, lines) if plan["recording"] == recorded["id"]]
    label = {process: name for name, process in recorded["processes"].items()}
    return [
        {label[m["process"]]: sorted(int(task.removeprefix("0_")) for task in m["given"]) for m in plan["members"]}
        for plan in plans
        if plan["generation"] in wanted
    ]


def assigned(facts: list[Recorded], since: int) -> list[Owners]:
    return [
        {member.partition("-")[0]: [tp.partition for tp in tps] for member, tps in fact.event.assignment.items()}
        for fact in facts
        if isinstance(fact.event, classic.AssignmentStored) and fact.at_ms >= since and fact.event.assignment
    ]


@pytest.mark.parametrize("path", SAME_PLANS, ids=lambda path: path.name.partition(".")[0])
def test_each_generation_gives_each_instance_the_tasks_that_it_got(path: Path) -> None:
    recorded, runs = runs_of(path)
    assert [assigned(facts, begin_ms(facts) - 100) for facts in runs] == [planned(recorded)] * len(runs)


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name.partition(".")[0])
def test_an_application_costs_what_it_cost(path: Path, request: pytest.FixtureRequest) -> None:
    if path.name.startswith(OUTSIDE):
        request.applymarker(pytest.mark.xfail(strict=True, reason=OUTSIDE_REASON))
    recorded, runs = runs_of(path)
    assert near(recorded, costs(recorded, runs))
