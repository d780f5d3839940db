"""Comparing what a run shows with what a public thread reports."""

from __future__ import annotations

SHARE = 0.2
"""A duration agrees with a reported one where it is at most so much shorter or longer."""


def near(shown_ms: float, reported_ms: float) -> bool:
    """Whether a duration is as reported.

    >>> near(45_500, 42_696), near(30_000, 42_696)
    (True, False)
    """
    return abs(shown_ms - reported_ms) <= SHARE * reported_ms
