"""One member leaves: how many rebalances, and how many partitions move, under each assignor."""

from __future__ import annotations

from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import moves, watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(2))
def one_departure(
    world: World, members: int = 4, partitions: int = 24, assignors: str = "range,roundrobin,sticky,cooperative-sticky"
) -> Script:
    """The partitions of the member that left have to move; every other move is unnecessary.

    Source: KAFKA-14382, librdkafka #3891, confluent-kafka-go #622. One departure causes one rebalance with every
    assignor; sticky ones move the minimum.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    groups = {name: world.group(name, assignor=name) for name in assignors.split(",")}
    for group in groups.values():
        group.join(members, topics=[orders])
    for group in groups.values():
        yield group.stable(members=members, within=minutes(1))
    before = {name: probe.plans(group=name)[-1] for name in groups}
    left = world.now
    for group in groups.values():
        group.members[0].close()
    yield world.sleep(seconds(1))
    for name, group in groups.items():
        yield group.stable(members=members - 1, within=minutes(1))
        rounds = probe.rebalances(left, name)
        world.check(rounds == 1, f"{name}: {rounds} round")
        moved = moves(before[name], probe.plans(group=name)[-1])
        least = partitions // members
        world.check((moved == least) == ("sticky" in name), f"{name}: {moved} partitions moved, {least} had to")
