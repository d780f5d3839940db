"""KIP-726: an application goes from cooperative to eager and back by rolling restarts."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.events.group import CommitRefused
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script

NEW, OLD = "cooperative-sticky,range", "range"


@scenario(seed=1, lasts=minutes(6))
def downgrade_and_back(world: World, members: int = 3, partitions: int = 12) -> Script:
    """KIP-726: a cooperative group is restarted with range and with [cooperative-sticky, range] again, safely.

    Source: KIP-726. The first member that returns with range alone makes the others lose all their partitions;
    nobody commits offsets of partitions that another member may own by then.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing", assignor=NEW.split(","))
    joined = group.join(members, topics=[orders], protocol_mode="dynamic")
    yield group.stable(members=members, within=minutes(1))

    for strategy, selected in ((OLD, "range"), (NEW, "cooperative-sticky")):
        for member in joined:
            member.configure({"partition.assignment.strategy": strategy})
            yield member.restart(downtime=seconds(2))
            yield group.stable(members=members, within=minutes(1))
        world.check(probe.each(c.JoinPhaseCompleted)[-1][1].protocol == selected, f"the bounce ended with {selected}")
    world.check(probe.unsafe_ms() == 0, "no partition had two entitled owners")
    world.check(probe.count(CommitRefused, error="ILLEGAL_GENERATION") == 0, "no commit came too late")
