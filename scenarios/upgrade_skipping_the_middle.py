"""From range directly to cooperative-sticky alone: the refused members are lost capacity."""

from __future__ import annotations

from groupsim.events import client as p
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(4))
def upgrade_skipping_the_middle(world: World, members: int = 3, partitions: int = 12) -> Script:
    """Members restarted with [cooperative-sticky] join a group on range: INCONSISTENT_GROUP_PROTOCOL, fatal.

    Source: KIP-429 (its upgrade path). The group shrinks by every member that is restarted, until the last old one
    is gone.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing", assignor="range")
    joined = group.join(members, topics=[orders])
    yield group.stable(members=members, within=minutes(1))

    for left, member in zip(range(members - 1, 0, -1), joined, strict=False):
        member.configure({"partition.assignment.strategy": "cooperative-sticky"})
        yield member.restart(downtime=seconds(2))
        yield group.stable(members=left, within=minutes(1))
        world.check(member.failed == "INCONSISTENT_GROUP_PROTOCOL", f"{member.label} is refused and does not run")
    world.check(len(group.owners(orders)) == 1, "one old member is left with all the work")

    joined[-1].configure({"partition.assignment.strategy": "cooperative-sticky"})
    yield joined[-1].restart(downtime=seconds(2))
    for member in joined[:-1]:
        yield member.start()
    yield group.stable(members=members, within=minutes(1))
    world.check(probe.count(p.Failed) == members - 1, "once no old member runs, everybody is let in")
