"""Two connectors of twelve tasks, and a worker more at a time: one worker gets all tasks of one connector."""

from __future__ import annotations

from collections import Counter

from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(5))
def connect_tasks_gather(world: World, tasks: int = 12) -> Script:
    """Workers are even by the number of their tasks, and not by whose they are: what moves is the first of a list.

    Source: KAFKA-17049, apache/kafka #16486: where workers come one after the other, as in its review with two
    connectors of 12 tasks, incremental rebalances give too many tasks of one connector to one worker. The assignor of
    4.4.0 does so, too: with two workers each has all tasks of one connector.
    """
    topics = ("orders", "users")
    cluster = world.connect("sinks", dict.fromkeys(topics, tasks))
    cluster.join(1)
    yield cluster.stable(members=1, within=minutes(1))
    yield world.sleep(seconds(40))
    cluster.join(1)
    yield cluster.stable(members=2, within=minutes(2))
    units = {worker.label: cluster.granted(worker.member_id) for worker in cluster.members}
    tasks_of = {name: Counter(unit.topic for unit in own if unit.topic in topics) for name, own in units.items()}
    world.check({counts.total() for counts in tasks_of.values()} == {tasks}, f"tasks by worker: {tasks_of}")
    world.check(all(len(counts) == 1 for counts in tasks_of.values()), "each worker has those of one connector")
