"""KIP-726: an upgrade that missed one member changes nothing for the others."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script

OLD, NEW = "range", "cooperative-sticky,range"


@scenario(seed=1, lasts=minutes(5))
def forgotten_old_member(world: World, members: int = 4, partitions: int = 12) -> Script:
    """KIP-726: all members but one are upgraded; the group stays eager, safely, until the last one is upgraded, too.

    Source: KIP-726. It is enough to restart the forgotten member.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing", assignor=OLD)
    joined = group.join(members, topics=[orders], protocol_mode="dynamic")
    yield group.stable(members=members, within=minutes(1))
    for member in joined[:-1]:
        member.configure({"partition.assignment.strategy": NEW})
        yield member.restart(downtime=seconds(2))
        yield group.stable(members=members, within=minutes(1))

    yield world.sleep(seconds(30))
    used = {fact.protocol for _, fact in probe.each(c.JoinPhaseCompleted)}
    world.check(used == {"range"}, "one old member keeps the whole group on range")
    eager = {m.rebalance_protocol for m in group.members}
    world.check(eager == {"EAGER"}, "and every member eager, whatever it could do")

    joined[-1].configure({"partition.assignment.strategy": NEW})
    yield joined[-1].restart(downtime=seconds(2))
    yield group.stable(members=members, within=minutes(1))
    world.check({m.rebalance_protocol for m in group.members} == {"COOPERATIVE"}, "now all are cooperative")
    world.check(probe.unsafe_ms() == 0, "no partition had two entitled owners")
