"""Small scenarios for problems: one event of a group's life at a random instant, for random times."""

from __future__ import annotations

from math import exp
from random import Random

from groupsim.scenarios.dsl import Application, GroupHandle, Topic, World, scenario, seconds
from groupsim.simulation.clients.process import Script

ASSIGNORS = {"eager": "range", "sticky": "sticky", "cooperative": "cooperative-sticky"}


def _around(median_ms: float, spread: float, chance: Random) -> int:
    """A time with a long tail, as restarts and batches have."""
    return round(median_ms * exp(min(chance.gauss(0, spread), 3.0)))


def _group(
    world: World, protocol: str, session_ms: int, heartbeat_ms: int, latency_ms: int, partitions: int, delay_ms: int = 0
) -> tuple[GroupHandle, Topic, Random]:
    """A group whose coordinator does not wait for more members at first, its topic, and a stream of chance."""
    world.network.latency_ms = (1, latency_ms)
    world.configure_broker({"group.initial.rebalance.delay.ms": delay_ms})
    orders = world.topic("orders", partitions=partitions)
    if protocol == "consumer":
        least = {"group.consumer.min.session.timeout.ms": 1_000, "group.consumer.min.heartbeat.interval.ms": 100}
        world.configure_broker(least)
        own = {"consumer.session.timeout.ms": session_ms, "consumer.heartbeat.interval.ms": heartbeat_ms}
        return world.group("billing", protocol=protocol, group_config=own), orders, world.rng.stream("events")
    config = {"session.timeout.ms": session_ms, "heartbeat.interval.ms": heartbeat_ms}
    group = world.group("billing", assignor=ASSIGNORS[protocol], config=config)
    return group, orders, world.rng.stream("events")


@scenario(lasts=seconds(25))
def deploy(
    world: World,
    members: int = 3,
    partitions: int = 6,
    protocol: str = "eager",
    static: bool = False,
    downtime_ms: int = 2_000,
    spread: float = 0.5,
    pause_ms: int = 1_000,
    session_ms: int = 10_000,
    heartbeat_ms: int = 2_000,
    latency_ms: int = 20,
) -> Script:
    """Restart every member in turn; how long each takes is drawn."""
    group, orders, chance = _group(world, protocol, session_ms, heartbeat_ms, latency_ms, partitions)
    joined = group.join(members, topics=[orders], spread=500, static=static)
    yield world.sleep(seconds(3) + chance.randrange(heartbeat_ms))
    for member in joined:
        yield member.restart(downtime=_around(downtime_ms, spread, chance))
        yield world.sleep(pause_ms)


@scenario(lasts=seconds(30))
def outage(
    world: World,
    members: int = 3,
    partitions: int = 6,
    protocol: str = "eager",
    static: bool = False,
    kind: str = "kill",
    away_ms: int = 8_000,
    spread: float = 0.6,
    session_ms: int = 10_000,
    heartbeat_ms: int = 2_000,
    latency_ms: int = 20,
) -> Script:
    """One member is killed, frozen or cut off, and is back after a drawn time."""
    group, orders, chance = _group(world, protocol, session_ms, heartbeat_ms, latency_ms, partitions)
    joined = group.join(members, topics=[orders], spread=500, static=static)
    yield world.sleep(seconds(3) + chance.randrange(heartbeat_ms))
    victim, away = joined[chance.randrange(members)], min(_around(away_ms, spread, chance), seconds(22))
    if kind == "freeze":
        yield victim.freeze(away)
    elif kind == "cut":
        with world.network.cut(victim, world.broker):
            yield world.sleep(away)
    else:
        victim.kill()
        yield world.sleep(away)
        yield victim.start()


@scenario(lasts=seconds(25))
def scale(
    world: World,
    members: int = 2,
    added: int = 1,
    removed: int = 1,
    partitions: int = 6,
    protocol: str = "eager",
    delay_ms: int = 1_000,
    start_ms: int = 2_000,
    spread: float = 0.5,
    session_ms: int = 10_000,
    heartbeat_ms: int = 2_000,
    latency_ms: int = 20,
) -> Script:
    """A group starts, grows, and shrinks again; how long each pod takes to start is drawn."""
    group, orders, chance = _group(world, protocol, session_ms, heartbeat_ms, latency_ms, partitions, delay_ms)
    for _ in range(members):
        group.join(1, topics=[orders], after=min(_around(start_ms, spread, chance), seconds(6)))
    yield world.sleep(seconds(8) + chance.randrange(heartbeat_ms))
    for _ in range(added):
        group.join(1, topics=[orders], after=min(_around(start_ms, spread, chance), seconds(6)))
    yield world.sleep(seconds(8) + chance.randrange(heartbeat_ms))
    for member in group.members[:removed]:
        yield member.close()


@scenario(lasts=seconds(25))
def pods(
    world: World,
    replicas: int = 3,
    partitions: int = 6,
    protocol: str = "eager",
    kind: str = "Deployment",
    surge: int = 1,
    unavailable: int = 0,
    static: bool = False,
    start_ms: int = 2_000,
    ready_after_ms: int = 1_000,
    session_ms: int = 10_000,
    heartbeat_ms: int = 2_000,
    latency_ms: int = 20,
) -> Script:
    """A Deployment or a StatefulSet rolls; how long pods take to start is drawn."""
    group, orders, chance = _group(world, protocol, session_ms, heartbeat_ms, latency_ms, partitions)
    settings = {"max_surge": surge, "max_unavailable": unavailable} if kind == "Deployment" else {}
    work = world.deployment(
        "billing",
        group=group,
        replicas=replicas,
        topics=[orders],
        kind=kind,
        start_ms=(start_ms // 2, start_ms * 2),
        ready_after_ms=ready_after_ms,
        static="pod-name" if static else None,
        **settings,
    )
    yield work.settled()
    yield world.sleep(seconds(2) + chance.randrange(heartbeat_ms))
    work.roll()


@scenario(lasts=seconds(28))
def busy(
    world: World,
    members: int = 3,
    partitions: int = 6,
    protocol: str = "eager",
    process_ms: int = 300,
    callback_ms: int = 200,
    batch_ms: int = 5_000,
    spread: float = 0.8,
    poll_interval_ms: int = 8_000,
    session_ms: int = 10_000,
    heartbeat_ms: int = 2_000,
    latency_ms: int = 20,
) -> Script:
    """One member has a long batch, drawn; meanwhile a member joins, and leaves again."""
    group, orders, chance = _group(world, protocol, session_ms, heartbeat_ms, latency_ms, partitions)
    application = Application(
        process_ms=process_ms, callback_ms={"revoked": callback_ms, "assigned": callback_ms}, poll_timeout_ms=500
    )
    config = {"max.poll.interval.ms": poll_interval_ms}
    joined = group.join(members, topics=[orders], spread=500, application=application, config=config)
    yield world.sleep(seconds(3) + chance.randrange(heartbeat_ms))
    joined[0].slow_batch(min(_around(batch_ms, spread, chance), seconds(18)))
    yield world.sleep(chance.randrange(2_000))
    (late,) = group.join(1, topics=[orders], application=application, config=config)
    yield world.sleep(seconds(8))
    late.kill()
