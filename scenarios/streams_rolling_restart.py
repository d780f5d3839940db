"""A deploy of a Kafka Streams application under either protocol, with and without disks that outlive a process."""

from __future__ import annotations

from groupsim.analysis.availability.labels import Label
from groupsim.events import streams as s
from groupsim.events.classic import MemberRemoved
from groupsim.scenarios.dsl import Part, Store, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.scenarios.rolling import roll
from groupsim.simulation.clients.process import Script


@scenario(seed=3, lasts=minutes(15))
def streams_rolling_restart(
    world: World,
    instances: int = 3,
    partitions: int = 12,
    changelog: int = 600_000,
    restore_rate: int = 60_000,
    downtime_ms: int = 20_000,
    standbys: int = 0,
    protocol: str = "streams",
) -> Script:
    """Each instance restarts in turn: its tasks move to others, and each one is unavailable while its state restores.

    Source: KIP-1071; recorded applications of Kafka 4.4.0 (README of `tests/golden/recordings-streams`). An instance
    leaves the group when it closes, and tasks with state are handed over at once, without a warm-up. On a disk that
    outlives the process state is found again when the task comes back; without one it is restored each time. A static
    member keeps its tasks while it is away (KIP-345): with its disk nothing is restored, and they wait for its return.
    `standbys` is num.standby.replicas. With `protocol` classic an instance does not leave when it closes: each restart
    waits for the session of the old member, 45 s, and then finds its tasks where they were.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    apps = {}
    for name in ("static", "volume", "no-volume"):
        store = Store(changelog=changelog, restore=restore_rate, persistent=name != "no-volume")
        if protocol == "classic":
            config: dict[str, int | str] = {"group.protocol": protocol, "num.standby.replicas": standbys}
            apps[name] = world.streams(name, Part((orders,), store), config=config)
        else:
            settings = {"streams.num.standby.replicas": standbys}
            apps[name] = world.streams(name, Part((orders,), store), group_config=settings)
        apps[name].join(instances, static=name == "static")
    for app in apps.values():
        yield app.stable(members=instances)
    yield world.sleep(seconds(20))

    deployed = world.now
    yield from roll(world, apps.values(), downtime=downtime_ms, pause=seconds(20))
    of_broker = world.configs.streams.group_streams_session_timeout_ms
    session_ms = apps["static"].config.session_timeout_ms if protocol == "classic" else of_broker
    if downtime_ms + seconds(5) >= session_ms:  # static members are removed, too, and everything moves
        return
    restored = {name: probe.label_ms(Label.RESTORING, since=deployed, group=name) for name in apps}
    least = restored["static"] if protocol == "streams" else 0  # a classic instance comes back to its own tasks
    world.check(least < restored["volume"] < restored["no-volume"], f"restoring, partition-ms: {restored}")
    removed = MemberRemoved if protocol == "classic" else s.StreamsMemberRemoved
    left = {name: probe.count(removed, since=deployed, group=name) for name in apps}
    world.check(left["static"] == 0 and left["volume"] == instances, f"members that left: {left}")
