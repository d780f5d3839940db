"""Groups whose members are pods on nodes of their own: what scenarios of drained and lost nodes begin with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from groupsim.scenarios.dsl import Topic, World, minutes, seconds
from groupsim.simulation.clients.process import Script
from groupsim.simulation.kubernetes.nodes import Nodes
from groupsim.simulation.kubernetes.workload import Workload

STATIC: dict[str, Any] = {"kind": "StatefulSet", "pod_management": "Parallel", "static": "pod-name"}
"""A StatefulSet of static members."""


@dataclass(frozen=True, slots=True)
class PodsOnNodes:
    """Pools of nodes and the pods on them, by the names of their groups."""

    world: World
    replicas: int
    pools: Mapping[str, Nodes]
    pods: Mapping[str, Workload]

    def settled(self, within: int) -> Script:
        """Wait until all pods are there and each group has settled, which may take `within` ms."""
        for pods in self.pods.values():
            yield pods.settled()
        yield from self.stable(within)

    def begun(self) -> Script:
        """Wait until all has settled after the start, and ten seconds more."""
        yield from self.settled(within=minutes(2))
        yield self.world.sleep(seconds(10))

    def stable(self, within: int) -> Script:
        """Wait until each group has settled."""
        for name in self.pods:
            yield self.world.groups[name].stable(members=self.replicas, within=within)

    def generations(self) -> dict[str, int]:
        """The generation of each group."""
        return {name: self.world.groups[name].generation for name in self.pods}


def on_nodes(
    world: World,
    groups: Mapping[str, Mapping[str, Any]],
    topics: Iterable[Topic],
    nodes: int,
    *,
    assignor: str,
    session_timeout_ms: int,
    replicas: int,
    start_ms: int,
    start_spread_ms: int,
    ready_after_ms: int,
) -> PodsOnNodes:
    """Start each group, with its own settings of `world.deployment` and with those of all.

    A pod takes `start_ms` to `start_ms` + `start_spread_ms` to start.
    """
    settings = {"start_ms": (start_ms, start_ms + start_spread_ms), "ready_after_ms": ready_after_ms}
    pools, pods, read = {}, {}, list(topics)
    for name, own in groups.items():
        world.group(name, assignor=assignor, config={"session.timeout.ms": session_timeout_ms})
        pools[name] = world.nodes(nodes, name=f"{name}-node")
        pods[name] = world.deployment(name, topics=read, replicas=replicas, nodes=pools[name], **{**settings, **own})
    return PodsOnNodes(world, replicas, pools, pods)
