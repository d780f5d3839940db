"""A static librdkafka member cannot reach its coordinator for longer than its session."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(2))
def librdkafka_static_cut(world: World, partitions: int = 4, session_ms: int = 10_000, cut_ms: int = 9_500) -> Script:
    """It loses everything by its own clock and rejoins without an id: the coordinator takes it for a restarted process.

    Source: librdkafka #3437: with its old id it would be fenced by itself, fatally. The link is healed just in
    time, so there is no rebalance; nevertheless all partitions are lost and assigned again.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    config = {"session.timeout.ms": session_ms, "heartbeat.interval.ms": 1_000}
    group = world.group("billing", assignor="range", config=config)
    alice, _ = group.join("alice", "bob", topics=[orders], static=True, client="librdkafka")
    yield group.stable(members=2, within=minutes(1))
    with world.network.cut(alice, world.broker):
        yield world.sleep(cut_ms)
    yield world.sleep(seconds(10))
    yield group.stable(members=2, within=seconds(30))
    lost = probe.count(p.CallbackStart, process="alice.0", kind="lost")
    world.check(lost == 1, "it gave everything up as lost")
    world.check(probe.count(c.MemberReplaced) == 1, "it was taken for a restart")
    world.check(alice.failed is None, "it is not fenced by itself")
    world.check(probe.rebalances() == 1, "nothing was rebalanced")
