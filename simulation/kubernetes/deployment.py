"""A Deployment: pods with names of their own at every version, replaced within max_surge and max_unavailable."""

from __future__ import annotations

from groupsim.simulation.consumer_context import ConsumerContext
from groupsim.simulation.kubernetes.pods import Pod
from groupsim.simulation.kubernetes.rolling_update import (
    DEFAULT_SURGE,
    DEFAULT_UNAVAILABLE,
    Amount,
    ReplicaSet,
    limits,
    new_replicas,
    old_replicas,
)
from groupsim.simulation.kubernetes.workload import Template, Workload


class Deployment(Workload):
    """Kubernetes: DeploymentController.rolloutRolling, ReplicaSetController.

    A pod that ends counts no longer, so the one in its place starts at once, beside it. Raises BadScenario for amounts
    that are none.
    """

    def __init__(
        self,
        context: ConsumerContext,
        name: str,
        replicas: int,
        template: Template,
        *,
        max_surge: Amount = DEFAULT_SURGE,
        max_unavailable: Amount = DEFAULT_UNAVAILABLE,
    ) -> None:
        limits(max_surge, max_unavailable, 0)
        self._amounts = (max_surge, max_unavailable)
        self._created = 0
        super().__init__(context, name, replicas, template)

    @property
    def kind(self) -> str:
        """Each version is spread by itself, as its ReplicaSet's pods are."""
        return f"{self.name}-v{self.revision}"

    def reconcile(self) -> None:
        """The new set grows, then the old ones shrink; a deleted pod makes room for the next new one."""
        allowed = limits(*self._amounts, self.replicas)
        while True:
            sets = self._sets()
            new, old = sets.pop(self.revision, []), sets
            wanted = new_replicas(self.replicas, allowed, _counted(new), [_counted(pods) for pods in old.values()])
            for _ in range(wanted - len(new)):
                self._created += 1
                self._create(self._template.join(f"{self.kind}-{self._created}"))
            self._delete(new, len(new) - wanted)
            new = self._sets().get(self.revision, [])
            kept = old_replicas(self.replicas, allowed, _counted(new), [_counted(pods) for pods in old.values()])
            for pods, count in zip(old.values(), kept, strict=True):
                self._delete(pods, len(pods) - count)
            if sum(map(len, old.values())) == sum(kept):
                return

    def _sets(self) -> dict[int, list[Pod]]:
        """Pods that count, by version, oldest first."""
        by_version: dict[int, list[Pod]] = {}
        for pod in self.present:
            by_version.setdefault(pod.revision, []).append(pod)
        return dict(sorted(by_version.items()))

    def _delete(self, pods: list[Pod], count: int) -> None:
        """Those that are not ready first, then the youngest; among equals anyone (Kubernetes: ActivePodsWithRanks)."""
        chance = self._context.rng.stream(f"pods/delete/{self.name}")
        order = sorted(pods, key=lambda pod: (pod.ready, -pod.created_ms, chance.random()))
        for pod in order[: max(count, 0)]:
            pod.delete()


def _counted(pods: list[Pod]) -> ReplicaSet:
    return ReplicaSet(len(pods), sum(pod.ready for pod in pods))
