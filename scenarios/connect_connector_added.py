"""A connector is created in a cluster that runs twenty: the eager protocol restarts them all."""

from __future__ import annotations

from groupsim.scenarios.dsl import WorkerTimes, World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(4))
def connect_connector_added(world: World, workers: int = 3, connectors: int = 20, ready_ms: int = 30_000) -> Script:
    """All of them stop twice and get ready again, where the incremental protocol only starts the new one.

    Source: confluentinc/kafka-connect-jdbc #405, KAFKA-5505: each time that a connector was added, all others stopped
    and started over, bulk loads among them. So it was for all clusters before 2.3 (KIP-415), and is with
    connect.protocol=eager. Two clusters beside each other: `eager`, and `sessioned`, the default. `ready_ms`: from
    its start until a connector or task does its work.
    """
    probe = watch(world)
    clusters = {}
    for name in ("eager", "sessioned"):
        tables = {f"table-{n}": 1 for n in range(connectors)}
        clusters[name] = world.connect(name, tables, protocol=name, times=WorkerTimes(ready_ms=ready_ms))
    for cluster in clusters.values():
        cluster.join(workers)
    for cluster in clusters.values():
        yield cluster.stable(members=workers, within=minutes(1))
    yield world.sleep(ready_ms + seconds(10))

    created = world.now
    yield world.env.all_of([cluster.add_connector("one-more", 1) for cluster in clusters.values()])
    yield world.sleep(ready_ms + seconds(30))
    stopped = {name: probe.most_at_once(since=created, group=name) for name in clusters}
    world.check(stopped["eager"] >= 2 * connectors, f"connectors and tasks that did not run: {stopped}")
    world.check(stopped["sessioned"] <= 2, "with the incremental protocol only the new ones")
    away = (probe.all_served_ms(created, "eager") or world.now) - created
    world.check(away >= ready_ms, f"it took {away:,} ms until all of them worked again")
