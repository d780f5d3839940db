"""A static member restarts while the leader computes the assignment."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.scenarios.dsl import Application, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(3))
def static_replaced_while_completing(
    world: World, members: int = 3, partitions: int = 6, assignor_ms: int = 6_000
) -> Script:
    """Its id is replaced before the assignment arrives: the group rebalances again instead of assigning it nothing.

    Source: KAFKA-9801 (fixed in 2.5).
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing", assignor="range")
    slow = Application(assignor_ms=assignor_ms)
    joined = group.join(members, topics=[orders], static=True, application=slow)
    yield group.stable(members=members, within=minutes(1))

    leader = next(m for m in joined if m.leads)
    other = next(m for m in joined if m is not leader)
    leader.enforce_rebalance()
    yield world.sleep(seconds(4))
    world.check(probe.each(c.JoinPhaseCompleted)[-1][1].generation == 2, "the leader is computing generation 2")
    other.kill()
    yield other.start()
    yield world.sleep(seconds(1))
    forced = probe.each(c.RebalanceStarted)[-1][1]
    world.check(forced.cause == "static-replaced", "the replacement forces a new rebalance")
    yield group.stable(members=members, within=minutes(1))
    world.check(all(m.believes_it_owns(orders) for m in joined), "everybody has a share, the newcomer too")
    world.check(
        2 not in [f.generation for _, f in probe.each(c.AssignmentStored)], "generation 2 never came into force"
    )
