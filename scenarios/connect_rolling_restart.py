"""A rolling restart of Kafka Connect's workers: what the delay costs beside no delay and beside the eager protocol."""

from __future__ import annotations

from groupsim.analysis.availability.labels import Label
from groupsim.scenarios.dsl import WorkerTimes, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.scenarios.rolling import roll
from groupsim.simulation.clients.process import Script


@scenario(seed=3, lasts=minutes(30))
def connect_rolling_restart(
    world: World,
    workers: int = 3,
    orders_tasks: int = 6,
    users_tasks: int = 3,
    delay_ms: int = 60_000,
    downtime_ms: int = 20_000,
    ready_ms: int = 0,
) -> Script:
    """Each worker restarts when everything runs again: with the delay, its connectors and tasks wait for all of it.

    Source: KIP-415; recorded workers of Kafka 4.4.0 (`tests/golden/connect`). What a worker had that left stays without
    one until `scheduled.rebalance.max.delay.ms` is over, also where the worker is back long before
    (IncrementalCooperativeAssignor.handleLostAssignments). Three clusters beside each other: `delay` with `delay_ms`,
    `no-delay` with 0, and `eager`. A leader that restarts takes what it knows with it: then nothing waits. `ready_ms`
    is how long a connector or task takes from its start until it does its work.
    """
    probe = watch(world)
    connectors = {"orders": orders_tasks, "users": users_tasks}
    times = WorkerTimes(ready_ms=ready_ms)
    clusters = {
        "delay": world.connect("delay", connectors, delay=delay_ms, times=times),
        "no-delay": world.connect("no-delay", connectors, delay=0, times=times),
        "eager": world.connect("eager", connectors, protocol="eager", times=times),
    }
    for cluster in clusters.values():
        cluster.join(workers, spread=seconds(2))
    for cluster in clusters.values():
        yield cluster.stable(members=workers)
    yield world.sleep(seconds(20))

    began = world.now
    yield from roll(world, clusters.values(), downtime=downtime_ms, pause=seconds(20))
    waited = {name: probe.label_ms(Label.DELAYED, since=began, group=name) for name in clusters}
    world.check(waited["no-delay"] == waited["eager"] == 0, f"waited for a delay, unit-ms: {waited}")
    world.check(waited["delay"] > 0 or not delay_ms, f"waited for a delay, unit-ms: {waited}")
