"""max.poll.interval.ms runs out between a finished join and the poll that would have completed it."""

from __future__ import annotations

from groupsim.events import client as p
from groupsim.scenarios.dsl import Application, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(3))
def poll_expiry_meets_join(world: World, partitions: int = 6, poll_interval_ms: int = 10_000) -> Script:
    """The heartbeat thread has finished the join and then leaves; the application finds it outdated and rejoins.

    Source: KAFKA-8104: before the fix the consumer never recovered.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    config = {"max.poll.interval.ms": poll_interval_ms}
    group = world.group("billing", assignor="cooperative-sticky", config=config)
    busy = Application(process_ms=100, assignor_ms=1_500)
    alice, bob = group.join("alice", "bob", topics=[orders], application=busy)
    yield group.stable(members=2, within=minutes(1))

    leader, follower = (alice, bob) if alice.leads else (bob, alice)
    leader.enforce_rebalance()
    while not probe.count(p.JoinOk, process=follower.address, generation=2):
        yield world.sleep(20)
    follower.slow_batch(poll_interval_ms + seconds(3))
    yield world.sleep(poll_interval_ms + seconds(2))
    synced = probe.each(p.SyncOk, process=follower.address, generation=2)
    expired = probe.each(p.PollExpired, process=follower.address)
    world.check(synced[0][0] < expired[0][0], "the join was finished, then the poll interval was over")
    yield group.stable(members=2, within=minutes(1))
    reasons = [fact.reason for _, fact in probe.each(p.RejoinRequested, process=follower.address)]
    world.check("the generation was modified by the heartbeat thread" in reasons, "the stale join was thrown away")
    world.check(follower.believes_it_owns(orders), "it is a member again")
