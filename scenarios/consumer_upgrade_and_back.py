"""KIP-848: a classic group is upgraded online, member by member, and downgraded again."""

from __future__ import annotations

from groupsim.events import client as p
from groupsim.events import consumer as c
from groupsim.events.group import CommitRefused
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(3))
def consumer_upgrade_and_back(world: World, members: int = 3, partitions: int = 6, assignor: str = "range") -> Script:
    """Restart with group.protocol=consumer, one by one, then with classic again: the last step rebalances everybody.

    Source: KIP-848 (its migration plan). The first new member makes the group a consumer group; the others go on as
    classic members of it: a cooperative one gives up only what moves, an eager one everything whenever it has to join
    again, and when these do so at once nothing is available for a moment. When the last new member is gone, those who
    stay are a classic group again; an eager one stops all of them.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing", assignor=assignor)
    joined = group.join(members, topics=[orders])
    yield group.stable(members=members, within=minutes(1))

    for protocol, fact in (("consumer", c.GroupUpgraded), ("classic", c.GroupDowngraded)):
        began = world.now
        for member in joined:
            member.configure({"group.protocol": protocol})
            yield member.restart(downtime=seconds(2))
            yield group.stable(members=members, within=minutes(1))
        converted = probe.each(fact, since=began)
        world.check(len(converted) == 1, f"the group was converted once on the way to {protocol}")
        bounced = sum(at < converted[0][0] for at, _ in probe.each(p.ProcessStarted, since=began))
        expected = 1 if protocol == "consumer" else members - 1
        world.check(bounced == expected, f"to {protocol}: when {bounced} of {members} had started anew")
        most = probe.most_at_once(since=converted[0][0], group="billing")
        if assignor == "cooperative-sticky":
            world.check(most < partitions, f"{protocol}: at most {most} partitions at once")
        elif protocol == "classic":
            world.check(most == partitions, "classic group: at some instant no partition was available")
    world.check(probe.count(p.Failed) == 0, "no member was refused")
    world.check(probe.count(CommitRefused) == 0, "no commit was refused")
