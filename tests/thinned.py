"""What `make test` leaves out for want of time; `make nightly` tries all of it.

Cases that are alike (recorded answers, scenarios, drawn examples) are thinned here and nowhere else, always in the same
way, so that a failure comes again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar

ALL = os.environ.get("GROUPSIM_TESTS") == "all"
T = TypeVar("T")


def some(cases: Iterable[T], every: int, first: int = 0) -> list[T]:
    """One of `every` cases, from number `first` on; all of them at night."""
    listed = list(cases)
    return listed if ALL else listed[first::every]


def examples(by_day: int, at_night: int) -> int:
    """How many examples of a property are drawn."""
    return at_night if ALL else by_day
