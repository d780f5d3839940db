"""A leader that never sends an assignment."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.scenarios.dsl import Application, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(3))
def bad_leader(world: World, kind: str = "never-syncs", partitions: int = 4, rebalance_ms: int = 15_000) -> Script:
    """The leader sends heartbeats but never SyncGroup, or its assignor throws, or it hangs; the group recovers.

    Source: KAFKA-12890, KAFKA-13406, librdkafka #4783. kind: `never-syncs` and `throws` are ended by the sync timer
    (before Kafka 2.8 the group was stuck forever); a leader that `hangs` is removed when its session expires.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    session_ms = 10_000 if kind == "hangs" else 2 * rebalance_ms  # else followers give up before the sync timer
    config = {"max.poll.interval.ms": rebalance_ms, "session.timeout.ms": session_ms, "heartbeat.interval.ms": 1_000}
    group = world.group("billing", assignor="range", config=config)
    bad = {
        "never-syncs": Application(never_syncs=True),
        "throws": Application(assignor_fails=True),
        "hangs": Application(assignor_ms=500),
    }[kind]
    (alice,) = group.join("alice", topics=[orders], application=bad)
    yield world.sleep(seconds(1))
    group.join("bob", topics=[orders])
    while not probe.count(c.JoinPhaseCompleted):
        yield world.sleep(50)
    completed = world.now
    if kind == "hangs":
        alice.freeze()
    yield world.sleep(rebalance_ms + seconds(1))
    gone = [(at, fact.cause) for at, fact in probe.each(c.MemberRemoved) if fact.member.startswith("alice")]
    rejoined = [at for at, fact in probe.each(c.RebalanceStarted, since=completed)]
    world.check(bool(gone or rejoined), f"a leader that {kind} does not hold the group for ever")
    if kind == "never-syncs":
        world.check(gone[0][1] == "sync-timeout", "the sync timer removes it")
        world.check(abs(gone[0][0] - completed - rebalance_ms) <= 100, "when the rebalance timeout is over")
    if kind == "hangs":
        world.check(gone[0][1] == "session-expired", "its session removes it")
    alice.kill()
    yield group.stable(members=1, within=minutes(1))
    world.check(len(group.owners(orders)) == 1, "bob has everything")
