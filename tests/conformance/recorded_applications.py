"""Recorded applications of Kafka Streams (tests/golden/streams-runs): their actions done again, and what they cost.

What happened to a running application is done as long after its members' last heartbeats as chance has it, so later
than it was by up to a heartbeat interval; what is counted begins with it.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from groupsim.analysis.availability.intervals import intervals
from groupsim.events.base import Recorded
from groupsim.events.world import CheckMade
from groupsim.scenarios.dsl import Application, GroupHandle, MemberHandle, Script, World, scenario
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore

RUNS = Path(__file__).parents[1] / "golden" / "streams-runs"
SEEDS = 5
OFF, OFF_SECOND = 0.15, 0.20
"""How far the median may be from the first repetition of a story, and from the second one, if no seed costs as much."""
HEARTBEAT_MS = 1_000
BEGINS = "what is counted begins"
WINDOW = {"member": "", "action": BEGINS}
Story = Callable[[World], Script]


def do_again(
    app: GroupHandle,
    members: dict[str, MemberHandle],
    action: dict[str, Any],
    *,
    static: bool,
    application: Application | None = None,
) -> None:
    """One recorded action. `members`: those that were started, by name; it adds a new one."""
    name = action["member"]
    if name not in members:
        (members[name],) = app.join(name, static=static, application=application)
    elif action["action"] == "start":
        members[name].start()
    elif action["action"] == "close":
        members[name].close()
    else:
        members[name].kill()


def done_again(
    world: World,
    app: GroupHandle,
    recorded: dict[str, Any],
    begins_ms: Callable[[dict[str, Any]], int],
    application: Application | None = None,
) -> Script:
    """Its actions, each at the time that `begins_ms` gives it, or so much later as is drawn, to its end."""
    members: dict[str, MemberHandle] = {}
    since_ms = recorded["summary"]["window_ms"][0]
    faults = [action for action in recorded["actions"] if action["t_ms"] >= since_ms]
    begins = any(action["t_ms"] == since_ms for action in faults)
    later_ms = round(HEARTBEAT_MS * world.rng.stream("since the last heartbeat").random()) if begins else 0
    due = [(begins_ms(action) + (later_ms if action in faults else 0), action) for action in recorded["actions"]]
    for at_ms, action in sorted([*due, (since_ms + later_ms, WINDOW)], key=lambda what: what[0]):
        yield world.sleep(max(0, at_ms - world.now))
        if action is WINDOW:
            world.check(True, BEGINS)
        else:
            do_again(app, members, action, static=recorded["config"]["static"], application=application)
    yield world.sleep(recorded["run_end_ms"] + later_ms - world.now - 1)


def begin_ms(facts: list[Recorded]) -> int:
    """When what is counted begins."""
    return next(f.at_ms for f in facts if isinstance(f.event, CheckMade) and f.event.claim == BEGINS)


def read(path: Path) -> dict[str, Any]:
    """A recording: its folder, or one file."""
    file = path / "recording.json" if path.is_dir() else path
    data = file.read_bytes()
    recorded: dict[str, Any] = json.loads(gzip.decompress(data) if file.suffix == ".gz" else data)
    return recorded


def played(
    path: Path, again: Callable[[dict[str, Any]], Story], seeds: int = SEEDS
) -> tuple[dict[str, Any], list[list[Recorded]]]:
    """A recording, and the facts of its story under each seed."""
    recorded = read(path)
    runs = []
    for seed in range(seeds):
        store = MemoryStore()
        result = run(
            scenario(lasts=recorded["run_end_ms"] + HEARTBEAT_MS)(again(recorded)), store, seed=seed, record="facts"
        )
        assert result.failure is None
        runs.append(list(store.read(result.info.id)))
    return recorded, runs


def costs(recorded: dict[str, Any], runs: list[list[Recorded]]) -> list[int]:
    """Partition-milliseconds in the recording's window, as the recordings count them."""
    from_ms, to_ms = recorded["summary"]["window_ms"]
    return [_unavailable_ms(facts, begin_ms(facts), to_ms - from_ms) for facts in runs]


def _unavailable_ms(facts: list[Recorded], from_ms: int, lasts_ms: int) -> int:
    down = (i for i in intervals(facts) if i.unavailable and i.topic == "orders")
    return sum(max(0, min(i.to_ms, from_ms + lasts_ms) - max(i.from_ms, from_ms)) for i in down)


def near(recorded: dict[str, Any], found: list[int]) -> bool:
    """Whether what it cost is among what the seeds cost, or not far from their median."""
    was, off = int(recorded["summary"]["unavailable_partition_ms"]), OFF if recorded["repetition"] == 1 else OFF_SECOND
    return min(found) <= was <= max(found) or abs(median(found) - was) <= off * was
