"""The load of a run: how many records arrive and how long one takes, in whatever scenario, as settings of the run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from groupsim.coordinator.config import BadSetting
from groupsim.simulation.checks import HIGHEST_RATE, LONGEST_MS

RATE = "load.rate"
RECORD_MS = "load.record.ms"
NAMES = (RATE, RECORD_MS)


@dataclass(frozen=True, slots=True)
class Load:
    """`rate`: records per second in each partition; `record_ms`: milliseconds that a member works on each.

    None: what the scenario says. A member that owns n partitions keeps up while n * rate * record_ms < 1000.
    """

    rate: float | None = None
    record_ms: float | None = None


def load_of(settings: Mapping[str, object]) -> Load:
    """The load among the settings of a run. Raises BadSetting."""
    return Load(_number(settings, RATE, HIGHEST_RATE), _number(settings, RECORD_MS, LONGEST_MS))


def _number(settings: Mapping[str, object], name: str, most: float) -> float | None:
    if name not in settings:
        return None
    try:
        found = float(str(settings[name]))
    except ValueError:
        found = math.nan
    if not 0 <= found <= most:
        raise BadSetting(f"{name} must be a number from 0 to {most:,.0f}, not {settings[name]!r}")
    return found
