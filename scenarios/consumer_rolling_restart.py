"""A rolling restart under the consumer protocol, static and dynamic members beside each other."""

from __future__ import annotations

from groupsim.events import consumer as c
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.scenarios.rolling import roll
from groupsim.simulation.clients.process import Script

START_MS = 1_000
"""A process takes less than that to start."""


@scenario(seed=7, lasts=minutes(2))
def consumer_rolling_restart(world: World, members: int = 3, partitions: int = 6, downtime_ms: int = 5_000) -> Script:
    """Each member restarts in turn; a static one keeps its partitions, so the epoch does not grow.

    Source: KIP-848, KIP-345. The partitions of a member that leaves wait for two heartbeats: the next one of anybody,
    by which a new target is computed, and that of the new owner. Back again, it gets partitions a heartbeat after it
    has joined. A static member costs its downtime and its start, and nobody else notices.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    groups = {name: world.group(name, protocol="consumer") for name in ("dynamic", "static")}
    for name, group in groups.items():
        group.join(members, topics=[orders], static=name == "static")
    for group in groups.values():
        yield group.stable(members=members, within=minutes(1))
    yield world.sleep(seconds(5))

    deployed = world.now
    yield from roll(world, groups.values(), downtime=downtime_ms, within=minutes(1))
    epochs = {name: probe.count(c.GroupEpochBumped, since=deployed, group=name) for name in groups}
    world.check(epochs == {"dynamic": 2 * members, "static": 0}, f"rebalances: {epochs}")
    moved = {name: probe.count(c.ConsumerMemberRemoved, since=deployed, group=name) for name in groups}
    world.check(moved == {"dynamic": members, "static": 0}, "only dynamic members leave")
    cost = probe.label_ms(since=deployed, group="static")
    least = partitions * downtime_ms
    most = partitions * (downtime_ms + START_MS)
    world.check(least <= cost <= most, f"static: {cost:,} ms, the downtime of every partition and a start")
    at_once = probe.most_at_once(since=deployed, group="static")
    world.check(at_once <= -(-partitions // members), f"static: at most {at_once} partitions at once")
