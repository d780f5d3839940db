"""KIP-726: from range to cooperative-sticky by one rolling restart: the selected assignor decides the protocol."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.group import CommitRefused
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script

OLD, NEW = "range", "cooperative-sticky,range"


@scenario(seed=1, lasts=minutes(4))
def upgrade_in_one_bounce(world: World, members: int = 4, partitions: int = 12, downtime_ms: int = 3_000) -> Script:
    """KIP-726: all restart once with [cooperative-sticky, range]; without old members the group is cooperative.

    Source: KIP-726 (never shipped). Eager until then; no partition is ever owned twice, no commit is refused.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing", assignor=OLD)
    joined = group.join(members, topics=[orders], protocol_mode="dynamic")
    yield group.stable(members=members, within=minutes(1))

    for member in joined:
        old_left = probe.each(c.JoinPhaseCompleted)[-1][1].protocol
        world.check(old_left == "range", "while an old member is left, range is selected")
        member.configure({"partition.assignment.strategy": NEW})
        yield member.restart(downtime=downtime_ms)
        yield group.stable(members=members, within=minutes(1))
    upgraded = world.now
    world.check(probe.each(c.JoinPhaseCompleted)[-1][1].protocol == "cooperative-sticky", "all new: cooperative-sticky")

    joined[0].enforce_rebalance()
    yield world.sleep(seconds(1))
    yield group.stable(members=members, within=minutes(1))
    revoked = [fact for _, fact in probe.each(p.CallbackStart, since=upgraded, kind="revoked") if fact.partitions]
    world.check(not revoked, "the next rebalance revokes nothing: it is cooperative")
    world.check(probe.count(p.CallbackStart, kind="lost") == 0, "nothing was lost on the way")
    world.check(probe.unsafe_ms() == 0, "no partition had two entitled owners")
    world.check(probe.count(CommitRefused) == 0, "no commit was refused")
