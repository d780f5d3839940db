"""A regular expression, and a topic that it matches and that is created later."""

from __future__ import annotations

from groupsim.events import consumer as c
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(1.5))
def consumer_pattern(world: World, partitions: int = 4, metadata_ms: int = 30_000) -> Script:
    """A classic member finds a new topic when its metadata is old; the coordinator resolves the expression itself.

    Source: KIP-848. The coordinator looks again at a heartbeat, if a topic was created and 10 seconds have passed since
    it last looked; the partitions come with a later heartbeat.
    """
    probe = watch(world)
    world.topic("orders.eu", partitions=partitions)
    classic = world.group("classic", assignor="range", config={"metadata.max.age.ms": metadata_ms})
    consumer = world.group("consumer", protocol="consumer")
    groups = {"classic": classic, "consumer": consumer}
    for group in groups.values():
        group.join(2, pattern="orders\\..*")
    for group in groups.values():
        yield group.stable(members=2, within=minutes(1))
    yield world.sleep((seconds(16) - world.now) % metadata_ms)  # metadata is half as old as it may be

    created = world.now
    later = world.topic("orders.us", partitions=partitions)
    yield world.sleep(metadata_ms + seconds(10))
    served = {}
    for name, group in groups.items():
        world.check(len(group.owners(later)) == 2, f"{name}: both members have partitions of the new topic")
        served[name] = (probe.all_served_ms(created, name) or world.now) - created
    world.check(served["consumer"] < 15_000, f"consumer: all served after {served['consumer']:,} ms")
    world.check(served["classic"] > served["consumer"], f"classic: after {served['classic']:,} ms")
    resolved = [at for at, e in probe.each(c.ExpressionResolved, since=created) if len(e.topics) == 2]
    world.check(len(resolved) == 1, "consumer: the expression was resolved once more")
    world.check(resolved[0] - created <= 5_100, f"consumer: {resolved[0] - created:,} ms after the topic was created")
