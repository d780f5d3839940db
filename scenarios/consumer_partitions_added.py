"""A topic grows by very many partitions: how long until each of them has an owner."""

from __future__ import annotations

from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(1.5))
def consumer_partitions_added(
    world: World, members: int = 10, partitions: int = 100, added: int = 900, metadata_ms: int = 30_000
) -> Script:
    """A classic group notices when its leader's metadata is old enough, a consumer group at its next heartbeats.

    Source: KIP-848; recorded from Kafka 4.4 with 10 consumers and 900 added partitions. The classic group waits for
    metadata.max.age.ms (5 minutes by default), not for its protocol.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions, rate=0)
    classic = world.group("classic", assignor="range", config={"metadata.max.age.ms": metadata_ms})
    consumer = world.group("consumer", protocol="consumer")
    groups = {"classic": classic, "consumer": consumer}
    for group in groups.values():
        group.join(members, topics=[orders])
    for group in groups.values():
        yield group.stable(members=members, within=minutes(1))
    yield world.sleep(seconds(5))

    world.add_partitions(orders, partitions + added)
    grew = world.now
    yield world.sleep(metadata_ms + seconds(10))
    served = {name: probe.all_served_ms(grew, name) for name in groups}
    for name in groups:
        world.check(served[name] is not None, f"{name}: every new partition has an owner")
    took = {name: at - grew for name, at in served.items() if at is not None}
    world.check(took["consumer"] < 15_000, f"consumer: after {took['consumer']:,} ms")
    world.check(took["classic"] > took["consumer"], f"classic: after {took['classic']:,} ms")
