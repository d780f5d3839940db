"""A new coordinator knows only the assignor in use."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(2))
def failover_forgets_assignors(world: World, partitions: int = 6) -> Script:
    """After a failover only the assignor in use is on record, and a consumer that lists only another one is refused.

    Source: seen on a real broker; found by `groupsim fuzz swarm` (seed 287). Before the failover the consumer would
    have been admitted.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    both = ["roundrobin", "range"]
    group = world.group("billing", assignor=both)
    group.join(2, topics=[orders])
    yield group.stable(members=2, within=minutes(1))
    only = {"partition.assignment.strategy": "range"}
    (early,) = group.join("early", topics=[orders], config=only)
    yield group.stable(members=3, within=minutes(1))
    yield early.close()
    yield group.stable(members=2, within=minutes(1))
    world.check(probe.each(c.JoinPhaseCompleted)[-1][1].protocol == "roundrobin", "roundrobin is in use again")

    world.broker.move(loading_ms=200)
    yield world.sleep(seconds(2))
    (late,) = group.join("late", topics=[orders], config=only)
    yield world.sleep(seconds(3))
    world.check(late.failed == "INCONSISTENT_GROUP_PROTOCOL", "the same consumer is refused after the failover")
    world.check(len(group.owners(orders)) == 2, "the others go on")
