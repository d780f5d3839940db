"""A rollout that never ends: the new pod is ready only with a partition, and the old one has the only one."""

from __future__ import annotations

from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(10))
def surge_pod_without_partition(
    world: World, replicas: int = 1, partitions: int = 1, max_surge: int = 1, max_unavailable: int = 0
) -> Script:
    """A Deployment waits for its new pod before it ends an old one, and the new pod waits for a partition.

    Source: sentry-kubernetes/charts#2258. With `max_surge=0` and `max_unavailable=1`, as with the strategy Recreate, or
    with more partitions than pods, the rollout ends.
    """
    orders = world.topic("orders", partitions=partitions)
    pods = world.deployment(
        "billing",
        replicas=replicas,
        topics=[orders],
        max_surge=max_surge,
        max_unavailable=max_unavailable,
        start_ms=4_000,
        ready_after_ms=3_000,
        ready_with_partition=True,
    )
    group = world.groups["billing"]
    yield pods.settled()
    yield group.stable(members=replicas, within=minutes(1))
    yield world.sleep(seconds(10))
    rolled = pods.roll()
    yield rolled | world.sleep(minutes(5))
    stuck = max_surge > 0 and max_unavailable == 0 and partitions <= replicas
    said = "the new pod waits for a partition, the old one for the new pod" if stuck else "the rollout has ended"
    world.check(rolled.triggered != stuck, said)
