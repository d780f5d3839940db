"""Partitions that a static member should have revoked while it was down have no owner when it is back."""

from __future__ import annotations

from groupsim.scenarios.dsl import Application, World, minutes, scenario, seconds
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(3))
def static_away_leaves_orphans(world: World, partitions: int = 6, poll_interval_ms: int = 10_000) -> Script:
    """A static member misses a cooperative rebalance that takes partitions from it; for a while they have no owner.

    Source: found by `groupsim fuzz swarm` (seed 519). The first rebalance withholds the partitions until the member
    has revoked them. It returns owning nothing, is answered at once, has nothing to revoke, and so nobody requests
    the second rebalance. The sync timer of the generation that it missed ends this: it still waits for the member's
    former id, one rebalance timeout after the join phase. Kafka 4.4 with Java clients does the same.
    """
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing", assignor="cooperative-sticky", config={"max.poll.interval.ms": poll_interval_ms})
    alice, bob = group.join("alice", "bob", topics=[orders], static=True, application=Application(process_ms=100))
    yield group.stable(members=2, within=minutes(1))

    alice.enforce_rebalance()  # so that the coordinator keeps on record what bob holds
    yield world.sleep(seconds(4))
    yield group.stable(members=2, within=minutes(1))
    bob.slow_batch(3 * poll_interval_ms)
    yield world.sleep(poll_interval_ms // 2)
    group.join("carol", topics=[orders])
    yield group.stable(members=3, within=4 * poll_interval_ms)
    owned = sum(len(group.granted(m.member_id)) for m in group.members)
    world.check(owned < partitions, f"bob is back, and {partitions - owned} partitions belong to nobody")
    yield world.sleep(poll_interval_ms + seconds(4))
    yield group.stable(members=3, within=seconds(30))
    owned = sum(len(group.granted(m.member_id)) for m in group.members)
    world.check(owned == partitions, "the sync timer of the generation that bob missed gives them away")
