"""From range to cooperative-sticky as Kafka ships it: two rolling restarts."""

from __future__ import annotations

from groupsim.events import client as p
from groupsim.events.group import CommitRefused
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script

STEPS = ("cooperative-sticky,range", "cooperative-sticky")


@scenario(seed=1, lasts=minutes(6))
def upgrade_in_two_bounces(world: World, members: int = 3, partitions: int = 12) -> Script:
    """First restart: [cooperative-sticky, range], eager still. Second: [cooperative-sticky], cooperative one by one.

    Source: KIP-429 (its upgrade path). Members that still run eagerly own nothing when they join, so mixing them
    with cooperative ones is safe; nobody is refused.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing", assignor="range")
    joined = group.join(members, topics=[orders])
    yield group.stable(members=members, within=minutes(1))

    for strategy, protocol in zip(STEPS, ("EAGER", "COOPERATIVE"), strict=True):
        for member in joined:
            member.configure({"partition.assignment.strategy": strategy})
            yield member.restart(downtime=seconds(2))
            yield group.stable(members=members, within=minutes(1))
        running = {m.rebalance_protocol for m in joined}
        world.check(running == {protocol}, f"after the bounce to [{strategy}] everybody runs {protocol}")
    world.check(probe.count(p.Failed) == 0, "no member was refused")
    world.check(probe.count(CommitRefused) == 0, "no commit was refused")
    world.check(probe.unsafe_ms() == 0, "no partition had two entitled owners")
