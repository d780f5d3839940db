"""Recorded applications of Kafka Streams (tests/golden/streams-runs): their actions done again, and what they cost."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from groupsim.analysis.availability.intervals import intervals
from groupsim.events.base import Recorded
from groupsim.scenarios.dsl import GroupHandle, MemberHandle, Script, World, scenario
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore

RUNS = Path(__file__).parents[1] / "golden" / "streams-runs"
SEEDS = 5
Story = Callable[[World], Script]


def done_again(
    world: World, app: GroupHandle, recorded: dict[str, Any], begins_ms: Callable[[dict[str, Any]], int]
) -> Script:
    """Its actions, each at the time that `begins_ms` gives it, to the end of the recording."""
    members: dict[str, MemberHandle] = {}
    for action in sorted(recorded["actions"], key=begins_ms):
        yield world.sleep(max(0, begins_ms(action) - world.now))
        name = action["member"]
        if name not in members:
            (members[name],) = app.join(name, static=recorded["config"]["static"])
        elif action["action"] == "start":
            members[name].start()
        elif action["action"] == "close":
            members[name].close()
        else:
            members[name].kill()
    yield world.sleep(recorded["run_end_ms"] - world.now - 1)


def played(path: Path, again: Callable[[dict[str, Any]], Story]) -> tuple[dict[str, Any], list[list[Recorded]]]:
    """A recording, and the facts of its story under each seed."""
    recorded = json.loads(gzip.decompress(path.read_bytes()))
    runs = []
    for seed in range(SEEDS):
        store = MemoryStore()
        result = run(scenario(lasts=recorded["run_end_ms"])(again(recorded)), store, seed=seed, record="facts")
        assert result.failure is None
        runs.append(list(store.read(result.info.id)))
    return recorded, runs


def costs(recorded: dict[str, Any], runs: list[list[Recorded]]) -> list[int]:
    """Partition-milliseconds in the recording's window, as the recordings count them."""
    return [_unavailable_ms(facts, *recorded["summary"]["window_ms"]) for facts in runs]


def _unavailable_ms(facts: list[Recorded], from_ms: int, to_ms: int) -> int:
    down = (i for i in intervals(facts) if i.unavailable and i.topic == "orders")
    return sum(max(0, min(i.to_ms, to_ms) - max(i.from_ms, from_ms)) for i in down)
