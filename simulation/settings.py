"""Settings of a run by name, Kafka's and the load's: whether they exist and are legal.

The load is how many records arrive and how long one takes, in whatever scenario.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from groupsim.coordinator.config import BadSetting, Configs, concerning, names, near, with_settings
from groupsim.simulation.checks import HIGHEST_RATE, LONGEST_MS
from groupsim.simulation.clients.config import BOUNDS, ConsumerConfig

Settings = Mapping[str, int | float | str | bool]
LOAD_RATE = "load.rate"
LOAD_RECORD_MS = "load.record.ms"
LOAD_NAMES = (LOAD_RATE, LOAD_RECORD_MS)


@dataclass(frozen=True, slots=True)
class Load:
    """`rate`: records per second in each partition; `record_ms`: milliseconds that a member works on each.

    None: what the scenario says. A member that owns n partitions keeps up while n * rate * record_ms < 1000.
    """

    rate: float | None = None
    record_ms: float | None = None


def load_of(settings: Mapping[str, object]) -> Load:
    """The load among the settings of a run. Raises BadSetting."""
    return Load(_number(settings, LOAD_RATE, HIGHEST_RATE), _number(settings, LOAD_RECORD_MS, LONGEST_MS))


def _number(settings: Mapping[str, object], name: str, most: float) -> float | None:
    if name not in settings:
        return None
    try:
        number = float(str(settings[name]))
    except ValueError:
        number = math.nan
    if not 0 <= number <= most:
        raise BadSetting(f"{name} must be a number from 0 to {most:,.0f}, not {settings[name]!r}")
    return number


def check_settings(settings: Settings, also: Iterable[str] = ()) -> None:
    """Raises BadSetting for a name that is neither Kafka's nor the load's nor one of `also` (a scenario's own)."""
    known = [*Configs().names(), *names(ConsumerConfig()), *LOAD_NAMES, *also]
    for name in settings:
        if name not in known:
            raise BadSetting(f"unknown setting {name!r}{near(name, known)}")
    Configs().with_settings(Configs().among(settings))
    with_settings(ConsumerConfig(), concerning(ConsumerConfig(), settings), BOUNDS)
    load_of(settings)
