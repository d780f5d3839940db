"""A static member of a consumer group is killed and comes back within its session."""

from __future__ import annotations

from groupsim.events import client as p
from groupsim.events import consumer as c
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(3))
def consumer_static_killed(world: World, partitions: int = 4, downtime_ms: int = 3_000) -> Script:
    """A classic group takes a static member back after kill -9; a consumer group refuses it for good.

    Source: KIP-848; recorded from Kafka 4.4: UNRELEASED_INSTANCE_ID is fatal for the Java consumer. The coordinator
    does not know that the former process is dead, and its partitions wait for the rest of its session. Whoever starts
    the process again after that gets them back.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    groups = {
        "classic": world.group("classic", assignor="range"),
        "consumer": world.group("consumer", protocol="consumer"),
    }
    for name, group in groups.items():
        group.join(f"{name}-a", f"{name}-b", topics=[orders], static=True)
    for group in groups.values():
        yield group.stable(members=2, within=minutes(1))
    yield world.sleep(seconds(5))

    killed = world.now
    for group in groups.values():
        group.members[0].kill()
    yield world.sleep(downtime_ms)
    for group in groups.values():
        group.members[0].start()
    yield world.sleep(seconds(5))
    world.check(probe.count(c.StaticMemberReplaced) == 0, "consumer: nobody took the dead member's place")
    world.check(groups["consumer"].members[0].failed == "UNRELEASED_INSTANCE_ID", "consumer: fatal for who came back")
    world.check(groups["classic"].settled(members=2), "classic: it has its partitions again")
    yield groups["consumer"].stable(members=1, within=minutes(1))
    dead = {name: probe.label_ms("OWNER_DEAD", since=killed, group=name) for name in groups}
    world.check(
        dead["consumer"] > 5 * dead["classic"], f"a dead owner for {dead['consumer']:,} and {dead['classic']:,}"
    )

    if groups["consumer"].members[0].running:
        yield groups["consumer"].members[0].close()
    yield groups["consumer"].members[0].start()
    yield groups["consumer"].stable(members=2, within=minutes(1))
    world.check(probe.count(p.Failed) == 1, "after the session it is taken as any other member")
