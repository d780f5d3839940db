"""Four nodes of a Kubernetes cluster are drained in turn; twelve consumers run on them."""

from __future__ import annotations

from typing import Any

from groupsim.scenarios.dsl import World, minutes, scenario
from groupsim.scenarios.pods_on_nodes import STATIC, on_nodes
from groupsim.scenarios.probe import Probe, watch
from groupsim.simulation.clients.process import Script
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.kubernetes.budget import DisruptionBudget
from groupsim.simulation.kubernetes.nodes import Nodes
from groupsim.simulation.kubernetes.rolling_update import Amount

WAYS = ("no-budget", "budget", "static")


@scenario(seed=1, lasts=minutes(8))
def node_drain(
    world: World,
    replicas: int = 12,
    partitions: int = 24,
    nodes: int = 4,
    assignor: str = "cooperative-sticky",
    start_ms: int = 5_000,
    start_spread_ms: int = 10_000,
    ready_after_ms: int = 3_000,
    upgrade_ms: int = 20_000,
    session_timeout_ms: int = 45_000,
    way: str = "all",
    max_unavailable: str = "1",
    crashes: int = 0,
) -> Script:
    """A Deployment without a PodDisruptionBudget, one with a budget, and a StatefulSet of static members with one.

    Each has nodes of its own, which are drained one after the other (`kubectl drain`), upgraded and used again. A
    pod takes `start_ms` to `start_ms` + `start_spread_ms` to start. `way` plays one of them alone (no-budget, budget,
    static); `max_unavailable` is that of the budget. `crashes`: after the drains so many processes die, and their
    containers start again.

    Source: Kubernetes (kubectl drain, eviction API, PodDisruptionBudget), KIP-345. A budget lets few pods go at a time,
    and each that goes is a rebalance of its own; without one the pods of a node go together.
    """
    if way not in ("all", *WAYS):
        raise BadScenario(f"way must be all, {', '.join(WAYS)}, not {way!r}")
    probe = watch(world)
    orders = world.topic("orders", partitions=partitions)
    ways = {name: name for name in WAYS} if way == "all" else {"billing": way}
    limit = {"budget": DisruptionBudget(max_unavailable=_amount(max_unavailable))}
    own: dict[str, dict[str, Any]] = {"no-budget": {}, "budget": limit, "static": {**limit, **STATIC}}
    all_ = on_nodes(
        world,
        {name: own[chosen] for name, chosen in ways.items()},
        [orders],
        nodes,
        assignor=assignor,
        session_timeout_ms=session_timeout_ms,
        replicas=replicas,
        start_ms=start_ms,
        start_spread_ms=start_spread_ms,
        ready_after_ms=ready_after_ms,
    )
    yield from all_.begun()

    before, began = all_.generations(), world.now
    drains = [world.env.process(_each_in_turn(world, pool, upgrade_ms)) for pool in all_.pools.values()]
    yield from drains
    yield from all_.settled(within=minutes(3))
    if way == "all":
        _compare(world, probe, began, {name: now - before[name] for name, now in all_.generations().items()})
    for pods in all_.pods.values():
        for pod in pods.present[:crashes]:
            pod.member.kill()
            pod.member.start(after_ms=start_ms)
    yield from all_.stable(within=minutes(3))


def _each_in_turn(world: World, nodes: Nodes, upgrade_ms: int) -> Script:
    for node in list(nodes):
        yield node.drain()
        yield world.sleep(upgrade_ms)
        node.uncordon()


def _amount(text: str) -> Amount:
    return int(text) if text.isascii() and text.isdigit() else text


def _compare(world: World, probe: Probe, began: int, rebalances: dict[str, int]) -> None:
    cost = {name: probe.label_ms(since=began, group=name) / 1_000 for name in WAYS}
    said = {name: f"{name}: {rebalances[name]} rebalances, {cost[name]:.1f} partition-seconds" for name in WAYS}
    world.check(rebalances["static"] == 0, said["static"])
    world.check(rebalances["no-budget"] < rebalances["budget"], said["no-budget"])
    world.check(rebalances["budget"] > 0, said["budget"])
