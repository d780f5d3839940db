"""The group's members name another server assignor, one after the other."""

from __future__ import annotations

from groupsim.events import consumer as c
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(2))
def consumer_assignor_changed(
    world: World, members: int = 3, partitions: int = 7, before: str = "uniform", after: str = "range"
) -> Script:
    """Members restart with group.remote.assignor set: the group has the assignor that most of them name.

    Source: KIP-848; Kafka's ConsumerGroup.preferredServerAssignor. Members that name none have no vote. The server's
    range is not sticky: it moves partitions although nobody came or went.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing", protocol="consumer", config={"group.remote.assignor": before})
    joined = group.join(members, topics=[orders])
    yield group.stable(members=members, within=minutes(1))
    yield world.sleep(seconds(5))

    used = []
    for member in joined:
        member.configure({"group.remote.assignor": after})
        yield member.restart(downtime=seconds(1))
        yield group.stable(members=members, within=minutes(1))
        used.append(probe.each(c.TargetComputed)[-1][1].assignor)
    most = members // 2
    world.check(used[0] == before, f"one vote for {after}: still {before}")
    world.check(used[most] == after, f"{most + 1} votes of {members}: {after}")
    world.check(used[-1] == after, f"and then {after} for good")
