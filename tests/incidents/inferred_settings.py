"""Timeouts inferred from logs, against those of drawn groups: `python -m tests.incidents.inferred_settings`.

Groups with drawn settings, members and faults are simulated, their logs are written as Kafka would, and read again.
Of each timeout, the logs of a group contain evidence (a value that is printed, or observations enough to tell it from
any other), only bounds, or none. Printed: how many values are right within 5 % where there is evidence, how many true
values lie in the given range where there are bounds, and how many are said to be unknown where there is nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import gcd
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from groupsim.events import client as p
from groupsim.events.base import Recorded
from groupsim.events.classic import MemberRemoved, RebalanceStarted
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.replay.reconstruct.incident import Incident, reconstruct
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, SESSION
from groupsim.simulation.clients.config import Application
from groupsim.simulation.clients.process import Script
from groupsim.simulation.member import MemberHandle
from groupsim.simulation.run import Scenario, run
from groupsim.simulation.world import World
from groupsim.storage.memory import MemoryStore
from tests.incidents.written_logs import write_logs

GROUP = "billing"
NEAR = 0.05
ENOUGH_HEARTBEATS = 4
NAP_MS = 100
"""A heartbeat of a Java consumer whose application works is late by up to retry.backoff.ms."""


class Contained(StrEnum):
    """What the logs of a group contain about a setting."""

    EVIDENCE = "evidence"
    BOUNDS = "bounds"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Fault:
    """What is done to one member: `close`, `kill` or `freeze`, and for how long it is away or is stopped."""

    after_ms: int
    member: int
    kind: str
    lasts_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnGroup:
    """One group: its true timeouts in ms, how many members (the first `static` are static), and its faults."""

    seed: int
    session_ms: int
    heartbeat_ms: int
    delay_ms: int
    members: int
    static: int
    process_ms: int
    prints: bool
    faults: tuple[Fault, ...]

    @property
    def true(self) -> dict[str, int]:
        """By Kafka's names."""
        return {SESSION: self.session_ms, HEARTBEAT: self.heartbeat_ms}


def drawn(seed: int) -> DrawnGroup:
    """Settings as people choose them, or any; a quarter are Kafka's defaults."""
    rng = Random(seed)
    if rng.random() < 0.25:
        session, heartbeat = rng.choice([(45_000, 3_000), (10_000, 3_000)])
    elif rng.random() < 0.6:
        heartbeat = rng.choice([500, 1_000, 1_500, 2_000, 2_500, 4_000, 5_000])
        session = max(1_500, heartbeat) * rng.choice([3, 4, 5, 6, 8, 10])
    else:
        heartbeat = rng.randrange(300, 6_000)
        session = round(heartbeat * rng.uniform(3, 12))
    members = rng.randint(2, 4)
    faults = tuple(
        Fault(rng.randrange(500, 6 * heartbeat), rng.randrange(members), kind, rng.randrange(200, 2 * session))
        for _ in range(rng.randint(0, 4))
        for kind in [rng.choice(["close", "close", "kill", "freeze"])]
    )
    return DrawnGroup(
        seed=seed,
        session_ms=session,
        heartbeat_ms=heartbeat,
        delay_ms=rng.choice([0, 0, 1_000, 3_000]),
        members=members,
        static=rng.choice([0, 0, 1, members]),
        process_ms=rng.choice([0, 0, 0, 120, 300]),
        prints=rng.random() < 0.2,
        faults=faults,
    )


def simulated(group: DrawnGroup) -> list[Recorded]:
    """The facts of the group's run."""

    def story(world: World) -> Script:
        world.configure_broker(
            {"group.initial.rebalance.delay.ms": group.delay_ms, "group.min.session.timeout.ms": 500}
        )
        topic = world.topic("orders", 2 * group.members, rate=0.5)
        own = world.group(GROUP)
        members: list[MemberHandle] = []
        for number in range(group.members):
            name = f"m{number}"
            application = Application(process_ms=group.process_ms, empty_ms=0)
            instance = name if number < group.static else None
            members += own.join(name, topics=[topic], instance_id=instance, application=application, after=None)
        for member in members:
            yield member.start()
            yield world.sleep(world.rng.stream("story").randrange(3_000))
        yield world.sleep(group.delay_ms)
        for fault in group.faults:
            yield world.sleep(fault.after_ms)
            yield from _done(world, members[fault.member], fault)
        yield world.sleep(group.session_ms + 3 * group.heartbeat_ms)

    away = sum(fault.after_ms + fault.lasts_ms for fault in group.faults)
    away += 10_000 * (1 + len(group.faults))
    lasts_ms = group.members * 3_000 + group.delay_ms + away + group.session_ms + 3 * group.heartbeat_ms
    scenario = Scenario(name="drawn", story=story, seed=group.seed, lasts_ms=lasts_ms)
    settings = {SESSION: group.session_ms, HEARTBEAT: group.heartbeat_ms}
    store = MemoryStore()
    result = run(scenario, store, settings=settings, record="facts")
    assert result.failure is None, result.failure
    return list(store.read(result.info.id))


def _done(world: World, member: MemberHandle, fault: Fault) -> Script:
    if fault.kind == "freeze":
        member.freeze(fault.lasts_ms)
        yield world.sleep(fault.lasts_ms)
        return
    if fault.kind == "close":
        member.close()
        yield member.gone
    else:
        member.kill()
    yield world.sleep(fault.lasts_ms)
    yield member.start()


def read(group: DrawnGroup, facts: Iterable[Recorded]) -> Incident:
    """The incident as the group's logs tell it."""
    with TemporaryDirectory() as folder:
        logs = write_logs(facts, GROUP, Path(folder), group.true if group.prints else {})
        store = MemoryStore()
        imported = import_run(read_files(logs), store, name=None, topics={})
    return reconstruct(list(store.read(imported.run.id)), GROUP)


def contained(group: DrawnGroup, facts: Sequence[Recorded]) -> dict[str, Contained]:
    """By setting, what the logs must contain, by what really happened."""
    if group.prints:
        return {SESSION: Contained.EVIDENCE, HEARTBEAT: Contained.EVIDENCE}
    static = {f"m{number}" for number in range(group.static)}
    removed = [fact.event for fact in facts if isinstance(fact.event, MemberRemoved)]
    expired = {event.member[:2] for event in removed if event.cause == "session-expired"}
    session = Contained.BOUNDS if expired else Contained.NOTHING
    if any(_was_closed(facts, label) for label in static & expired):
        session = Contained.EVIDENCE
    return {SESSION: session, HEARTBEAT: _of_heartbeats(group, facts)}


def _of_heartbeats(group: DrawnGroup, facts: Iterable[Recorded]) -> Contained:
    """Enough heartbeats tell the interval from its multiples and from its parts, unless each is late by unknown times.

    Of each member's first heartbeat that reported a rebalance: how many intervals after joining, how old the rebalance.
    """
    joined: dict[str, int] = {}
    numbers: list[int] = []
    ages: list[int] = []
    started = 0
    for fact in facts:
        match fact.event:
            case RebalanceStarted():
                started = fact.at_ms
            case p.JoinOk(process=process):
                joined[process] = fact.at_ms
            case p.RejoinRequested(process=process, reason="group is already rebalancing") if process in joined:
                numbers.append(round((fact.at_ms - joined.pop(process)) / group.heartbeat_ms))
                ages.append(fact.at_ms - started)
            case _:
                pass
    if not numbers:
        return Contained.NOTHING
    late = group.process_ms > 0 and group.heartbeat_ms * NEAR < NAP_MS
    enough = len(numbers) >= ENOUGH_HEARTBEATS and gcd(*numbers) == 1 and max(ages) > 0.6 * group.heartbeat_ms + NAP_MS
    return Contained.EVIDENCE if enough and not late else Contained.BOUNDS


def _was_closed(facts: Iterable[Recorded], label: str) -> bool:
    """Whether a session of the static member ended after it had been closed."""
    away = False
    for fact in facts:
        match fact.event:
            case p.Closed(process=process) if process.startswith(label):
                away = True
            case p.ProcessStarted(process=process) if process.startswith(label):
                away = False
            case MemberRemoved(member=member, cause="session-expired") if member.startswith(label) and away:
                return True
            case _:
                pass
    return False


@dataclass(frozen=True, slots=True)
class Compared:
    """One timeout of one group."""

    group: DrawnGroup
    setting: str
    contained: Contained
    true_ms: int
    read_ms: int
    known: bool
    least_ms: int
    greatest_ms: int

    @property
    def right(self) -> bool:
        """What counts as right depends on what the logs contain."""
        near = abs(self.read_ms - self.true_ms) <= NEAR * self.true_ms
        if self.contained is Contained.EVIDENCE:
            return near and self.known
        if self.contained is Contained.NOTHING:
            return not self.known
        inside = self.least_ms <= (1 + NEAR) * self.true_ms and self.greatest_ms >= (1 - NEAR) * self.true_ms
        return near if self.known else inside


def compared(seeds: Iterable[int]) -> Iterator[Compared]:
    """Both timeouts of each group."""
    for seed in seeds:
        group = drawn(seed)
        facts = simulated(group)
        incident = read(group, facts)
        for name, what in contained(group, facts).items():
            values = incident.open_settings.get(name) or (incident.settings[name],)
            known = name in incident.known_settings
            yield Compared(group, name, what, group.true[name], incident.settings[name], known, values[0], values[-1])


def shares(found: Iterable[Compared]) -> Mapping[tuple[str, Contained], tuple[int, int]]:
    """How many are right, and how many there are, by setting and what the logs contain."""
    right: Counter[tuple[str, Contained]] = Counter()
    all_: Counter[tuple[str, Contained]] = Counter()
    for each in found:
        right[each.setting, each.contained] += each.right
        all_[each.setting, each.contained] += 1
    return {key: (right[key], all_[key]) for key in sorted(all_)}


def main(arguments: list[str]) -> int:
    """Print the shares; with `-v` also what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.incidents.inferred_settings", description=__doc__)
    parser.add_argument("--groups", type=int, default=2_000)
    parser.add_argument("--first", type=int, default=0, help="the seed of the first group")
    parser.add_argument("-v", action="store_true")
    given = parser.parse_args(arguments)
    found = []
    for each in compared(range(given.first, given.first + given.groups)):
        found.append(each)
        if given.v and not each.right:
            print(
                f"seed {each.group.seed}: {each.setting}={each.true_ms} ({each.contained}) is read as {each.read_ms}"
                f" {'known' if each.known else f'{each.least_ms} to {each.greatest_ms}'}"
            )
    for (name, what), (right, number) in shares(found).items():
        print(f"{name:22} {what:9} right {right:5} of {number:5}  {right / number:6.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
