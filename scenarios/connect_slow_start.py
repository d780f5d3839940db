"""Connectors that take two minutes to start block their workers, which leave the group after one."""

from __future__ import annotations

from groupsim.events.classic import MemberRemoved
from groupsim.scenarios.dsl import Between, WorkerTimes, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.scenarios.reported import near
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(5))
def connect_slow_start(world: World, workers: int = 2, start_ms: int = 120_000, rebalance_ms: int = 60_000) -> Script:
    """Heartbeats go on, but the worker does not poll: it leaves by itself, and joins again when it has started them.

    Source: KAFKA-12798, apache/kafka #10712: MirrorMaker 2 could not reach its source cluster, so the start of its
    connectors blocked the herder for two minutes, and the heartbeat thread found the rebalance timeout of one minute
    over. A worker says so since KAFKA-16197, and names rebalance.timeout.ms. `start_ms`: from the assignment until all
    that a worker got has started; `rebalance_ms`: rebalance.timeout.ms.
    """
    probe = watch(world)
    times = WorkerTimes(first=Between(start_ms, start_ms))
    cluster = world.connect("mirror", {"source": 3}, times=times, config={"rebalance.timeout.ms": rebalance_ms})
    cluster.join(workers)
    while not all(cluster.granted(worker.member_id) for worker in cluster.members):
        yield world.sleep(100)
    assigned = world.now
    yield world.sleep(start_ms)
    yield cluster.stable(members=workers, within=minutes(1))
    left = [at - assigned for at, _ in probe.each(MemberRemoved, since=assigned)]
    world.check(len(left) == workers, f"{len(left)} of {workers} workers left the group")
    world.check(all(near(ms, rebalance_ms) for ms in left), f"so many ms after the assignment: {left}")
    back = world.now - assigned
    world.check(near(back, start_ms + seconds(3)), f"and all were members again after {back:,} ms")
