"""What no log shows, against what happened: deaths, stops and growths of drawn groups, read from their written logs.

`python -m tests.incidents.unseen_events` prints how many of them lie in the time that is read, and where in it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from groupsim import analysis
from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.tables.bounds import Support
from groupsim.events import client as p
from groupsim.events.base import Recorded
from groupsim.events.world import PartitionsAdded
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.times import instant
from groupsim.replay.actions import ActionKind, Chance, actions_of, lead_in_ms
from groupsim.replay.even_sequences import EvenDraws
from groupsim.replay.reconstruct.incident import Incident, reconstruct
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, METADATA_AGE, SESSION
from groupsim.simulation.clients.config import JAVA, Application
from groupsim.simulation.clients.process import Script
from groupsim.simulation.latencies import LATENCIES, Drawn
from groupsim.simulation.member import MemberHandle
from groupsim.simulation.message_delays import Delays
from groupsim.simulation.run import Scenario, run
from groupsim.simulation.topics import Topic
from groupsim.simulation.world import World
from groupsim.storage.memory import MemoryStore
from tests.incidents.written_logs import BEGINS_MS, write_logs

GROUP = "billing"
KINDS = ("kill-return", "kill", "freeze", "short-stop", "close", "bounce", "grow")
_ACTIONS = {
    "kill-return": ActionKind.KILL,
    "kill": ActionKind.KILL,
    "freeze": ActionKind.FREEZE,
    "short-stop": ActionKind.FREEZE,
}
SEEDS = range(5)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnStory:
    """One group and one story. `static`: its members have instance ids; `away_ms`: how long a member is away."""

    seed: int
    kind: str
    static: bool
    members: int
    assignor: str
    session_ms: int
    heartbeat_ms: int
    age_ms: int
    commit: bool
    after_ms: int
    away_ms: int

    @property
    def settings(self) -> dict[str, int]:
        """By Kafka's names."""
        return {SESSION: self.session_ms, HEARTBEAT: self.heartbeat_ms, METADATA_AGE: self.age_ms}


def drawn(seed: int, kind: str) -> DrawnStory:
    """The settings and times of one story."""
    rng = Random(f"{seed} {kind}")
    heartbeat = rng.choice([500, 1_000, 1_500, 3_000])
    session = heartbeat * rng.choice([6, 10] if kind == "short-stop" else [4, 6, 10])
    return DrawnStory(
        seed=seed,
        kind=kind,
        static=kind == "kill-return" or (kind in ("close", "bounce") and rng.random() < 0.7),
        members=rng.randint(2, 4),
        assignor=rng.choice(["range", "sticky", "cooperative-sticky"]),
        session_ms=session,
        heartbeat_ms=heartbeat,
        age_ms=rng.choice([2_000, 5_000, 20_000]),
        commit=rng.random() < 0.5,
        after_ms=rng.randrange(1_000, 4 * heartbeat + 1_000),
        away_ms=_away_ms(kind, session, heartbeat, rng),
    )


def _away_ms(kind: str, session_ms: int, heartbeat_ms: int, rng: Random) -> int:
    if kind == "short-stop":  # the heartbeat after the one that is due is late, too
        return rng.randrange(2 * heartbeat_ms + 600, session_ms - heartbeat_ms)
    if kind in ("kill-return", "bounce"):  # back before its session ends
        return rng.randrange(300, session_ms - heartbeat_ms - 200)
    return rng.randrange(session_ms + heartbeat_ms, 2 * session_ms)


def simulated(story: DrawnStory) -> list[Recorded]:
    """The facts of the story's run."""
    lasts_ms = 20_000 + story.after_ms + 5 * story.session_ms + story.members * (story.away_ms + 2_000)
    if story.kind == "grow":
        lasts_ms += 2 * story.age_ms

    def script(world: World) -> Script:
        world.configure_broker({"group.initial.rebalance.delay.ms": 0, "group.min.session.timeout.ms": 500})
        _as_slow_as_real(world)
        topic = world.topic("orders", 3 * story.members, rate=2)
        application = Application(commit_sync=story.commit, empty_ms=0)
        group = world.group(GROUP)
        members: list[MemberHandle] = []
        for number in range(story.members):
            name = f"m{number}"
            members += group.join(
                name, topics=[topic], instance_id=name if story.static else None, application=application, after=None
            )
        for member in members:
            yield member.start()
            yield world.sleep(world.rng.stream("story").randrange(800))
        yield world.sleep(2 * story.heartbeat_ms + story.after_ms)
        yield from _happens(story, world, members, topic)
        yield world.sleep(story.away_ms + story.session_ms + 2_000 + (story.age_ms if story.kind == "grow" else 0))

    store = MemoryStore()
    settings: dict[str, int | float | str | bool] = {**story.settings, "partition.assignment.strategy": story.assignor}
    scenario = Scenario(name="drawn", story=script, seed=story.seed, lasts_ms=lasts_ms)
    result = run(scenario, store, settings=settings, record="facts")
    assert result.failure is None, result.failure
    return list(store.read(result.info.id))


def _as_slow_as_real(world: World) -> None:
    """Messages and heartbeats take as long as a real Java consumer's."""
    world.host("ideal")  # what is slow is said here
    world.network.latency_ms = (0, 1)

    def draw(distribution: Drawn, what: str) -> float:
        return distribution.draw(world.rng.stream(f"drawn/{what}"))

    usual = Delays(lambda _: LATENCIES[JAVA], draw, world.broker.address, lambda: world.now)
    world.network.add_rule(usual)
    world.heartbeat_timers.late = usual.heartbeat_late_ms


def _happens(story: DrawnStory, world: World, members: Sequence[MemberHandle], topic: Topic) -> Script:
    member = members[story.seed % story.members]
    if story.kind == "grow":
        yield world.sleep(world.rng.stream("story").randrange(story.age_ms))
        world.add_partitions(topic, 3 * story.members + 2)
    elif story.kind in ("freeze", "short-stop"):
        member.freeze(story.away_ms)
        if story.kind == "short-stop":  # another one closes meanwhile
            members[(story.seed + 1) % story.members].close()
    elif story.kind == "kill":
        member.kill()
    elif story.kind == "kill-return":
        member.kill()
        yield world.sleep(story.away_ms)
        yield member.start()
    else:
        for each in members if story.kind == "bounce" else [member]:
            each.close()
            yield each.gone
            yield world.sleep(story.away_ms)
            yield each.start()
            yield world.sleep(1_000)


@dataclass(frozen=True, slots=True)
class ReadStory:
    """What the logs of a story say. `record`: their facts; `support`: what the record's total rests on.

    `offset_ms`: the time of the story at which the record begins.
    """

    story: DrawnStory
    facts: list[Recorded]
    record: list[Recorded]
    incident: Incident
    offset_ms: int
    support: Support

    def true_ms(self) -> int:
        """When what no log shows happened, in time of the record."""
        kinds = (PartitionsAdded, p.Crashed, p.Frozen)
        return next(f.at_ms for f in self.facts if isinstance(f.event, kinds)) - self.offset_ms

    def drawn_ms(self, seeds: range = SEEDS) -> list[int]:
        """When it happens in the replays of some seeds, in time of the record."""
        wanted = _ACTIONS.get(self.story.kind, ActionKind.GROW)
        lead_in = lead_in_ms(self.incident)
        return [
            action.at_ms - lead_in
            for seed in seeds
            for action in actions_of(self.incident, None, Chance(Random(seed), EvenDraws(seed)))
            if action.kind == wanted
        ]

    def unavailable_ms(self, since_ms: int) -> int:
        """The true unavailable time from an instant of the record to its end, in partition-milliseconds."""
        since = since_ms + self.offset_ms
        rows = intervals(self.facts, self.offset_ms + self.incident.ends_ms)
        return sum(max(0, row.to_ms - max(row.from_ms, since)) for row in rows if row.unavailable)


def read(story: DrawnStory, printed: Mapping[str, int] = {}) -> ReadStory:
    """Simulate, write the logs, import and reconstruct with the true timeouts.

    `printed`: settings that its consumers print when they start.
    """
    facts = simulated(story)
    with TemporaryDirectory() as folder:
        logs = write_logs(facts, GROUP, Path(folder), printed, metadata_ms=story.age_ms)
        store = MemoryStore()
        result = import_run(read_files(logs), store, name=None, topics={}, session_timeout_ms=story.session_ms)
    assert result.run.origin is not None
    given = {SESSION: story.session_ms, HEARTBEAT: story.heartbeat_ms}
    record = list(store.read(result.run.id))
    incident = reconstruct(record, GROUP, given=given)
    rests_on = analysis.load(store, result.run.id).support
    assert rests_on is not None
    offset_ms = instant(result.run.origin) - BEGINS_MS
    return ReadStory(story, facts, record, incident, offset_ms, rests_on)


def all_read(kind: str, seeds: range) -> Iterator[ReadStory]:
    """Stories of one kind."""
    for seed in seeds:
        yield read(drawn(seed, kind))


def main(arguments: list[str]) -> int:
    """Print where in the drawn times the true ones lie."""
    parser = argparse.ArgumentParser(prog="python -m tests.incidents.unseen_events", description=__doc__)
    parser.add_argument("--stories", type=int, default=40)
    parser.add_argument("-v", action="store_true")
    given = parser.parse_args(arguments)
    for kind in ("kill-return", "kill", "freeze", "short-stop", "grow"):
        inside = widths = 0
        for each in all_read(kind, range(given.stories)):
            times, true = each.drawn_ms(), each.true_ms()
            hit = min(times) <= true <= max(times)
            inside += hit
            widths += max(times) - min(times)
            if given.v and not hit:
                print(f"{kind} {each.story.seed}: {true} not in {min(times)} to {max(times)}", each.story)
        print(f"{kind:12} inside {inside} of {given.stories}, mean width {widths / given.stories:,.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
