"""One step of a Deployment's rolling update: how many pods of the new kind, how many of the old.

Kubernetes: deploymentutil.NewRSNewReplicas, DeploymentController.reconcileOldReplicaSets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from groupsim.simulation.kubernetes.counts import Limits, may_be_missing


@dataclass(frozen=True, slots=True)
class ReplicaSet:
    """`replicas` are wanted; `available` are ready, and have been for minReadySeconds."""

    replicas: int
    available: int


def new_replicas(wanted: int, limits: Limits, new: ReplicaSet, old: Sequence[ReplicaSet]) -> int:
    """Pods that the new set is to have now; never more than `limits.surge` too many in all."""
    if new.replicas >= wanted:
        return wanted
    total = new.replicas + sum(each.replicas for each in old)
    room = wanted + limits.surge - total
    return new.replicas + max(min(room, wanted - new.replicas), 0)


def old_replicas(wanted: int, limits: Limits, new: ReplicaSet, old: Sequence[ReplicaSet]) -> tuple[int, ...]:
    """Pods that each old set, oldest first, is to have now.

    Those that are not available go first; then others, as long as enough pods of both kinds are available.
    """
    kept = list(old)
    least = wanted - may_be_missing(limits, wanted)
    total = new.replicas + sum(each.replicas for each in old)
    may_go = total - least - (new.replicas - new.available)
    if not any(each.replicas for each in old) or may_go <= 0:
        return tuple(each.replicas for each in old)
    for i, each in enumerate(kept):
        unhealthy = min(max(each.replicas - each.available, 0), may_go)
        kept[i], may_go = replace(each, replicas=each.replicas - unhealthy), may_go - unhealthy
    spare = max(new.available + sum(each.available for each in old) - least, 0)
    for i, each in enumerate(kept):
        going = min(each.replicas, spare)
        kept[i], spare = replace(each, replicas=each.replicas - going), spare - going
    return tuple(each.replicas for each in kept)
