"""A consumer is closed in the middle of a rebalance."""

from __future__ import annotations

from groupsim.events import client as p
from groupsim.scenarios.dsl import Application, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(2))
def close_during_rebalance(world: World, partitions: int = 6, batch_ms: int = 8_000) -> Script:
    """It loses its partitions instead of revoking them; its last batch is not committed and is read again.

    Source: librdkafka #4527 (there, close() never returned).
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    group = world.group("billing", assignor="cooperative-sticky")
    busy = Application(process_ms=100)
    alice, bob = group.join("alice", "bob", topics=[orders], application=busy)
    yield group.stable(members=2, within=minutes(1))
    yield world.sleep(seconds(5))
    bob.slow_batch(batch_ms)
    yield world.sleep(500)
    group.join("carol", topics=[orders], application=busy)
    while probe.count(p.JoinSent, process=alice.address) < 3:
        yield world.sleep(20)
    yield world.sleep(500)
    closing = world.now
    alice.close()
    yield group.stable(members=2, within=minutes(1))
    kinds = {fact.kind for _, fact in probe.each(p.CallbackStart, since=closing, process=alice.address)}
    world.check(kinds == {"lost"}, "alice's listener is told `lost`, not `revoked`")
    world.check(probe.count(p.CommitFailed, process=alice.address, local=True) > 0, "her last commit is refused")
    world.check(probe.count(p.Closed, process=alice.address) == 1, "the close comes to an end")
    world.check(probe.reprocessed() > 0, "her last records are read again")
