"""The pods of one Deployment or StatefulSet get a new version, as its manifest says."""

from __future__ import annotations

from typing import Any

from groupsim.scenarios.dsl import Application, World, minutes, scenario, seconds
from groupsim.simulation.clients.process import Script
from groupsim.simulation.errors import BadScenario

DEPLOYMENT, STATEFUL_SET = "Deployment", "StatefulSet"


@scenario(seed=1, lasts=minutes(10))
def deployment_rolls(
    world: World,
    kind: str = DEPLOYMENT,
    replicas: int = 4,
    partitions: int = 12,
    max_surge: str = "25%",
    max_unavailable: str = "25%",
    pod_management: str = "OrderedReady",
    grace_ms: int = 30_000,
    start_ms: int = 4_000,
    start_spread_ms: int = 2_000,
    ready_after_ms: int = 3_000,
    process_ms: int = 0,
    static: bool = False,
) -> Script:
    """The pods of one Deployment or StatefulSet get a new version, as its manifest says.

    `groupsim check` sets the parameters from a manifest. `grace_ms`: terminationGracePeriodSeconds, less what preStop
    takes. A pod takes `start_ms` to `start_ms` + `start_spread_ms` to start, and `ready_after_ms` more until its
    readiness probe succeeds. `process_ms`: how long the records of one poll take; a process that is asked to end
    finishes them, and is killed if the grace period ends first. `static`: each member's instance id is its pod's name.
    A StatefulSet has no surge, and `pod_management` is for it alone; `max_unavailable` of a StatefulSet is 1 unless it
    is a number. With `max_surge=0` and `max_unavailable=100%` all pods end first: the strategy Recreate.

    Source: Kubernetes (Deployment, StatefulSet, termination of pods).
    """
    if kind not in (DEPLOYMENT, STATEFUL_SET):
        raise BadScenario(f"kind must be {DEPLOYMENT} or {STATEFUL_SET}, not {kind!r}")
    orders = world.topic("orders", partitions=partitions)
    world.group("billing")
    own: dict[str, Any] = {"max_surge": _amount(max_surge), "max_unavailable": _amount(max_unavailable)}
    if kind == STATEFUL_SET:
        most = own["max_unavailable"]
        own = {"pod_management": pod_management, "max_unavailable": most if isinstance(most, int) else 1}
    pods = world.deployment(
        "billing",
        kind=kind,
        replicas=replicas,
        topics=[orders],
        start_ms=(start_ms, start_ms + start_spread_ms),
        ready_after_ms=ready_after_ms,
        termination_grace_ms=grace_ms,
        static="pod-name" if static else None,
        application=Application(process_ms=process_ms),
        **own,
    )
    group = world.groups["billing"]
    yield pods.settled()
    yield group.stable(members=replicas, within=minutes(5))
    yield world.sleep(seconds(10))
    yield pods.roll()
    yield group.stable(members=replicas, within=minutes(10))


def _amount(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdigit() else text
