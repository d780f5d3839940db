"""A cooperative consumer works on while its JoinGroup waits, and is removed for it."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.scenarios.dsl import Application, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(3))
def long_batch_while_join_parked(
    world: World, partitions: int = 6, session_ms: int = 10_000, batch_ms: int = 30_000
) -> Script:
    """No heartbeats are sent between JoinGroup and its answer, which only poll() handles: the session expires first.

    Source: Kafka's AbstractCoordinator (heartbeats pause while JoinGroup is in flight). The batch is far shorter
    than max.poll.interval.ms, and yet the member loses everything.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    config = {"session.timeout.ms": session_ms, "heartbeat.interval.ms": 1_000}
    group = world.group("billing", assignor="cooperative-sticky", config=config)
    alice, bob = group.join("alice", "bob", topics=[orders], application=Application(process_ms=100))
    yield group.stable(members=2, within=minutes(1))
    bob.slow_batch(5_000)
    yield world.sleep(200)
    group.join("carol", topics=[orders])
    while probe.count(p.JoinSent, process=alice.address) < 3:
        yield world.sleep(20)
    alice.slow_batch(batch_ms)
    yield world.sleep(batch_ms + seconds(2))
    completed = next(at for at, fact in probe.each(c.JoinPhaseCompleted) if fact.generation == 2)
    out = [(at, fact.cause) for at, fact in probe.each(c.MemberRemoved) if fact.member.startswith("alice")]
    thrown_out = bool(out) and out[0][1] == "session-expired"
    world.check(thrown_out, "alice is thrown out in the middle of her batch")
    world.check(abs(out[0][0] - completed - session_ms) <= 20, "one session after the join phase was completed")
    world.check(probe.count(p.PollExpired) == 0, "max.poll.interval.ms was never near")
    yield group.stable(members=3, within=minutes(1))
    world.check(probe.count(p.CallbackStart, process=alice.address, kind="lost") == 1, "all she had was lost")
    world.check(probe.reprocessed() > 0, "and read twice")
