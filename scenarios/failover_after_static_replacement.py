"""The coordinator fails right after a static member has returned with a new id."""

from __future__ import annotations

from groupsim.events import client as p
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(2))
def failover_after_static_replacement(world: World, partitions: int = 6) -> Script:
    """The replacement was written before it was answered, so the new coordinator knows the new id and fences nobody.

    Source: KAFKA-10284 (fixed in 2.8).
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing", assignor="range")
    joined = group.join(2, topics=[orders], static=True)
    yield group.stable(members=2, within=minutes(1))
    yield joined[0].restart(downtime=seconds(2))
    yield group.stable(members=2, within=seconds(20))
    after = joined[0].member_id

    world.broker.crash(downtime_ms=seconds(1), loading_ms=500)
    yield world.sleep(seconds(20))
    yield group.stable(members=2, within=minutes(1))
    world.check(joined[0].member_id == after, "the new id is still known after the failover")
    world.check(probe.count(p.Failed) == 0, "nobody was fenced")
    world.check(group.generation == 1, "and nothing was rebalanced")
