"""A member of a consumer group cannot reach the coordinator, but can reach its data."""

from __future__ import annotations

from groupsim.events import client as p
from groupsim.events import consumer as c
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(2.5))
def consumer_coordinator_unreachable(world: World, partitions: int = 4, cut_ms: int = 70_000) -> Script:
    """It goes on fetching and cannot commit; after its session others own its partitions, and it works on them too.

    Source: KIP-848; Kafka's AbstractHeartbeatRequestManager tries again with a backoff that doubles, and nothing ends
    the membership on the client's side. When it reaches the coordinator it is fenced and loses everything.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing", protocol="consumer", config={"auto.commit.interval.ms": 1_000})
    alone, other = group.join("alone", "other", topics=[orders])
    yield group.stable(members=2, within=minutes(1))
    yield world.sleep(seconds(5))

    cut = world.now
    heal = world.network.cut_link(alone, world.broker)
    yield world.sleep(cut_ms)
    removed = probe.each(c.ConsumerMemberRemoved, since=cut)[0][0]
    world.check(alone.believes_it_owns(orders), "it still works on what it was assigned")
    world.check(len(group.owners(orders)) == 1, "which is the other member's now")
    served = probe.label_ms("DOUBLE", "ZOMBIE_ONLY", since=cut)
    world.check(served > 0, f"{served:,} ms of partitions were worked on in vain")
    heal()
    yield group.stable(members=2, within=minutes(1))
    world.check(probe.count(p.CallbackStart, process=alone.address, kind="lost") == 1, "then it lost everything, once")
    world.check(40_000 <= removed - cut <= 45_100, f"it was removed after {removed - cut:,} ms, the session")
    world.check(probe.reprocessed() > 0, "records were read twice")
    world.check(other.running, "the other one was there all the time")
