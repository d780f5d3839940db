"""HorizontalPodAutoscaler: how many pods a metric asks for, and how far its behaviour lets the count go.

Kubernetes: ReplicaCalculator, HorizontalController (autoscaling/v2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

TOLERANCE = 0.1
SYNC_MS = 15_000
"""A controller looks this often (--horizontal-pod-autoscaler-sync-period)."""


def desired_for_average(total: float, target_each: float, replicas: int, tolerance: float = TOLERANCE) -> int:
    """Pods for an external metric with an average value, such as lag per pod.

    Kubernetes: ReplicaCalculator.GetExternalPerPodMetricReplicas. Within the tolerance the count stays.
    """
    if replicas and abs(1.0 - total / (target_each * replicas)) <= tolerance:
        return replicas
    return math.ceil(total / target_each)


@dataclass(frozen=True, slots=True)
class Policy:
    """At most `value` pods, or percent of them, within `period_ms`."""

    kind: str
    value: int
    period_ms: int = 15_000


@dataclass(frozen=True, slots=True)
class Rules:
    """One direction of `behavior`: `select` is `max`, `min` or `disabled`."""

    policies: tuple[Policy, ...]
    window_ms: int
    select: str = "max"


UP = Rules((Policy("pods", 4), Policy("percent", 100)), window_ms=0)
DOWN = Rules((Policy("percent", 100),), window_ms=300_000)
"""What holds where a HorizontalPodAutoscaler says nothing."""


@dataclass(slots=True)
class Behaviour:
    """What was recommended and done so far, and what may be done now."""

    up: Rules = UP
    down: Rules = DOWN
    least: int = 1
    most: int = 10
    _recommended: list[tuple[int, int]] = field(default_factory=list)
    _changes: list[tuple[int, int]] = field(default_factory=list)

    def allowed(self, now_ms: int, replicas: int, desired: int) -> int:
        """The count from now on; it is remembered. Kubernetes: normalizeDesiredReplicasWithBehaviors."""
        stable = self._stabilised(now_ms, replicas, desired)
        self._recommended.append((now_ms, desired))
        count = self._limited(now_ms, replicas, stable)
        if count != replicas:
            self._changes.append((now_ms, count - replicas))
        self._forget(now_ms)
        return count

    def _stabilised(self, now_ms: int, replicas: int, desired: int) -> int:
        """Going up, the lowest recommendation within the window; going down, the highest."""
        grows = desired >= replicas
        window = self.up.window_ms if grows else self.down.window_ms
        recent = [count for at_ms, count in self._recommended if at_ms > now_ms - window]
        return (min if grows else max)([desired, *recent])

    def _limited(self, now_ms: int, replicas: int, desired: int) -> int:
        if desired > replicas:
            return min(desired, self.most, max(self._up_to(now_ms, replicas), replicas))
        if desired < replicas:
            return max(desired, self.least, min(self._down_to(now_ms, replicas), replicas))
        return desired

    def _up_to(self, now_ms: int, replicas: int) -> int:
        if self.up.select == "disabled":
            return replicas
        shares = []
        for policy in self.up.policies:
            start = replicas - self._changed(now_ms, policy.period_ms, sign=1)
            shares.append(_share_up(start, policy))
        return _selected(shares, self.up.select, widest=max)

    def _down_to(self, now_ms: int, replicas: int) -> int:
        if self.down.select == "disabled":
            return replicas
        shares = []
        for policy in self.down.policies:
            start = replicas + self._changed(now_ms, policy.period_ms, sign=-1)
            shares.append(_share_down(start, policy))
        return _selected(shares, self.down.select, widest=min)

    def _changed(self, now_ms: int, period_ms: int, *, sign: int) -> int:
        """Pods added (sign 1) or removed (sign -1) within the period."""
        return sum(sign * by for at_ms, by in self._changes if sign * by > 0 and at_ms > now_ms - period_ms)

    def _forget(self, now_ms: int) -> None:
        longest = max([self.up.window_ms, self.down.window_ms], default=0)
        self._recommended = [recommended for recommended in self._recommended if recommended[0] >= now_ms - longest]
        periods = max([p.period_ms for p in (*self.up.policies, *self.down.policies)], default=0)
        self._changes = [change for change in self._changes if change[0] >= now_ms - periods]


def _share_up(start: int, policy: Policy) -> int:
    """Rounded up: a small percentage would never add a pod."""
    return start + policy.value if policy.kind == "pods" else math.ceil(start * (1 + policy.value / 100))


def _share_down(start: int, policy: Policy) -> int:
    return start - policy.value if policy.kind == "pods" else int(start * (1 - policy.value / 100))


def _selected(limits: Sequence[int], select: str, *, widest: object) -> int:
    """The limit of the policy that changes most (`max`) or least (`min`)."""
    most, least = (max, min) if widest is max else (min, max)
    return most(limits) if select == "max" else least(limits)
