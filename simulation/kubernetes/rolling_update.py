"""Rolling updates: maxSurge and maxUnavailable in pods, and one step: how many new pods there are to be, how many old.

Kubernetes: deploymentutil.NewRSNewReplicas, DeploymentController.reconcileOldReplicaSets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from groupsim.simulation.errors import BadScenario

Amount = int | str
"""A number of pods, or a percentage such as `25%`."""
DEFAULT_SURGE: Amount = "25%"
DEFAULT_UNAVAILABLE: Amount = "25%"


def scaled(amount: Amount, replicas: int, *, up: bool, name: str = "a number of pods") -> int:
    """Pods that `amount` comes to; a percentage of `replicas` is rounded up or down. Raises BadScenario.

    Kubernetes: intstr.GetScaledValueFromIntOrPercent. A number may be a text, as the parameters of scenarios are.
    """
    if isinstance(amount, str) and amount.isascii() and amount.isdigit() and len(amount) <= 9:
        return int(amount)
    if isinstance(amount, int) and not isinstance(amount, bool) and amount >= 0:
        return amount
    digits = amount[:-1] if isinstance(amount, str) and amount.endswith("%") else ""
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 9):
        raise BadScenario(f"{name} must be a number of pods or a percentage such as '25%', not {amount!r}")
    share = int(digits) * replicas
    return -(-share // 100) if up else share // 100


@dataclass(frozen=True, slots=True)
class Limits:
    """How many pods a rolling update may have too many, and too few."""

    surge: int
    unavailable: int


def limits(surge: Amount, unavailable: Amount, replicas: int) -> Limits:
    """Both in pods. Where both come to nothing, one may be unavailable, or no update could go on. Raises BadScenario.

    Kubernetes: deploymentutil.ResolveFenceposts, MaxUnavailable.
    """
    most = scaled(surge, replicas, up=True, name="max_surge")
    least = scaled(unavailable, replicas, up=False, name="max_unavailable")
    if not most and not least:
        least = 1
    return Limits(most, least)


def may_be_missing(allowed: Limits, replicas: int) -> int:
    """Pods that may be unavailable, never more than there are to be (Kubernetes: deploymentutil.MaxUnavailable)."""
    return min(allowed.unavailable, replicas)


@dataclass(frozen=True, slots=True)
class ReplicaSet:
    """`replicas` are wanted; `available` are ready, and have been for minReadySeconds."""

    replicas: int
    available: int


def new_replicas(wanted: int, limits: Limits, new: ReplicaSet, old: Sequence[ReplicaSet]) -> int:
    """Pods that the new set is to have now; never more than `limits.surge` too many in all."""
    if new.replicas >= wanted:
        return wanted
    total = new.replicas + sum(former.replicas for former in old)
    room = wanted + limits.surge - total
    return new.replicas + max(min(room, wanted - new.replicas), 0)


def old_replicas(wanted: int, limits: Limits, new: ReplicaSet, old: Sequence[ReplicaSet]) -> tuple[int, ...]:
    """Pods that each old set, oldest first, is to have now.

    Those that are not available go first; then others, as long as enough pods of both kinds are available.
    """
    kept = list(old)
    least = wanted - may_be_missing(limits, wanted)
    total = new.replicas + sum(former.replicas for former in old)
    may_go = total - least - (new.replicas - new.available)
    if not any(former.replicas for former in old) or may_go <= 0:
        return tuple(former.replicas for former in old)
    for i, former in enumerate(kept):
        unhealthy = min(max(former.replicas - former.available, 0), may_go)
        kept[i], may_go = replace(former, replicas=former.replicas - unhealthy), may_go - unhealthy
    spare = max(new.available + sum(former.available for former in old) - least, 0)
    for i, former in enumerate(kept):
        going = min(former.replicas, spare)
        kept[i], spare = replace(former, replicas=former.replicas - going), spare - going
    return tuple(former.replicas for former in kept)
