"""`world.deployment`: a Deployment or a StatefulSet whose pods are the members of a group."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from groupsim.simulation.clients.config import Application
from groupsim.simulation.consumer_context import ConsumerContext
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.group import GroupHandle
from groupsim.simulation.kubernetes.budget import DisruptionBudget
from groupsim.simulation.kubernetes.deployment import Deployment
from groupsim.simulation.kubernetes.nodes import Nodes
from groupsim.simulation.kubernetes.pods import GRACE_MS, PodTimes, Span
from groupsim.simulation.kubernetes.rolling_update import Amount
from groupsim.simulation.kubernetes.stateful_set import StatefulSet
from groupsim.simulation.kubernetes.workload import Template, Workload
from groupsim.simulation.member import MemberHandle
from groupsim.simulation.topics import Topic

KINDS = ("Deployment", "StatefulSet")
POD_NAME = "pod-name"


def deploy(
    context: ConsumerContext,
    group: GroupHandle,
    name: str,
    *,
    replicas: int,
    topics: Iterable[Topic],
    kind: str = "Deployment",
    max_surge: Amount | None = None,
    max_unavailable: Amount | None = None,
    pod_management: str | None = None,
    start_ms: Span = 0,
    ready_after_ms: Span = 0,
    termination_grace_ms: int = GRACE_MS,
    static: str | None = None,
    nodes: Nodes | None = None,
    budget: DisruptionBudget | None = None,
    ready_with_partition: bool = False,
    client: str | None = None,
    config: Mapping[str, object] | None = None,
    application: Application | None = None,
) -> Workload:
    """Start `replicas` pods; the result's `roll()` and `scale(n)` do what Kubernetes does.

    `static="pod-name"`: each member's instance id is its pod's name, which a Deployment changes at every version.
    `start_ms` and `ready_after_ms`: milliseconds, or (shortest, longest) to draw from. `nodes`: what `world.nodes`
    made; `budget`: how many of the pods may be evicted from them at once. `ready_with_partition`: a pod is ready only
    once it has a partition, as where a probe looks for what the first batch writes. Raises BadScenario.
    """
    if static not in (None, POD_NAME):
        raise BadScenario(f"{name!r}: static must be {POD_NAME!r} or None, not {static!r}")
    if nodes is not None and not isinstance(nodes, Nodes):
        raise BadScenario(f"{name!r}: nodes must be what world.nodes() gave, not {nodes!r}")
    if budget is not None and not isinstance(budget, DisruptionBudget):
        raise BadScenario(f"{name!r}: budget must be a DisruptionBudget, not {budget!r}")
    read = list(topics)

    def join(label: str) -> MemberHandle:
        (member,) = group.join(
            label,
            topics=read,
            static=static == POD_NAME,
            client=client,
            config=config,
            application=application,
            after=None,
        )
        return member

    times = PodTimes(start_ms, ready_after_ms, termination_grace_ms)
    template = Template(times, join, nodes, budget, _works(read) if ready_with_partition else None)
    given: dict[str, Any] = {"max_surge": max_surge, "max_unavailable": max_unavailable, "management": pod_management}
    chosen = {key: value for key, value in given.items() if value is not None}
    if kind == "Deployment":
        _refuse(name, kind, chosen, "management", "pod_management")
        return Deployment(context, name, replicas, template, **chosen)
    if kind == "StatefulSet":
        _refuse(name, kind, chosen, "max_surge", "max_surge")
        return StatefulSet(context, name, replicas, template, **chosen)
    raise BadScenario(f"{name!r}: kind must be one of {', '.join(KINDS)}, not {kind!r}")


def _works(topics: Iterable[Topic]) -> Callable[[MemberHandle], bool]:
    """Whether a member has a partition of these."""
    return lambda member: any(member.believes_it_owns(topic) for topic in topics)


def _refuse(name: str, kind: str, chosen: Mapping[str, object], key: str, called: str) -> None:
    if key in chosen:
        raise BadScenario(f"{name!r}: a {kind} has no {called}")
