"""Recorded applications with standbys (recorders.streams), played again: what each costs, and the sign of each pair.

They begin when all three instances have settled, long enough after the simulated start that all state is there.
`python -m tests.conformance.standby_applications [RECORDING...]` prints a table of recordings and one of pairs; without
names, of all that are in the repository, those without standbys included. With `--same-starts` see `again`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from groupsim.analysis.availability.intervals import intervals
from groupsim.events.base import Recorded
from groupsim.events.world import CheckMade
from groupsim.scenarios.dsl import GroupHandle, MemberHandle, Part, Script, Store, World, scenario
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore
from tests.conformance import recorded_applications, test_classic_streams_runs, test_streams_runs

RUNS, STREAMS_RUNS = Path(__file__).parents[1] / "golden" / "standby-runs", recorded_applications.RUNS
SEEDS = 5
SETTLES_MS, LASTS_AT_MOST_MS = 40_000, 300_000
STARTS_MS = {"streams": 100, "classic": 210}
"""From a simulated instance's start to its first request."""
CLEAR_SHARE, CLEAR_MS = 0.2, 1_000
SAME, JOINS_AFTER_MS = "--same-starts", 1_800
"""About the median of all recorded starts: until an instance has joined."""


class Played(NamedTuple):
    """A recording's cost in its window and the simulated ones, partition-ms."""

    recorded: dict[str, Any]
    costs: list[int]

    @property
    def was(self) -> int:
        """As recorded."""
        return int(self.recorded["summary"]["unavailable_partition_ms"])

    @property
    def off(self) -> float:
        """How far the median is from that, as a share of it."""
        return abs(median(self.costs) - self.was) / max(1, self.was)

    @property
    def inside(self) -> bool:
        """Whether the simulated range holds it."""
        return min(self.costs) <= self.was <= max(self.costs)


def _application(world: World, recorded: dict[str, Any]) -> GroupHandle:
    given, protocol = recorded["config"], recorded["protocol"]
    streams = protocol == "streams"
    session, heartbeat = given["session.timeout.ms"], given["heartbeat.interval.ms"]
    world.configure_broker(
        {
            "group.initial.rebalance.delay.ms": 3_000,
            "group.streams.session.timeout.ms": session,
            "group.streams.min.session.timeout.ms": min(5_000, session),
            "group.streams.heartbeat.interval.ms": heartbeat,
            "group.streams.min.heartbeat.interval.ms": heartbeat,
            "group.streams.initial.rebalance.delay.ms": 3_000,
            "group.streams.num.standby.replicas": given["num.standby.replicas"],
        }
    )
    config: dict[str, Any] = {"max.poll.interval.ms": 10_000, "auto.commit.interval.ms": 1_000}
    if not streams:
        own = ("num.standby.replicas", "acceptable.recovery.lag", "probing.rebalance.interval.ms")
        config |= {name: given[name] for name in own}
        config |= {"group.protocol": protocol, "session.timeout.ms": session, "heartbeat.interval.ms": heartbeat}
    store = Store(
        given["preloaded_records_per_partition"],
        restore=float(given["restored_records_per_s"]),
        persistent=given["volume"],
    )
    parts = []
    for topic, partitions in given["partitions"].items():
        read_by_tasks = world.topic(topic, partitions, rate=float(given["records_per_partition_per_s"]))
        parts.append(Part((read_by_tasks,), store if topic == "orders" else None))
    return world.streams("app", *parts, config=config)


def again(recorded: dict[str, Any], joins_after_ms: int | None = None) -> Callable[[World], Script]:
    """What was done since the first fault, SETTLES_MS after the start.

    Instances join when they did, or so long after they were started: then a pair has its sign from the rules alone.
    """
    begin, _ = recorded["summary"]["window_ms"]
    starts_ms = STARTS_MS[recorded["protocol"]]

    def at(action: dict[str, Any]) -> int:
        at_ms = int(action["t_ms"])
        joined = recorded["joins_ms"].get(f"{action['member']}.{action['incarnation']}", at_ms)
        if joins_after_ms is not None:
            joined = at_ms + joins_after_ms
        return max(at_ms, joined - starts_ms) if action["action"] == "start" else at_ms

    def story(world: World) -> Script:
        """As recorded."""
        app, static = _application(world, recorded), recorded["config"]["static"]
        members: dict[str, MemberHandle] = {}
        for action in recorded["actions"]:
            if action["t_ms"] < begin:
                (members[action["member"]],) = app.join(action["member"], static=static)
                yield world.sleep(500)
        phase_ms = world.rng.stream("since the last heartbeat").random() * recorded["config"]["heartbeat.interval.ms"]
        yield world.sleep(SETTLES_MS + round(phase_ms) - world.now)
        began_ms = world.now
        for action in sorted((a for a in recorded["actions"] if a["t_ms"] >= begin), key=at):
            yield world.sleep(max(0, began_ms + at(action) - begin - world.now))
            recorded_applications.do_again(app, members, action, static=static)
        yield world.sleep(began_ms + recorded["summary"]["window_ms"][1] - begin - world.now)
        world.check(True, f"{began_ms} {world.now}")

    return story


def facts_of(
    recorded: dict[str, Any], seeds: int = SEEDS, joins_after_ms: int | None = None
) -> Iterator[list[Recorded]]:
    """The facts of its story under each seed."""
    for seed in range(seeds):
        store = MemoryStore()
        result = run(
            scenario(lasts=LASTS_AT_MOST_MS)(again(recorded, joins_after_ms)), store, seed=seed, record="facts"
        )
        assert result.failure is None, result.failure
        yield list(store.read(result.info.id))


def cost_ms(facts: list[Recorded]) -> int:
    """Partition-ms in the window without a running task."""
    said = next(fact.event for fact in reversed(facts) if isinstance(fact.event, CheckMade))
    begin, end = map(int, said.claim.split())
    found = (i for i in intervals(facts) if i.unavailable)
    return sum(max(0, min(i.to_ms, end) - max(i.from_ms, begin)) for i in found)


def played(path: Path, seeds: int = SEEDS, joins_after_ms: int | None = None) -> Played:
    """A recording, played again."""
    recorded = recorded_applications.read(path)
    return Played(recorded, [cost_ms(facts) for facts in facts_of(recorded, seeds, joins_after_ms)])


def without_standbys(paths: Sequence[Path] = (), seeds: int = recorded_applications.SEEDS) -> Iterator[Played]:
    """Recordings, or those of the repository, as test_streams_runs and test_classic_streams_runs play them."""
    for path in paths or sorted(STREAMS_RUNS.glob("*.json.gz")):
        module = test_streams_runs if "__streams__" in path.name else test_classic_streams_runs
        recorded, runs = recorded_applications.played(path, module.again, seeds)
        yield Played(recorded, recorded_applications.costs(recorded, runs))


def _differ_in(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """What two recordings of one story differ in."""
    usual = {"num.standby.replicas": 0, "static": False, "volume": True}
    differ = [name for name, value in usual.items() if len({r["config"].get(name, value) for r in (one, other)}) > 1]
    return differ + ["protocol"] * (one["protocol"] != other["protocol"])


def story_of(recorded: dict[str, Any]) -> tuple[Any, ...]:
    """What was done to what, without what was configured: recordings of one story may be a pair."""
    done = tuple((action["action"], action["member"]) for action in recorded["actions"])
    config = recorded["config"]
    return done, config["preloaded_records_per_partition"], len(config["partitions"])


def pairs(plays: Sequence[Played]) -> Iterator[tuple[Played, Played, str, bool]]:
    """Pairs of one story that differ clearly and in one thing; in which, and whether the simulated sign is right."""
    for one, other in combinations(plays, 2):
        differ = _differ_in(one.recorded, other.recorded)
        by = abs(one.was - other.was)
        same = story_of(one.recorded) == story_of(other.recorded)
        if same and len(differ) == 1 and by > CLEAR_MS and by > CLEAR_SHARE * max(one.was, other.was):
            right = (one.was > other.was) == (median(one.costs) > median(other.costs))
            yield one, other, differ[0], right and median(one.costs) != median(other.costs)


def main(arguments: list[str]) -> int:
    """Print the tables; 0 if every sign is right."""
    joins_after_ms = JOINS_AFTER_MS if SAME in arguments else None
    paths = [Path(a) for a in arguments if a != SAME]
    plays = [played(path, joins_after_ms=joins_after_ms) for path in paths or sorted(RUNS.glob("*.json.gz"))]
    if not arguments:
        plays += without_standbys()
    for each in plays:
        mark = " " if each.inside else "!"
        print(
            f"{each.recorded['id']:54} {each.was:>7} {min(each.costs):>7}..{max(each.costs):<7}{mark}"
            f" {median(each.costs):>7.0f} {each.off:6.1%}"
        )
    found = list(pairs(plays))
    for one, other, what, right in found:
        both = (f"{p.recorded['id']:50} {p.was:>7} {median(p.costs):>7.0f}" for p in (one, other))
        print("right" if right else "WRONG", f"{what:21}", *both)
    print(f"{sum(right for *_, right in found)} of {len(found)} signs")
    return int(not all(right for *_, right in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
