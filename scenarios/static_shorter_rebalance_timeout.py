"""A static member returns with a smaller rebalance timeout."""

from __future__ import annotations

from groupsim.events import classic as c
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(3))
def static_shorter_rebalance_timeout(world: World, before_ms: int = 60_000, after_ms: int = 12_000) -> Script:
    """The new timeout counts as soon as it returns: a rebalance that it then misses is delayed no longer than that.

    Source: KAFKA-14009: before the fix the join timer used the old one.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=4)
    group = world.group("billing", assignor="range", config={"max.poll.interval.ms": before_ms})
    (alice,) = group.join("alice", topics=[orders], static=True)
    yield group.stable(members=1, within=minutes(1))
    alice.configure({"max.poll.interval.ms": after_ms})
    yield alice.restart(downtime=seconds(2))
    yield group.stable(members=1, within=minutes(1))

    alice.kill()
    group.join("bob", topics=[orders], config={"max.poll.interval.ms": after_ms // 2})
    yield world.sleep(after_ms + seconds(1))
    (at, started) = probe.each(c.RebalanceStarted)[-1]
    (done, completed) = probe.each(c.JoinPhaseCompleted)[-1]
    world.check(started.timeout_ms == after_ms, "the join timer runs for the new timeout")
    world.check(done - at == after_ms and len(completed.absent) == 1, f"and ends the wait after {done - at:,} ms")
    yield group.stable(members=1, within=minutes(1))
