"""A topic grows while its group's static leader restarts, and nobody notices."""

from __future__ import annotations

from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(3))
def static_leader_misses_growth(world: World, partitions: int = 4, added: int = 2, metadata_ms: int = 5_000) -> Script:
    """The leader that returns assumes that the topics it finds are already assigned: new partitions have no owner.

    Source: KIP-814 (the returning leader's snapshot); found by `groupsim fuzz swarm` (seed 3138). Any later
    rebalance assigns them. In `static_leader_returns` the topic grows when the leader is back: then it notices.
    """
    orders = world.topic("orders", partitions=partitions)
    config = {"metadata.max.age.ms": metadata_ms}
    group = world.group("billing", assignor="range", config=config)
    joined = group.join(2, topics=[orders], static=True)
    yield group.stable(members=2, within=minutes(1))
    leader = next(m for m in joined if m.leads)
    yield leader.close()
    world.add_partitions(orders, partitions + added)
    yield leader.start()
    yield group.stable(members=2, within=seconds(20))

    yield world.sleep(minutes(1))
    world.check(leader.leads, "it knows that it leads, and looks at the topics every few seconds")
    owned = sum(len(group.granted(m.member_id)) for m in joined)
    world.check(owned == partitions, f"a minute later {added} partitions still belong to nobody")
    leader.enforce_rebalance()
    yield world.sleep(seconds(4))
    yield group.stable(members=2, within=minutes(1))
    owned = sum(len(group.granted(m.member_id)) for m in joined)
    world.check(owned == partitions + added, "any rebalance gives them away")
