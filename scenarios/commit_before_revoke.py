"""An eager consumer commits before it revokes its partitions, however slow the coordinator is."""

from __future__ import annotations

from groupsim.events import client as p
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(2))
def commit_before_revoke(world: World, partitions: int = 6, slow_ms: int = 1_000) -> Script:
    """While the last commit is in flight nothing more is fetched, so nothing is read twice.

    Source: KAFKA-13310, KAFKA-14024, KAFKA-14196: since Kafka 3.4 partitions are marked as pending revocation.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions, rate=100)
    group = world.group("billing", assignor="range")
    alice, _ = group.join("alice", "bob", topics=[orders])
    yield group.stable(members=2, within=minutes(1))
    with world.network.slow(alice, world.broker, slow_ms):
        yield world.sleep(seconds(5))
        began = world.now
        group.join("carol", topics=[orders])
        yield world.sleep(seconds(15))
    yield group.stable(members=3, within=minutes(1))
    pending = probe.each(p.RevocationPending, since=began, process="alice.0")[0][0]
    revoked = probe.each(p.CallbackStart, since=began, process="alice.0", kind="revoked")[0][0]
    world.check(revoked - pending >= 2 * slow_ms, f"the commit took {revoked - pending:,} ms")
    world.check(probe.reprocessed() == 0, "no record was read twice")
