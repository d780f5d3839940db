"""Recorded workers of Kafka Connect 4.4.0 (tests/golden/connect) played again: what each restart and kill costs.

The recorded leader leads, connectors are created when three workers are there, and then happens what was done, when it
was done; how long after the last heartbeat that is, is drawn. How long workers take to start and stop was measured in
these recordings, so that part is a fit; it is a small one (docs/results.md).
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from groupsim.analysis.availability.intervals import intervals
from groupsim.events.base import Recorded
from groupsim.events.world import CheckMade
from groupsim.scenarios.dsl import MemberHandle, Script, World, minutes, scenario, seconds
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore

RECORDINGS = sorted((Path(__file__).parents[1] / "golden" / "connect").glob("*.json.gz"))
SEEDS, OFF = 5, 0.15
CONNECTORS = {"orders": 6, "users": 3}
WORKERS = ("w0", "w1", "w2")
BEGINS = "the window begins"
_LEADER = re.compile(r"^\[(?P<at>[-\d]+ [\d:,]+)\].* got assignment: .*leader='(?P<leader>w\d)-", re.MULTILINE)


def down_ms(recorded: dict[str, Any]) -> int:
    """Unit-milliseconds in the window during which no worker ran a connector or task, by its own stamps."""
    begin, end = recorded["window"]
    killed = [(at, "kill", "", worker) for at, did, worker, _ in recorded["done"] if did == "kill"]
    runs: dict[str, set[str]] = {unit: set() for _, _, unit, _ in recorded["stamps"]}
    total, last = 0, begin
    for at, what, unit, worker in sorted([*map(tuple, recorded["stamps"]), *killed]):
        until = max(begin, min(at, end))
        total += (until - last) * sum(not on for on in runs.values())
        last = until
        for each in [unit] if unit else runs:
            (runs[each].add if what == "start" else runs[each].discard)(worker)
    return int(total + (end - last) * sum(not on for on in runs.values()))


def leader_of(recorded: dict[str, Any]) -> str:
    """Who led when the window began: by the last assignment before that."""
    lines = [line for log in recorded["logs"].values() for line in _LEADER.finditer(log)]
    began = f"{datetime.fromtimestamp(recorded['window'][0] / 1_000, UTC):%Y-%m-%d %H:%M:%S,%f}"
    return max((line["at"], line["leader"]) for line in lines if line["at"] < began)[1]


def again(recorded: dict[str, Any]) -> Callable[[World], Script]:
    begin, end = recorded["window"]
    leader = leader_of(recorded)

    def story(world: World) -> Script:
        """As recorded."""
        world.configure_broker({"group.initial.rebalance.delay.ms": 0})
        cluster = world.connect("c", delay=recorded["delay_ms"], protocol=recorded["protocol"])
        members: dict[str, MemberHandle] = dict(zip([leader], cluster.join(leader), strict=True))
        yield world.sleep(seconds(3.5))
        others = [name for name in WORKERS if name != leader]
        members |= dict(zip(others, cluster.join(*others), strict=True))
        yield cluster.stable(members=3, within=minutes(1))
        for connector, tasks in CONNECTORS.items():
            yield cluster.add_connector(connector, tasks)
        yield cluster.stable(members=3, within=minutes(1))
        yield world.sleep(seconds(5 + 3 * world.rng.stream("since the last heartbeat").random()))
        began_ms = world.now
        world.check(True, BEGINS)
        for at, did, name, _ in recorded["done"]:
            yield world.sleep(max(0, began_ms + at - begin - world.now))
            if did == "kill":
                members[name].kill()
            elif did == "stop":
                yield members[name].close()
            elif did == "start":
                members[name].start()
        yield world.sleep(max(0, began_ms + end - begin - world.now))

    return story


def cost_ms(facts: list[Recorded], lasts: int) -> int:
    begin = next(f.at_ms for f in facts if isinstance(f.event, CheckMade) and f.event.claim == BEGINS)
    found = (i for i in intervals(facts) if i.unavailable)
    return sum(max(0, min(i.to_ms, begin + lasts) - max(i.from_ms, begin)) for i in found)


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name.removesuffix(".json.gz"))
def test_a_cluster_costs_what_it_cost(path: Path) -> None:
    recorded = json.loads(gzip.decompress(path.read_bytes()))
    begin, end = recorded["window"]
    costs = []
    for seed in range(SEEDS):
        store = MemoryStore()
        result = run(scenario(lasts=minutes(4))(again(recorded)), store, seed=seed, record="facts")
        assert result.failure is None, result.failure
        costs.append(cost_ms(list(store.read(result.info.id)), end - begin))
    was = down_ms(recorded)
    assert min(costs) <= was <= max(costs), (was, sorted(costs))
    assert abs(median(costs) - was) <= OFF * was, (was, sorted(costs))
