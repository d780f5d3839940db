"""A static member polls too late, and only it notices."""

from __future__ import annotations

from groupsim.events import client as p
from groupsim.scenarios.dsl import Application, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(2))
def static_poll_expiry(world: World, partitions: int = 4, poll_interval_ms: int = 10_000) -> Script:
    """It sends no LeaveGroup and returns within its session: no rebalance, yet it loses everything and redoes it.

    Source: KAFKA-8636.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    config = {"max.poll.interval.ms": poll_interval_ms, "enable.auto.commit": False}
    group = world.group("billing", assignor="range", config=config)
    busy = Application(process_ms=100, commit_sync=True)
    alice, _ = group.join("alice", "bob", topics=[orders], static=True, application=busy)
    yield group.stable(members=2, within=minutes(1))
    yield world.sleep(seconds(5))
    alice.slow_batch(poll_interval_ms + seconds(5))
    yield world.sleep(poll_interval_ms + seconds(10))
    yield group.stable(members=2, within=seconds(30))
    world.check(probe.count(p.PollExpired) == 1, "the poll interval was over once")
    world.check(probe.rebalances() == 1, "there was no rebalance")
    world.check(probe.count(p.CallbackStart, process="alice.0", kind="lost") == 1, "and yet `lost` was called")
    refused = probe.each(p.CommitFailed, process="alice.0", local=True)
    world.check(len(refused) == 1, "the commit of the late batch was refused by the client itself")
    world.check(probe.reprocessed() > 0, "so the batch was read again")
