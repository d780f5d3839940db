"""A StatefulSet: pods with numbers that keep their names; each is gone before the one in its place starts."""

from __future__ import annotations

from groupsim.simulation.consumer_context import ConsumerContext
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.kubernetes.pods import Pod
from groupsim.simulation.kubernetes.rolling_update import Amount, scaled
from groupsim.simulation.kubernetes.workload import Template, Workload
from groupsim.simulation.member import MemberHandle

MANAGEMENT = ("OrderedReady", "Parallel")


class StatefulSet(Workload):
    """Kubernetes: defaultStatefulSetControl.updateStatefulSet.

    Pods are created from 0 on and removed from the highest on, one at a time and each only when those before it are
    ready (`OrderedReady`), or all at once (`Parallel`). An update goes from the highest number down, `max_unavailable`
    at a time, whatever the policy.
    """

    def __init__(
        self,
        context: ConsumerContext,
        name: str,
        replicas: int,
        template: Template,
        *,
        max_unavailable: Amount = 1,
        management: str = "OrderedReady",
    ) -> None:
        if management not in MANAGEMENT:
            raise BadScenario(f"{name!r}: pod_management must be one of {', '.join(MANAGEMENT)}, not {management!r}")
        scaled(max_unavailable, 0, up=False, name="max_unavailable")
        self._unavailable = max_unavailable
        self._ordered = management == MANAGEMENT[0]
        self._members: dict[int, MemberHandle] = {}
        super().__init__(context, name, replicas, template)

    def reconcile(self) -> None:
        """One look: create what is missing, remove what is too much, then update."""
        by_number = {self._number(pod): pod for pod in self.pods}
        for number in range(self.replicas):
            pod = by_number.get(number)
            if pod is None:
                self._create(self._member(number))
            if self._ordered and (pod is None or not pod.ready):
                return
        surplus = sorted((n for n in by_number if n >= self.replicas), reverse=True)
        for number in surplus:
            if not by_number[number].terminating:
                by_number[number].delete()
            if self._ordered:
                return
        if not surplus:
            self._update(by_number)

    def _update(self, by_number: dict[int, Pod]) -> None:
        """From the highest number down. Percentages are rounded up, and come to one at least."""
        most = max(scaled(self._unavailable, self.replicas, up=True), 1)
        missing = sum(1 for pod in by_number.values() if not pod.ready)
        for number in sorted(by_number, reverse=True):
            pod = by_number[number]
            if missing >= most:
                return
            if pod.revision != self.revision and not pod.terminating:
                missing += pod.ready
                pod.delete()

    def _number(self, pod: Pod) -> int:
        return int(pod.name.rpartition("-")[2])

    def _member(self, number: int) -> MemberHandle:
        if number not in self._members:
            self._members[number] = self._template.join(f"{self.name}-{number}")
        return self._members[number]
