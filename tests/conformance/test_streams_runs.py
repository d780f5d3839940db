"""Recorded Kafka Streams applications of Kafka 4.4.0 played again, `group.protocol=streams`: what each fault costs.

The times of tasks were measured in these recordings, so this is a fit (docs/results.md).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from groupsim.scenarios.dsl import Part, Script, Store, World
from tests.conformance.recorded_applications import RUNS, costs, done_again, near, played

RECORDINGS = sorted(RUNS.glob("*__streams__*.json.gz"))
BROKER = {
    "group.streams.session.timeout.ms": 6_000,
    "group.streams.min.session.timeout.ms": 5_000,
    "group.streams.heartbeat.interval.ms": 1_000,
    "group.streams.min.heartbeat.interval.ms": 1_000,
    "group.streams.initial.rebalance.delay.ms": 0,
}
CLIENT = {"max.poll.interval.ms": 10_000, "auto.commit.interval.ms": 1_000}
RESTORE, SLOW = 50_000.0, 1_000.0
"""Records restored in a second: 2,000 took 38 ms; K06's new instance sleeps for 200 ms after each 200."""
STARTS_MS = 100
"""From a simulated instance's start to its first heartbeat."""


def again(recorded: dict[str, Any]) -> Callable[[World], Script]:
    """The story of a recording: its actions, with starts so long that members join when they did."""
    joined = {line["member"]: line["t_ms"] for line in reversed(recorded["broker"]) if line["kind"] == "member_joined"}
    slow = recorded["scenario"].startswith("K06")

    def begins_ms(action: dict[str, Any]) -> int:
        came_ms: int | None = joined.get(f"{action['member']}.{action['incarnation']}")
        if action["action"] == "start" and came_ms is not None:
            return max(int(action["t_ms"]), came_ms - STARTS_MS)
        return int(action["t_ms"])

    def story(world: World) -> Script:
        """As recorded."""
        world.configure_broker(BROKER)
        there = recorded["config"].get("preloaded_records_per_partition", 0)
        orders = world.topic("orders", recorded["config"]["partitions"]["orders"], rate=2.0, backlog=there)
        store = Store(0, restore=SLOW if slow else RESTORE)
        app = world.streams("app", Part((orders,), store), config=CLIENT)
        yield from done_again(world, app, recorded, begins_ms)

    return story


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name.partition("__")[0])
def test_an_application_costs_what_it_cost(path: Path) -> None:
    recorded, runs = played(path, again)
    assert near(recorded, costs(recorded, runs))
