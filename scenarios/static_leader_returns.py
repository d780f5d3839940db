"""A static leader restarts, and goes on watching the topics."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(2))
def static_leader_returns(world: World, partitions: int = 4, added: int = 2, metadata_ms: int = 10_000) -> Script:
    """The coordinator makes it leader again and lets it skip the assignment; partitions added later get an owner.

    Source: KAFKA-13435, KIP-814 (3.2): a leader that took itself for a follower left them unowned.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    config = {"metadata.max.age.ms": metadata_ms}
    group = world.group("billing", assignor="range", config=config)
    joined = group.join(2, topics=[orders], static=True)
    yield group.stable(members=2, within=minutes(1))
    leader = next(m for m in joined if m.leads)
    yield leader.restart(downtime=seconds(3))
    yield group.stable(members=2, within=seconds(20))
    world.check(group.generation == 1, "it came back without a rebalance")
    world.check(leader.leads, "and knows that it leads")

    grew = world.now
    world.add_partitions(orders, partitions + added)
    yield world.sleep(metadata_ms + seconds(5))
    yield group.stable(members=2, within=minutes(1))
    owned = sum(len(group.granted(m.member_id)) for m in joined)
    world.check(owned == partitions + added, "the new partitions have owners")
    cause = probe.each(c.RebalanceStarted, since=grew)[0][1].cause
    world.check(cause == "leader-rejoined", "because the leader saw them")
