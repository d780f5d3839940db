"""Twelve consumers on Kubernetes get a new version in four ways, at the same time and with equal pods."""

from __future__ import annotations

from typing import Any

from groupsim.scenarios.dsl import World, minutes, scenario, seconds
from groupsim.scenarios.probe import Probe, watch
from groupsim.simulation.clients.process import Script
from groupsim.simulation.errors import BadScenario

FOUR = ("as-it-comes", "all-new-first", "one-by-one", "static")
NEW_NAMES = "static-new-names"
"""A fifth way, only when it is asked for: static members in a Deployment, whose pods change their names."""


@scenario(seed=1, lasts=minutes(8))
def four_ways_to_roll(
    world: World,
    replicas: int = 12,
    partitions: int = 24,
    assignor: str = "cooperative-sticky",
    start_ms: int = 4_000,
    ready_after_ms: int = 3_000,
    session_timeout_ms: int = 45_000,
    way: str = "all",
    max_surge: str = "25%",
    max_unavailable: str = "25%",
    crashes: int = 0,
) -> Script:
    """A Deployment as it comes, one that starts all new pods first, a StatefulSet, and one with static members.

    `way` plays one of them alone (as-it-comes, all-new-first, one-by-one, static, or static-new-names: a Deployment
    whose members have their pods' names as instance ids). `max_surge` and `max_unavailable` are those of as-it-comes
    and static-new-names. `crashes`: after the roll so many processes die, and their containers start again.

    Source: Kubernetes (Deployment, StatefulSet), KIP-345. Instance ids that are pod names last through the update of a
    StatefulSet: members that are back within their session cause no rebalance, and only their own partitions wait.
    """
    if way not in ("all", *FOUR, NEW_NAMES):
        raise BadScenario(f"way must be all, {', '.join(FOUR)} or {NEW_NAMES}, not {way!r}")
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    settings = _settings({"max_surge": _amount(max_surge), "max_unavailable": _amount(max_unavailable)})
    names = FOUR if way == "all" else (way,)
    for name in names:
        world.group(name, assignor=assignor, config={"session.timeout.ms": session_timeout_ms})
    pods: dict[str, Any] = {"start_ms": start_ms, "ready_after_ms": ready_after_ms, "replicas": replicas}
    ways = {name: world.deployment(name, topics=[orders], **pods, **settings[name]) for name in names}
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
        yield world.groups[name].stable(members=replicas, within=minutes(3))
    if way == "all":
        rebalances = {name: world.groups[name].generation - before[name] for name in names}
        _compare(world, probe, began, rebalances, replicas)
    for name in names:
        for pod in ways[name].present[:crashes]:
            pod.member.kill()
            pod.member.start(after_ms=start_ms)
    for name in names:
        yield world.groups[name].stable(members=replicas, within=minutes(3))


def _settings(limits: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What `world.deployment` is given for each way."""
    numbered = {"kind": "StatefulSet", "pod_management": "Parallel"}
    return {
        "as-it-comes": limits,
        "all-new-first": {"max_surge": "100%", "max_unavailable": 0},
        "one-by-one": numbered,
        "static": {**numbered, "static": "pod-name"},
        NEW_NAMES: {**limits, "static": "pod-name"},
    }


def _amount(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdigit() else text


def _compare(world: World, probe: Probe, began: int, rebalances: dict[str, int], replicas: int) -> None:
    cost = {name: sum(i.duration_ms for i in probe.intervals(began, name) if i.unavailable) / 1_000 for name in FOUR}
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
