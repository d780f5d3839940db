"""Static instances of Kafka Streams whose restart takes longer than their session, and the same with a longer one."""

from __future__ import annotations

from groupsim.analysis.availability.labels import Label
from groupsim.events.classic import MemberRemoved
from groupsim.scenarios.dsl import Part, Store, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.scenarios.rolling import roll
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(20))
def streams_long_shutdown(
    world: World,
    instances: int = 3,
    partitions: int = 12,
    changelog: int = 2_400_000,
    restore_rate: int = 60_000,
    downtime_ms: int = 60_000,
    session_ms: int = 30_000,
) -> Script:
    """A session that ends before the instance is back costs a rebalance, and its tasks are restored by others.

    Source: littlehorse-enterprises/littlehorse #861: closing a hundred RocksDB stores takes 30 to 50 s, and a pod a
    minute until it is back; with session.timeout.ms of 30 s it is removed although it was not to leave, so the session
    has to be longer. Two applications with the classic protocol beside each other: `short` with `session_ms`, and
    `long` with twice the downtime. `changelog`: records of one task; `restore_rate`: records per second.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    part = Part((orders,), Store(changelog=changelog, restore=restore_rate))
    apps = {}
    for name, session in (("short", session_ms), ("long", 2 * downtime_ms)):
        config: dict[str, int | str | bool] = {"group.protocol": "classic", "session.timeout.ms": session}
        apps[name] = world.streams(name, part, config=config)
    for app in apps.values():
        app.join(instances, static=True)
    for app in apps.values():
        yield app.stable(members=instances)
    yield world.sleep(seconds(30))

    began = world.now
    yield from roll(world, apps.values(), downtime=downtime_ms, pause=seconds(30))
    removed = {name: probe.count(MemberRemoved, since=began, group=name) for name in apps}
    restored = {name: probe.label_ms(Label.RESTORING, since=began, group=name) for name in apps}
    world.check(removed["short"] == instances and removed["long"] == 0, f"members removed: {removed}")
    world.check(restored["long"] < restored["short"], f"restoring, partition-ms: {restored}")
    lost = {name: probe.label_ms(since=began, group=name) for name in apps}
    world.check(lost["long"] < lost["short"], f"unavailable, partition-ms: {lost}")
