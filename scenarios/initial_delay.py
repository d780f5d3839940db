"""Pods that start at nearly the same time, with and without the initial rebalance delay."""

from __future__ import annotations

from groupsim.scenarios.dsl import World, minutes, scenario
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(2))
def initial_delay(world: World, pods: int = 6, spread_ms: int = 4_000, delay_ms: int = 0) -> Script:
    """Without group.initial.rebalance.delay.ms each pod of a deployment causes a rebalance; with 3 s there is one.

    Source: KIP-134. Set delay_ms=3000 for Kafka's default.
    """
    probe = watch(world)
    world.configure_broker({"group.initial.rebalance.delay.ms": delay_ms})
    orders = world.topic("orders", partitions=12)
    group = world.group("billing", assignor="range")
    group.join(pods, topics=[orders], spread=spread_ms)
    yield group.stable(members=pods, within=minutes(1))
    found = probe.rebalances()
    if delay_ms == 0:
        world.check(found >= 2, f"without a delay {pods} pods made {found} rebalances")
    elif delay_ms * 2 > spread_ms:
        world.check(found == 1, f"a delay of {delay_ms:,} ms gathered {pods} pods in one rebalance")
