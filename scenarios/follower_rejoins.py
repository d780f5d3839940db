"""A follower that rejoins always causes a rebalance."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(2))
def follower_rejoins(world: World, members: int = 3, assignor: str = "range") -> Script:
    """A member's subscription carries its generation, so it always differs from what it sent before.

    Source: KIP-792, KAFKA-13715 (3.4).
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=6)
    group = world.group("billing", assignor=assignor)
    joined = group.join(members, topics=[orders])
    yield group.stable(members=members, within=minutes(1))
    for turn in (1, 2):
        next(m for m in joined if not m.leads).enforce_rebalance()
        yield world.sleep(seconds(4))
        yield group.stable(members=members, within=minutes(1))
        started = probe.each(c.RebalanceStarted)[-1][1]
        world.check(started.cause == "member-rejoined", "a follower's word was enough")
        world.check(group.generation == 1 + turn, f"generation {1 + turn}: everybody took part")
