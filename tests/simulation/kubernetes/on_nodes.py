"""Pods on nodes, for tests."""

from __future__ import annotations

from typing import Any

from groupsim.events.base import Recorded
from groupsim.events.world import ActionTaken
from groupsim.scenarios.dsl import World, minutes
from groupsim.simulation.clients.process import Script
from groupsim.simulation.kubernetes.nodes import Nodes
from groupsim.simulation.kubernetes.workload import Workload

PODS: dict[str, Any] = {"replicas": 12, "start_ms": 2_000, "ready_after_ms": 1_000}


def actions(world: World) -> list[tuple[int, str, str]]:
    """(time, action, target) of all that is done from now on."""
    found: list[tuple[int, str, str]] = []

    def look(fact: Recorded) -> None:
        if isinstance(fact.event, ActionTaken):
            found.append((fact.at_ms, fact.event.action, fact.event.target))

    world.context.watch(look)
    return found


def made(world: World, count: int = 4, **settings: Any) -> tuple[Nodes, Workload]:
    nodes = world.nodes(count, **{key: settings.pop(key) for key in ("room", "lost_after_ms") if key in settings})
    return nodes, world.deployment("billing", topics=[world.topic("orders", 24)], nodes=nodes, **{**PODS, **settings})


def ready(world: World, pods: Workload) -> Script:
    """Wait until the group has settled: a member that joins for the first time can't close at once."""
    yield pods.settled()
    yield world.groups["billing"].stable(members=12, within=minutes(1))


def spread(nodes: Nodes) -> list[int]:
    return [len(node.pods) for node in nodes]
