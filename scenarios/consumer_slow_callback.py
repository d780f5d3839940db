"""One member's listener is slow: who has to wait for it."""

from __future__ import annotations

from groupsim.scenarios.dsl import Application, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script

LEARNT_MS = 3_000
"""A member learns of a rebalance so much later than another one at most: heartbeat.interval.ms."""


@scenario(seed=1, lasts=minutes(2))
def consumer_slow_callback(world: World, partitions: int = 6, callback_ms: int = 15_000) -> Script:
    """A member with a slow revoked callback makes a whole eager group wait; in a consumer group only the receiver.

    Source: KIP-848. A third member joins; the coordinator gives it a partition when its former owner has sent word.
    Who has nothing to give, or has given it, is at the new epoch at once.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    slow = Application(callback_ms={"revoked": callback_ms})
    groups = {
        "eager": world.group("eager", assignor="range"),
        "consumer": world.group("consumer", protocol="consumer"),
    }
    for name, group in groups.items():
        group.join(f"{name}-slow", topics=[orders], application=slow)
        group.join(f"{name}-quick", topics=[orders])
    for group in groups.values():
        yield group.stable(members=2, within=minutes(1))
    yield world.sleep(seconds(5))

    joined = world.now
    for name, group in groups.items():
        group.join(f"{name}-third", topics=[orders])
    for group in groups.values():
        yield group.stable(members=3, within=minutes(1))
    least_ms = callback_ms - LEARNT_MS
    stood = {
        name: {i.partition for i in probe.intervals(joined, name) if i.unavailable and i.duration_ms >= least_ms}
        for name in groups
    }
    world.check(len(stood["eager"]) == partitions, "eager: every partition waited for the callback")
    world.check(0 < len(stood["consumer"]) < partitions, f"consumer: {len(stood['consumer'])} of {partitions} did")
    quick = groups["consumer"].members[1]
    longest = max(
        (i.duration_ms for i in probe.intervals(joined, "consumer") if i.unavailable and i.member == quick.address),
        default=0,
    )
    world.check(longest < 1_000, "consumer: what the quick member has was hardly unavailable")
