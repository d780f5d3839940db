"""A PodDisruptionBudget: how many pods may be evicted now, and whether one may."""

from __future__ import annotations

from dataclasses import dataclass

from groupsim.simulation.errors import BadScenario
from groupsim.simulation.kubernetes.rolling_update import Amount, scaled

IF_HEALTHY = "IfHealthyBudget"
ALWAYS = "AlwaysAllow"
POLICIES = (IF_HEALTHY, ALWAYS)


@dataclass(frozen=True, slots=True)
class Status:
    """What `kubectl get pdb -o yaml` shows: pods expected, desired healthy, healthy now, evictions allowed now."""

    expected: int
    desired: int
    healthy: int
    allowed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DisruptionBudget:
    """Either `min_available` or `max_unavailable`: pods, or a percentage of the wanted ones, always rounded up.

    `unhealthy`: a running pod that is not ready may be evicted only while enough others are healthy
    (`IfHealthyBudget`, Kubernetes' default), or always (`AlwaysAllow`). Raises BadScenario.
    """

    min_available: Amount | None = None
    max_unavailable: Amount | None = None
    unhealthy: str = IF_HEALTHY

    def __post_init__(self) -> None:
        if (self.min_available is None) == (self.max_unavailable is None):
            raise BadScenario("a disruption budget has either min_available or max_unavailable")
        name = "max_unavailable" if self.min_available is None else "min_available"
        scaled(self._amount, 0, up=True, name=name)
        if self.unhealthy not in POLICIES:
            raise BadScenario(f"unhealthy must be one of {', '.join(POLICIES)}, not {self.unhealthy!r}")

    @property
    def _amount(self) -> Amount:
        return self.max_unavailable if self.max_unavailable is not None else self.min_available or 0

    def status(self, replicas: int, pods: int, healthy: int) -> Status:
        """`replicas` that the workload wants, `pods` that exist (ending ones too), `healthy` ones that are ready.

        Kubernetes: DisruptionController.getExpectedPodCount, updatePdbStatus. A budget that sees no pod does not know
        how many are wanted, so it expects none and allows no eviction.
        """
        expected = replicas if pods else 0
        if self.max_unavailable is not None:
            desired = max(expected - scaled(self.max_unavailable, expected, up=True), 0)
        elif isinstance(self.min_available, int):
            expected, desired = pods, self.min_available
        else:
            desired = scaled(self._amount, expected, up=True)
        return Status(expected, desired, healthy, max(healthy - desired, 0) if expected else 0)

    def allows(self, status: Status, *, ready: bool) -> bool:
        """Whether a running pod may be evicted now. One that is not ready counts for nothing.

        Kubernetes: EvictionREST.Create, checkAndDecrement. Pods that wait, or that end already, are not asked for.
        """
        enough = 0 < status.desired <= status.healthy
        if not ready and (self.unhealthy == ALWAYS or enough):
            return True
        return status.allowed > 0
