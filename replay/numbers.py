"""Numbers of an answer in words: partition-seconds, percentages with their sign, ranges."""

from __future__ import annotations

from collections.abc import Sequence


def seconds(partition_ms: float) -> str:
    """`12.0`: partition-seconds."""
    return f"{partition_ms / 1_000:,.1f}"


def seconds_range(partition_ms: Sequence[float]) -> str:
    """`7.8 to 9.0`, or one of both where they look the same."""
    low, high = seconds(min(partition_ms)), seconds(max(partition_ms))
    return low if low == high else f"{low} to {high}"


def of_seeds(number: int) -> str:
    """`1 seed`, `10 seeds`."""
    return "1 seed" if number == 1 else f"{number} seeds"


def percent(quotient: float | None) -> str | None:
    """`−47 %` of a quotient 0.53; `0 %` has no sign. None of None."""
    if quotient is None:
        return None
    return f"{_signed(quotient)} %"


def ratio_range(found: tuple[float, float]) -> str:
    """`−30 to −60 %` of quotients, what is nearer to 0 first; one of both where they look the same."""
    nearer, further = sorted(found, key=lambda quotient: abs(quotient - 1)) if _same_side(found) else found
    if _signed(nearer) == _signed(further):
        return f"{_signed(nearer)} %"
    return f"{_signed(nearer)} to {_signed(further)} %"


def _signed(quotient: float) -> str:
    change = round((quotient - 1) * 100)
    return f"{change:+,}".replace("-", "−") if change else "0"


def _same_side(found: tuple[float, float]) -> bool:
    return (found[0] - 1) * (found[1] - 1) >= 0
