"""Recorded Kafka Streams applications of Kafka 4.4.0 played again, `group.protocol=streams`: what each fault costs.

The times of tasks were measured in these recordings, so this is a fit (docs/results.md).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from groupsim.scenarios.dsl import Part, Script, Store, World
from tests.conformance.recorded_applications import RUNS, costs, done_again, played

RECORDINGS = sorted(RUNS.glob("*__streams__*.json.gz"))
OFF = 0.15
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
    slow = recorded["scenario"].startswith("K06")

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
        yield from done_again(world, app, recorded, begins_ms)

    return story


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name.partition("__")[0])
def test_an_application_costs_what_it_cost(path: Path) -> None:
    recorded, runs = played(path, again)
    was = recorded["summary"]["unavailable_partition_ms"]
    found = costs(recorded, runs)
    assert abs(median(found) - was) <= OFF * was, (was, sorted(found))
