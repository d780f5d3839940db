"""Recorded Kafka Streams applications of Kafka 4.4.0 played again, `group.protocol=streams`: what each fault costs.

The times of tasks were measured in these recordings, so this is a fit (docs/results.md).
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from groupsim.analysis.availability.intervals import intervals
from groupsim.events.base import Recorded
from groupsim.scenarios.dsl import MemberHandle, Part, Script, Store, World, scenario
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore

RECORDINGS = sorted((Path(__file__).parents[1] / "golden" / "streams-runs").glob("*__streams__*.json.gz"))
SEEDS, OFF = 5, 0.15
BROKER = {
    "group.streams.session.timeout.ms": 6_000,
    "group.streams.min.session.timeout.ms": 5_000,
    "group.streams.heartbeat.interval.ms": 1_000,
    "group.streams.min.heartbeat.interval.ms": 1_000,
    "group.streams.initial.rebalance.delay.ms": 0,
}
CLIENT = {"max.poll.interval.ms": 10_000, "auto.commit.interval.ms": 1_000}
USUAL, SLOW = Store(20, restore=1_000.0), Store(3_030, restore=1_000.0)
"""Two records a second for ten seconds; and 3,000 that were there before, 200 of them read in 200 ms."""
STARTS_MS = 100
"""From a simulated instance's start to its first heartbeat."""


def again(recorded: dict[str, Any]) -> Callable[[World], Script]:
    """The story of a recording: its actions, with starts so long that members join when they did."""
    joined = {line["member"]: line["t_ms"] for line in reversed(recorded["broker"]) if line["kind"] == "member_joined"}
    slow, static = recorded["scenario"].startswith("K06"), recorded["config"]["static"]

    def begins_ms(action: dict[str, Any]) -> int:
        came_ms: int | None = joined.get(f"{action['member']}.{action['incarnation']}")
        if action["action"] == "start" and came_ms is not None:
            return max(int(action["t_ms"]), came_ms - STARTS_MS)
        return int(action["t_ms"])

    def story(world: World) -> Script:
        """As recorded."""
        world.configure_broker(BROKER)
        orders = world.topic("orders", recorded["config"]["partitions"]["orders"], rate=2.0)
        app = world.streams("app", Part((orders,), SLOW if slow else USUAL), config=CLIENT)
        members: dict[str, MemberHandle] = {}
        for action in sorted(recorded["actions"], key=begins_ms):
            yield world.sleep(max(0, begins_ms(action) - world.now))
            name = action["member"]
            if name not in members:
                (members[name],) = app.join(name, static=static)
            elif action["action"] == "start":
                members[name].start()
            elif action["action"] == "close":
                members[name].close()
            else:
                members[name].kill()
        yield world.sleep(recorded["run_end_ms"] - world.now - 1)

    return story


def unavailable_ms(facts: list[Recorded], from_ms: int, to_ms: int) -> int:
    """Partition-milliseconds in a window, as the recordings count them."""
    down = (i for i in intervals(facts) if i.unavailable and i.topic == "orders")
    return sum(max(0, min(i.to_ms, to_ms) - max(i.from_ms, from_ms)) for i in down)


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name.partition("__")[0])
def test_an_application_costs_what_it_cost(path: Path) -> None:
    recorded = json.loads(gzip.decompress(path.read_bytes()))
    costs = []
    for seed in range(SEEDS):
        store = MemoryStore()
        result = run(scenario(lasts=recorded["run_end_ms"])(again(recorded)), store, seed=seed, record="facts")
        assert result.failure is None
        costs.append(unavailable_ms(list(store.read(result.info.id)), *recorded["summary"]["window_ms"]))
    was = recorded["summary"]["unavailable_partition_ms"]
    assert abs(median(costs) - was) <= OFF * was, (was, sorted(costs))
