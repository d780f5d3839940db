"""What a Deployment and a StatefulSet have in common: pods, a wanted count, a revision, one look at each change."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import simpy

from groupsim.simulation.coalesced import OnceAnInstant
from groupsim.simulation.consumer_context import ConsumerContext
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.kubernetes.budget import DisruptionBudget, Status
from groupsim.simulation.kubernetes.nodes import Nodes
from groupsim.simulation.kubernetes.pods import Pod, PodTimes
from groupsim.simulation.member import MemberHandle

Join = Callable[[str], MemberHandle]
"""A member of this name that nobody has started."""


@dataclass(frozen=True, slots=True)
class Template:
    """What a workload's pods are made from: their times, what makes a member, where they run, how many may be evicted.

    Without `nodes` they run anywhere; without a `budget` all may be evicted at once; `probe`: whether one is ready.
    """

    times: PodTimes
    join: Join
    nodes: Nodes | None = None
    budget: DisruptionBudget | None = None
    probe: Callable[[MemberHandle], bool] | None = None


class Workload(ABC):
    """Pods of one template. `pods` are all that are not gone, the ending ones too, in the order of their creation."""

    def __init__(self, context: ConsumerContext, name: str, replicas: int, template: Template) -> None:
        self._context = context
        self._template = template
        self._look_soon = OnceAnInstant(context.env, self._look)
        self._waits: list[simpy.Event] = []
        self.name = name
        self.replicas = _count(name, replicas)
        self.revision = 1
        self.pods: list[Pod] = []
        self._look_soon()

    @property
    def present(self) -> list[Pod]:
        """Pods that count: those that were not asked to end."""
        return [pod for pod in self.pods if not pod.terminating]

    def roll(self) -> simpy.Event:
        """A new version of the template: every pod is replaced. Fires when all are new and ready."""
        self._context.act("roll", self.name)
        self.revision += 1
        return self.settled()

    def scale(self, replicas: int) -> simpy.Event:
        """Another number of pods. Fires when they are there, and ready."""
        wanted = _count(self.name, replicas)
        if wanted != self.replicas:
            self._context.act(f"scale-to-{wanted}", self.name)
        self.replicas = wanted
        return self.settled()

    def settled(self) -> simpy.Event:
        """Fires when as many pods as wanted are ready, all of the present version, and no other is left."""
        event = self._context.env.event()
        self._waits.append(event)
        self._look_soon()
        return event

    def budget(self) -> Status | None:
        """The state of its disruption budget; None without one."""
        if self._template.budget is None:
            return None
        here = [pod for pod in self.pods if not pod.gone]
        return self._template.budget.status(self.replicas, len(here), sum(pod.healthy for pod in here))

    def _evictable(self, pod: Pod) -> bool:
        status = self.budget()
        if status is None or self._template.budget is None or pod.pending or pod.terminating:
            return True
        return self._template.budget.allows(status, ready=pod.healthy)

    def _look(self) -> None:
        self.pods = [pod for pod in self.pods if not pod.gone]
        self.reconcile()
        if self._template.nodes is not None:
            self._template.nodes.look_again()
        if self._is_settled():
            waits, self._waits = self._waits, []
            for event in waits:
                event.succeed()

    def _is_settled(self) -> bool:
        current = [pod for pod in self.pods if pod.revision == self.revision and pod.ready]
        return len(self.pods) == len(current) == self.replicas

    def _create(self, member: MemberHandle) -> None:
        made = Pod(
            self._context,
            member,
            self.revision,
            self._template.times,
            self._look_soon,
            kind=self.kind,
            evictable=self._evictable,
            scheduler=self._template.nodes,
            probe=self._template.probe,
        )
        self.pods.append(made)

    @property
    def kind(self) -> str:
        """Pods of one kind are spread over nodes."""
        return self.name

    @abstractmethod
    def reconcile(self) -> None:
        """Create and delete pods, as far as the present ones allow."""


def _count(name: str, replicas: object) -> int:
    if not isinstance(replicas, int) or isinstance(replicas, bool) or replicas < 0:
        raise BadScenario(f"{name!r}: replicas must be a number of pods, not {replicas!r}")
    return replicas
