"""A member that cannot reach its coordinator goes on working, and does not know that it was removed."""

from __future__ import annotations

from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.simulation.clients.process import Script


@scenario(seed=11, lasts=minutes(3))
def zombie_member(world: World, partitions: int = 6) -> Script:
    """A member cut off past its session timeout is fenced, and returns owning nothing."""
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing", assignor="cooperative-sticky")
    alice, bob = group.join("alice", "bob", topics=[orders])
    yield group.stable(members=2, within=minutes(1))

    with world.network.cut(alice, world.broker):
        yield world.sleep(seconds(60))  # the session timeout is 45 s
        world.check(group.owners(orders) == {bob}, "bob took over")
        world.check(alice.believes_it_owns(orders), "alice does not know yet")
    yield group.stable(members=2, within=seconds(45))
