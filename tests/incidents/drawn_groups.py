"""Groups with drawn settings, members and faults, and the facts of their simulated runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from groupsim.events.base import Recorded
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, SESSION
from groupsim.simulation.clients.config import CLASSIC, CONSUMER, JAVA, Application
from groupsim.simulation.clients.process import Script
from groupsim.simulation.latencies import LATENCIES, Drawn
from groupsim.simulation.member import MemberHandle
from groupsim.simulation.message_delays import Delays
from groupsim.simulation.run import Scenario, run
from groupsim.simulation.world import World
from groupsim.storage.memory import MemoryStore
from tests.incidents.written_logs import write_logs

GROUP = "billing"
BUSY = replace(LATENCIES[JAVA], hiccup=Drawn((0, 0, 0, 0, 0, 0, 2, 8, 60, 500)))
"""Latencies of real clients on a busy machine; some threads wake very late."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is done to one member: `close`, `kill` or `freeze`, and for how long it is away or is stopped.

    `slow`: a batch that takes so much longer than it may.
    """

    after_ms: int
    member: int
    kind: str
    lasts_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnGroup:
    """One group: its true timeouts in ms, how many members (the first `static` are static), and its faults.

    `busy`: messages and heartbeats are late as on a busy machine; else they are on time. `protocol`: `classic`, or
    `consumer`, where the timeouts are the coordinator's. `poll_ms`: max.poll.interval.ms. `callbacks`: how long they
    take, by their kind.
    """

    seed: int
    session_ms: int
    heartbeat_ms: int
    delay_ms: int
    members: int
    static: int
    process_ms: int
    prints: bool
    busy: bool
    faults: tuple[Fault, ...]
    protocol: str = CLASSIC
    assignor: str | None = "range"
    poll_ms: int = 300_000
    callbacks: tuple[tuple[str, int], ...] = ()

    @property
    def true(self) -> dict[str, int]:
        """By Kafka's names."""
        return {SESSION: self.session_ms, HEARTBEAT: self.heartbeat_ms}

    @property
    def of_broker(self) -> dict[str, int]:
        """The coordinator's settings."""
        if self.protocol == CLASSIC:
            return {"group.initial.rebalance.delay.ms": self.delay_ms, "group.min.session.timeout.ms": 500}
        given = {"session.timeout.ms": self.session_ms, "heartbeat.interval.ms": self.heartbeat_ms}
        least = {f"group.consumer.min.{name}": value for name, value in given.items()}
        most = {f"group.consumer.max.{name}": value for name, value in given.items()}
        return {f"group.consumer.{name}": value for name, value in given.items()} | least | most


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
        busy=rng.random() < 0.5,
    )


def drawn_consumer(seed: int, *, slow: bool = False) -> DrawnGroup:
    """A group of the consumer protocol. `slow`: with slow batches, and with callbacks that take long to give up."""
    group, rng = replace(drawn(seed), protocol=CONSUMER, assignor=None), Random(-seed)
    if not slow:
        return group
    kinds = ("close", "kill", "freeze", "slow")
    return replace(
        group,
        poll_ms=rng.choice([6_000, 10_000, 300_000]),
        callbacks=tuple((kind, rng.choice([0, 0, 300, 2_000, 8_000])) for kind in ("revoked", "lost")),
        faults=tuple(replace(fault, kind=rng.choice([fault.kind, *kinds])) for fault in group.faults),
    )


def simulated(group: DrawnGroup) -> list[Recorded]:
    """The facts of the group's run."""

    def story(world: World) -> Script:
        world.configure_broker(group.of_broker)
        topic = world.topic("orders", 2 * group.members, rate=0.5)
        world.host("ideal")  # what is slow is said here
        if group.busy:
            _be_late(world)
        config = {"max.poll.interval.ms": group.poll_ms}
        own = world.group(GROUP, protocol=group.protocol, config=config, assignor=group.assignor)
        members: list[MemberHandle] = []
        for number in range(group.members):
            name = f"m{number}"
            application = Application(process_ms=group.process_ms, empty_ms=0, callback_ms=dict(group.callbacks))
            instance = name if number < group.static else None
            members += own.join(name, topics=[topic], instance_id=instance, application=application, after=None)
        for member in members:
            yield member.start()
            yield world.sleep(world.rng.stream("story").randrange(3_000))
        yield world.sleep(group.delay_ms)
        for fault in group.faults:
            yield world.sleep(fault.after_ms)
            yield from _done(world, members[fault.member], fault, group.poll_ms)
        yield world.sleep(group.session_ms + 3 * group.heartbeat_ms)

    away = sum(fault.after_ms + fault.lasts_ms + group.poll_ms * (fault.kind == "slow") for fault in group.faults)
    away += sum(takes_ms for _, takes_ms in group.callbacks) * (1 + len(group.faults))
    away += 10_000 * (1 + len(group.faults))
    lasts_ms = group.members * 3_000 + group.delay_ms + away + group.session_ms + 3 * group.heartbeat_ms
    scenario = Scenario(name="drawn", story=story, seed=group.seed, lasts_ms=lasts_ms)
    store = MemoryStore()
    result = run(scenario, store, settings=group.true if group.protocol == CLASSIC else {}, record="facts")
    if result.failure is not None:  # a close that takes long delays the rest: the logs end before it
        assert "the story was not over" in result.failure, result.failure
    return list(store.read(result.info.id))


def _be_late(world: World) -> None:
    """Messages and heartbeats take as long as real ones on a busy machine."""

    def draw(distribution: Drawn, what: str) -> float:
        return distribution.draw(world.rng.stream(f"latency/{what}"))

    rule = Delays(lambda _: BUSY, draw, world.broker.address, lambda: world.now)
    world.network.add_rule(rule)
    world.heartbeat_timers.late = rule.heartbeat_late_ms


def _done(world: World, member: MemberHandle, fault: Fault, poll_ms: int) -> Script:
    if fault.kind == "slow":
        member.slow_batch(poll_ms + fault.lasts_ms)
        yield world.sleep(poll_ms + fault.lasts_ms)
        return
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


def with_logs(group: DrawnGroup, folder: Path, *, leaders: bool = False) -> tuple[list[Recorded], list[Path]]:
    """The facts of a classic group's run, and the logs that it leaves."""
    facts = simulated(group)
    printed = group.true if group.prints else {}
    shown = [fact for fact in facts if not fact.event.noise]
    return facts, write_logs(shown, GROUP, folder, printed, leaders=leaders)
