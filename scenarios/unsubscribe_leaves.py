"""A consumer that unsubscribes leaves the group at once; one that dies is removed later."""

from __future__ import annotations

from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(2))
def unsubscribe_leaves(world: World, partitions: int = 6, session_ms: int = 20_000) -> Script:
    """Its partitions are assigned to others at once, instead of after a session.

    Source: librdkafka #3375 (fixed in 1.7: unsubscribe in cooperative mode did not leave).
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    config = {"session.timeout.ms": session_ms}
    group = world.group("billing", assignor="cooperative-sticky", config=config)
    alice, bob, carol = group.join("alice", "bob", "carol", topics=[orders], client="librdkafka")
    yield group.stable(members=3, within=minutes(1))
    left = world.now
    yield alice.unsubscribe()
    while len(world.broker.group("billing").members) > 2:
        yield world.sleep(10)
    world.check(world.now - left < 1_000, "the group knows at once")
    world.check(probe.label_ms("OWNER_DEAD") == 0, "no partition has a dead owner")
    alice.kill()
    yield world.sleep(seconds(10))

    bob.kill()
    yield world.sleep(session_ms + seconds(5))
    dead = probe.label_ms("OWNER_DEAD")
    world.check(dead >= (session_ms - 4_000) * partitions // 2, f"after a kill: {dead:,} partition-milliseconds")
    world.check(carol.believes_it_owns(orders), "the last one has everything")
