"""Settings of a run by name, Kafka's and the load's: whether they exist and are legal.

The load is how many records arrive and how long one takes, in whatever scenario. A run can have a host, too, old
groups, and another client library.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from groupsim.coordinator.config import BadSetting, Configs, concerning, names, near, with_settings
from groupsim.simulation.checks import HIGHEST_RATE, LONGEST_MS
from groupsim.simulation.clients.config import BOUNDS, ConsumerConfig, Library
from groupsim.simulation.clients.connect.cluster import CONNECT_BOUNDS, ConnectConfig
from groupsim.simulation.clients.streams.config import STREAMS_BOUNDS, StreamsConfig
from groupsim.simulation.errors import one_of
from groupsim.simulation.host_speed import profile_of

Settings = Mapping[str, int | float | str | bool]
LOAD_RATE = "load.rate"
LOAD_RECORD_MS = "load.record.ms"
LOAD_NAMES = (LOAD_RATE, LOAD_RECORD_MS)
HOST = "host"
QUIET_MS = "quiet.ms"
WORLD_NAMES = (HOST, QUIET_MS)
"""On which host the programs of any scenario run, and how old its groups are."""
CLIENT = "client"
"""The client library of members for which a scenario names none."""


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


def host_of(settings: Mapping[str, object]) -> str | float | None:
    """The host among the settings of a run: a name, or a factor; None: what the scenario says."""
    given = settings.get(HOST)
    try:
        return None if given is None else float(str(given))
    except ValueError:
        return str(given)


def quiet_ms_of(settings: Mapping[str, object]) -> int | None:
    """How old the groups of a run are; None: what the scenario says. Raises BadSetting."""
    quiet_ms = _number(settings, QUIET_MS, LONGEST_MS)
    return None if quiet_ms is None else round(quiet_ms)


def client_of(settings: Mapping[str, object]) -> Library | None:
    """The client library among the settings of a run; None: Java's. Raises BadScenario."""
    return one_of(Library, CLIENT, str(settings[CLIENT])) if CLIENT in settings else None


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


ASKED_AFTERWARDS = {
    "membership": "its scenario decides which members are static",
    "restart.ms": "its scenario decides how long a member is away",
}
"""Choices of a what-if that are no settings of Kafka, and who decides in a simulation."""


def check_settings(settings: Settings, also: Iterable[str] = ()) -> None:
    """Raises BadSetting for a name that is neither Kafka's nor a run's nor one of `also` (a scenario's own)."""
    own = (*names(StreamsConfig()), *names(ConnectConfig()), *LOAD_NAMES, *WORLD_NAMES, CLIENT)
    known = [*Configs().names(), *names(ConsumerConfig()), *own, *also]
    for name in settings:
        if name in ASKED_AFTERWARDS and name not in known:
            raise BadSetting(f"{name} is a choice of whatif and advise; in a run {ASKED_AFTERWARDS[name]}")
        if name not in known:
            raise BadSetting(f"unknown setting {name!r}{near(name, known)}")
    Configs().with_settings(Configs().among(settings))
    with_settings(ConsumerConfig(), concerning(ConsumerConfig(), settings), BOUNDS)
    with_settings(StreamsConfig(), concerning(StreamsConfig(), settings), STREAMS_BOUNDS)
    with_settings(ConnectConfig(), concerning(ConnectConfig(), settings), CONNECT_BOUNDS)
    load_of(settings)
    quiet_ms_of(settings)
    if CLIENT not in also:
        client_of(settings)
    if (host := host_of(settings)) is not None:
        profile_of(host)
