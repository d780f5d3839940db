"""A pod of a Connect cluster is deleted and comes back: its worker runs nothing until the delay is over."""

from __future__ import annotations

from groupsim.analysis.availability.labels import Label
from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.scenarios.reported import near
from groupsim.simulation.clients.process import Script


@scenario(seed=3, lasts=minutes(10))
def connect_pod_deleted(
    world: World, workers: int = 3, tasks: int = 11, delay_ms: int = 300_000, downtime_ms: int = 20_000
) -> Script:
    """The worker is back after seconds, and idle until the leader assigns what nobody has.

    Source: strimzi/strimzi-kafka-operator #11475: after a pod of MirrorMaker 2 was deleted, its new worker idled until
    scheduled.rebalance.max.delay.ms was over before it got tasks again, and the partitions of its tasks recovered
    slowly. By default that is five minutes (KIP-415). A worker has no identity that outlives its process.
    """
    probe = watch(world)
    cluster = world.connect("mirror", {"source": tasks}, delay=delay_ms)
    pods = cluster.join(workers)
    yield cluster.stable(members=workers, within=minutes(2))
    yield world.sleep(seconds(30))

    deleted = world.now
    pod = next(pod for pod in pods if not pod.leads)  # with its leader the cluster forgets what was lost
    yield pod.restart(downtime=downtime_ms)
    back = world.now
    yield cluster.stable(members=workers)
    idle = world.now - back
    world.check(near(idle + back - deleted, delay_ms), f"back after {back - deleted:,} ms, idle for {idle:,} ms more")
    world.check(probe.label_ms(Label.DELAYED, since=deleted) > 0, "nobody had its tasks meanwhile")
