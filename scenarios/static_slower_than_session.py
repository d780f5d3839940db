"""Static members that take longer to restart than their session lasts."""

from __future__ import annotations

from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(5))
def static_slower_than_session(
    world: World, members: int = 3, partitions: int = 6, session_ms: int = 10_000, downtime_ms: int = 15_000
) -> Script:
    """A rolling restart in which every pod is slower than the session costs two rebalances per pod, quick pods none.

    Source: KIP-345. Set downtime_ms=5000 to see what static membership is for.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    config = {"session.timeout.ms": session_ms, "heartbeat.interval.ms": 1_000}
    group = world.group("billing", assignor="range", config=config)
    joined = group.join(members, topics=[orders], static=True)
    yield group.stable(members=members, within=minutes(1))
    began = world.now
    for member in joined:
        yield member.restart(downtime=downtime_ms)
        yield group.stable(members=members, within=minutes(1))
        yield world.sleep(seconds(2))
    due = 2 * members if downtime_ms > session_ms else 0
    found = probe.rebalances(began)
    world.check(found == due, f"{found} rebalances for {members} pods")
