"""A member that is late with SyncGroup rejoins with the partitions it owned two generations ago."""

from __future__ import annotations

from groupsim.events import client as p
from groupsim.scenarios.dsl import Application, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(3))
def late_sync_stale_claims(world: World, partitions: int = 12, batch_ms: int = 8_000) -> Script:
    """Its claim is outdated; it has to revoke them, and no partition ever has two entitled owners.

    Source: KAFKA-12983, KAFKA-13419, KAFKA-13891, KAFKA-14016, KAFKA-14639. Outdated claims are kept and decided by
    generation, as since Kafka 3.6. The invariant withheld-until-revoked checks every rebalance.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing", assignor="cooperative-sticky", config={"heartbeat.interval.ms": 1_000})
    busy = Application(process_ms=100)
    alice, bob = group.join("alice", "bob", topics=[orders], application=busy)
    yield group.stable(members=2, within=minutes(1))
    leader, late = (alice, bob) if alice.leads else (bob, alice)
    leader.slow_batch(4_000)
    yield world.sleep(200)
    group.join("carol", topics=[orders], application=busy)
    while probe.count(p.JoinSent, process=late.address) < 3:
        yield world.sleep(5)
    late.slow_batch(batch_ms)
    yield world.sleep(batch_ms + seconds(2))
    refused = probe.each(p.RequestFailed, process=late.address, api="SyncGroup", error="REBALANCE_IN_PROGRESS")
    world.check(len(refused) > 0, f"{late.label} synced when the next rebalance had begun")
    claimed = probe.each(p.JoinSent, since=refused[-1][0], process=late.address)[0][1].owned
    world.check(len(claimed) == partitions // 2, "and claims what it held two generations ago")
    yield group.stable(members=3, within=minutes(1))
    world.check(probe.unsafe_ms() == 0, "no partition had two entitled owners")
    world.check(probe.count(p.CallbackStart, kind="lost") == 0, "nothing was lost for it")
    world.check(leader.believes_it_owns(orders), "all have a share")
