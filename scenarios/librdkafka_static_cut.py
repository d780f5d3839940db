"""A static librdkafka member is cut from its coordinator for longer than its session."""

from __future__ import annotations

from scenarios.dsl import World, minutes, scenario, seconds
from scenarios.seen import watch
from simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(2))
def librdkafka_static_cut(world: World, partitions: int = 4, session_ms: int = 10_000, cut_ms: int = 9_500) -> Script:
    """It gives up by its own clock, and may meet its old id when it is back; see what becomes of it.

    Source: row L6 (librdkafka 3437).
    """
    seen = watch(world)
    orders = world.topic("orders", partitions=partitions)
    config = {"session.timeout.ms": session_ms, "heartbeat.interval.ms": 1_000}
    group = world.group("billing", assignor="range", config=config)
    alice, _ = group.join("alice", "bob", topics=[orders], static=True, client="librdkafka")
    yield group.stable(members=2, within=minutes(1))
    with world.network.cut(alice, world.broker):
        yield world.sleep(cut_ms)
    yield world.sleep(seconds(10))
    yield group.stable(members=2, within=seconds(30))
    world.check(alice.failed is None, "it is not fenced by itself")
    world.check(seen.rebalances() == 1, "nothing was rebalanced")
