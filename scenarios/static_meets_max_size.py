"""A full group does not admit a static member that returns."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(2))
def static_meets_max_size(world: World, members: int = 2) -> Script:
    """In a group of group.max.size a restarted static member is refused: its JoinGroup carries no member id.

    Source: Kafka's GroupMetadataManager.acceptJoiningMember looks at the member id alone. The member's partitions
    have a dead owner until its session expires; then it may join again.
    """
    probe = watch(world)
    world.configure_broker({"group.max.size": members})
    orders = world.topic("orders", partitions=4)
    group = world.group("billing", assignor="range")
    joined = group.join(members, topics=[orders], static=True)
    yield group.stable(members=members, within=minutes(1))
    yield joined[0].restart(downtime=seconds(5))
    yield world.sleep(seconds(1))
    world.check(joined[0].failed == "GROUP_MAX_SIZE_REACHED", "the pod that came back is refused, fatally")
    yield group.stable(members=members - 1, within=minutes(1))
    world.check(probe.each(c.MemberRemoved)[-1][1].cause == "session-expired", "its place is free after its session")
    world.check(probe.label_ms("OWNER_DEAD") > 30_000, "for which its partitions had a dead owner")
    yield joined[0].start()
    yield group.stable(members=members, within=seconds(30))
