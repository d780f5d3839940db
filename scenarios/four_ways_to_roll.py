"""Twelve consumers on Kubernetes get a new version in four ways, at the same time and with equal pods."""

from __future__ import annotations

from typing import Any

from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import watch
from groupsim.simulation.clients.process import Script


@scenario(seed=1, lasts=minutes(8))
def four_ways_to_roll(
    world: World,
    replicas: int = 12,
    partitions: int = 24,
    assignor: str = "cooperative-sticky",
    start_ms: int = 4_000,
    ready_after_ms: int = 3_000,
    session_timeout_ms: int = 45_000,
) -> Script:
    """A Deployment as it comes, one that starts all new pods first, a StatefulSet, and one with static members.

    Source: Kubernetes (Deployment, StatefulSet), KIP-345. Instance ids that are pod names last through the update of a
    StatefulSet: members that are back within their session cause no rebalance, and only their own partitions wait.
    """
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    config = {"session.timeout.ms": session_timeout_ms}
    pods: dict[str, Any] = {
        "start_ms": start_ms,
        "ready_after_ms": ready_after_ms,
        "topics": [orders],
        "replicas": replicas,
    }
    names = ("as-it-comes", "all-new-first", "one-by-one", "static")
    for name in names:
        world.group(name, assignor=assignor, config=config)
    ways = {
        "as-it-comes": world.deployment("as-it-comes", **pods),
        "all-new-first": world.deployment("all-new-first", max_surge="100%", max_unavailable=0, **pods),
        "one-by-one": world.deployment("one-by-one", kind="StatefulSet", pod_management="Parallel", **pods),
        "static": world.deployment("static", kind="StatefulSet", pod_management="Parallel", static="pod-name", **pods),
    }
    for name in names:
        yield ways[name].settled()
        yield world.groups[name].stable(members=replicas, within=minutes(2))
    yield world.sleep(seconds(10))

    before = {name: world.groups[name].generation for name in names}
    began = world.now
    rolls = {name: ways[name].roll() for name in names}
    for name in names:
        yield rolls[name]
    for name in names:
        yield world.groups[name].stable(members=replicas, within=minutes(2))

    rebalances = {name: world.groups[name].generation - before[name] for name in names}
    cost = {name: sum(i.duration_ms for i in probe.intervals(began, name) if i.unavailable) / 1_000 for name in names}
    world.check(rebalances["static"] == 0, f"static members that are back in time: no rebalance in {replicas} restarts")
    world.check(
        rebalances["one-by-one"] >= replicas,
        f"one by one: {rebalances['one-by-one']} rebalances, {cost['one-by-one']:.1f} partition-seconds",
    )
    world.check(
        rebalances["all-new-first"] < rebalances["one-by-one"],
        f"all new pods first: {rebalances['all-new-first']} rebalances, {cost['all-new-first']:.1f} partition-seconds",
    )
    world.check(
        rebalances["as-it-comes"] < rebalances["one-by-one"],
        f"as it comes: {rebalances['as-it-comes']} rebalances, {cost['as-it-comes']:.1f} partition-seconds",
    )
