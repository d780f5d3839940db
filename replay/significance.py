"""Which difference between two costs is worth having, and whether seeds show one."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from groupsim.replay.spread import median_interval

WORTH_SHARE, WORTH_MS = 0.1, 500
"""A difference is worth having if it is more than this share of what is recorded, and more partition-ms than this."""


def difference(values: Sequence[int], others: Sequence[int], of: float) -> int:
    """1 or -1 where `values` are more or less than `others`, seed by seed, surely and by enough to be worth having.

    Enough: `WORTH_MS` and `WORTH_SHARE` of `of`. Else 0.
    """
    found = [own - other for own, other in zip(values, others, strict=True)]
    low, high = median_interval(found)
    middle, moved = median(found), median(values) - median(others)
    worth = min(abs(middle), abs(moved)) >= worth_ms(of)
    if low < 0 < high or not worth or (middle < 0) != (moved < 0):
        return 0
    return -1 if middle < 0 else 1


def worth_ms(of: float) -> float:
    """From how many partition-milliseconds on a difference from these is worth having."""
    return max(WORTH_SHARE * of, WORTH_MS)
