"""Runs of consumer groups, small and short, that several tests look at."""

from __future__ import annotations

from functools import cache

from groupsim.scenarios.dsl import Application, World, seconds
from groupsim.simulation.clients.process import Script
from tests.simulation.finished_run import FinishedRun, play
from tests.simulation.test_faults import SERVER

HEARTBEAT, SESSION = 1_000, 6_000
"""What SERVER sets for consumer groups, ms."""


def grown(world: World) -> Script:
    """Two members share eight partitions; a third joins at 10 s."""
    world.configure_broker(SERVER)
    orders = world.topic("orders", partitions=8)
    group = world.group("billing", protocol="consumer")
    group.join("a", "b", topics=[orders])
    yield group.stable(members=2, within=seconds(8))
    yield world.sleep(seconds(10) - world.now)
    group.join("late", topics=[orders], application=Application(callback_ms={"assigned": 300}))
    yield group.stable(members=3, within=seconds(15))


def killed(world: World) -> Script:
    """One of three members is killed at 10 s."""
    world.configure_broker(SERVER)
    orders = world.topic("orders", partitions=6)
    group = world.group("billing", protocol="consumer")
    members = group.join("a", "b", "c", topics=[orders])
    yield group.stable(members=3, within=seconds(8))
    yield world.sleep(seconds(10) - world.now)
    members[1].kill()
    yield group.stable(members=2, within=seconds(15))


def converted(world: World) -> Script:
    """A classic group of two becomes a consumer group, member by member, and a classic one again."""
    world.configure_broker(SERVER)
    orders = world.topic("orders", partitions=4)
    timeouts = {"session.timeout.ms": SESSION, "heartbeat.interval.ms": HEARTBEAT}
    group = world.group("billing", assignor="range")
    members = group.join("a", "b", topics=[orders], config=timeouts)
    yield group.stable(members=2, within=seconds(10))
    for protocol in ("consumer", "classic"):
        for member in members:
            member.configure({"group.protocol": protocol})
            yield member.restart(downtime=500)
            yield group.stable(members=2, within=seconds(15))


@cache
def played(name: str) -> FinishedRun:
    """The run of a story of this module."""
    return play(globals()[name], seconds(60))
