"""Nothing happens: members join one after the other, and then the group just works."""

from __future__ import annotations

from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(5))
def steady_state(world: World, members: int = 3, partitions: int = 12) -> Script:
    """Members join one after the other, and then the group just works: no partition is unavailable any more."""
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing")
    group.join(members, topics=[orders], spread=seconds(2))
    yield group.stable(members=members, within=minutes(1))
    generation = group.generation

    yield world.sleep(minutes(3))
    world.check(group.generation == generation, "a group that nothing happens to does not rebalance")
