"""Two of four Connect workers die and come back within the delay: what they had is shared by both."""

from __future__ import annotations

from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.scenarios.reported import near
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(12))
def connect_workers_lost(world: World, tasks: int = 23, delay_ms: int = 300_000, downtime_ms: int = 60_000) -> Script:
    """Both are idle until the delay is over, and then each gets its half; neither waits for a later rebalance.

    Source: KAFKA-10413, apache/kafka #9319: where more than one worker was lost and rejoined, at most one of them got
    all that had been lost, and the others stayed without a task until some rebalance later. Since it was fixed all
    workers that came back within the delay share it (IncrementalCooperativeAssignor.handleLostAssignments).
    """
    probe = watch(world)
    cluster = world.connect("sinks", {"orders": tasks}, delay=delay_ms)
    workers = cluster.join(4)
    yield cluster.stable(members=4, within=minutes(1))
    yield world.sleep(seconds(30))

    lost = [worker for worker in workers if not worker.leads][:2]
    died = world.now
    had = sum(len(cluster.granted(worker.member_id)) for worker in lost)
    for worker in lost:
        worker.kill()
    yield world.sleep(downtime_ms)
    for worker in lost:
        worker.start()
    yield cluster.stable(members=4)
    get = sorted(len(cluster.granted(worker.member_id)) for worker in lost)
    world.check(get[0] >= had // 2 - 1, f"of {had} connectors and tasks that were lost they get {get}")
    away = (probe.all_served_ms(died, cluster.name) or world.now) - died
    world.check(near(away, delay_ms), f"what they had was away for {away:,} ms")
