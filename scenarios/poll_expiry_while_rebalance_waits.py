"""librdkafka: the application does not poll while a rebalance waits for it."""

from __future__ import annotations

from groupsim.events import client as p
from groupsim.events.group import CommitAccepted
from groupsim.scenarios.dsl import Application, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(3))
def poll_expiry_while_rebalance_waits(world: World, partitions: int = 6, poll_interval_ms: int = 10_000) -> Script:
    """The rebalance callback waits for the application until max.poll.interval.ms is over; then everything is lost.

    Source: librdkafka #5604: without the assignment-lost flag the application would commit partitions that it no
    longer owns. Here no commit is accepted after it has left.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    config = {"max.poll.interval.ms": poll_interval_ms, "enable.auto.commit": False}
    group = world.group("billing", assignor="range", config=config)
    busy = Application(process_ms=100, commit_sync=True)
    alice, _ = group.join("alice", "bob", topics=[orders], client="librdkafka", application=busy)
    yield group.stable(members=2, within=minutes(1))
    yield world.sleep(seconds(5))
    member = alice.member_id
    alice.slow_batch(poll_interval_ms + seconds(10))
    yield world.sleep(seconds(1))
    group.join("carol", topics=[orders], client="librdkafka", application=busy)
    yield world.sleep(poll_interval_ms + seconds(12))
    expired = probe.each(p.PollExpired, process="alice.0")[0][0]
    late = [fact for _, fact in probe.each(CommitAccepted, since=expired) if fact.member == member]
    world.check(late == [], "the broker accepts nothing more of the one that left")
    lost = probe.each(p.CallbackStart, since=expired, process="alice.0")
    world.check(lost[0][1].kind in ("lost", "revoked"), "its listener is called when it polls again")
    yield group.stable(members=3, within=minutes(1))
    world.check(probe.reprocessed() > 0, "the late batch is read again by somebody else")
