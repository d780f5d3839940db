"""maxSurge and maxUnavailable: a number of pods, or a percentage of the wanted ones."""

from __future__ import annotations

from dataclasses import dataclass

from groupsim.simulation.errors import BadScenario

Amount = int | str
"""A number of pods, or a percentage such as `25%`."""
DEFAULT_SURGE: Amount = "25%"
DEFAULT_UNAVAILABLE: Amount = "25%"


def scaled(amount: Amount, replicas: int, *, up: bool, name: str = "a number of pods") -> int:
    """Pods that `amount` comes to; a percentage of `replicas` is rounded up or down. Raises BadScenario.

    Kubernetes: intstr.GetScaledValueFromIntOrPercent.
    """
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


def may_be_missing(found: Limits, replicas: int) -> int:
    """Pods that may be unavailable, never more than there are to be (Kubernetes: deploymentutil.MaxUnavailable)."""
    return min(found.unavailable, replicas)
