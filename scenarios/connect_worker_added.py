"""A third worker joins two that run eight connectors and tasks each: it gets its share in two rebalances."""

from __future__ import annotations

from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(4))
def connect_worker_added(world: World, connectors: int = 4, tasks: int = 3) -> Script:
    """Each old worker stops what is too much, and once all have joined again the new one gets it.

    Source: KAFKA-12309, apache/kafka #10077: with 8 connectors and tasks on each of two workers a third one got 4, and
    the others kept 6 each. The assignor of 4.4 makes 5, 5 and 6 of it (KAFKA-12495, KAFKA-13764). Meanwhile what moves
    does not run: from the first rebalance to the second, which each worker learns of by a heartbeat.
    """
    probe = watch(world)
    cluster = world.connect("etl", {f"table-{n}": tasks for n in range(connectors)})
    cluster.join(2)
    yield cluster.stable(members=2, within=minutes(1))
    yield world.sleep(seconds(30))

    added = world.now
    cluster.join(1)
    yield cluster.stable(members=3, within=minutes(2))
    loads = sorted(len(cluster.granted(worker.member_id)) for worker in cluster.members)
    world.check(loads[-1] - loads[0] <= 1, f"connectors and tasks by worker: {loads}")
    world.check(probe.rebalances(since=added) == 2, "two rebalances: what is too much is stopped, then assigned")
    moved = probe.most_at_once(since=added, group=cluster.name)
    world.check(moved == loads[0], f"{moved} connectors and tasks were unavailable meanwhile, the others went on")
