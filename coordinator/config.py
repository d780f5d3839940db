"""Settings by Kafka's names, with Kafka's defaults and bounds; times in milliseconds."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from groupsim.events.errors import GroupSimError

INT_MAX = 2**31 - 1


class BadSetting(GroupSimError):
    """A setting that does not exist or a value out of its bounds."""


@dataclass(frozen=True, slots=True)
class GroupConfig:
    """What a broker is told about classic groups (spec 7.1).

    `coordinator`: `java` is Kafka 4.x's, `scala` the older one's answers. `group_coordinator_append_linger_ms`
    is how long an answer that wrote a record is held back: 10 in the snapshot that the specification describes, -1,
    not at all while nothing else waits to be written (KAFKA-19826), in 4.4.
    """

    group_min_session_timeout_ms: int = 6_000
    group_max_session_timeout_ms: int = 1_800_000
    group_initial_rebalance_delay_ms: int = 3_000
    group_max_size: int = INT_MAX
    group_coordinator_append_linger_ms: int = 10
    coordinator: str = "java"


BOUNDS: dict[str, tuple[int, int] | tuple[str, ...]] = {
    "group.min.session.timeout.ms": (0, INT_MAX),
    "group.max.session.timeout.ms": (0, INT_MAX),
    "group.initial.rebalance.delay.ms": (0, INT_MAX),
    "group.max.size": (1, INT_MAX),
    "group.coordinator.append.linger.ms": (-1, INT_MAX),
    "coordinator": ("java", "scala"),
}

NEW_MEMBER_JOIN_TIMEOUT_MS = 300_000
"""Not configurable (Kafka: group.coordinator.new.group.join.timeout.ms is internal)."""

Config = TypeVar("Config", bound=Any)


def kafka_name(field: str) -> str:
    """`group_max_size` -> `group.max.size`."""
    return field.replace("_", ".")


def names(config: Config) -> list[str]:
    """The Kafka names of a configuration's settings, in order."""
    return [kafka_name(f.name) for f in fields(config)]


def near(name: str, known: Iterable[str]) -> str:
    """A sentence part that lists the names nearest to a mistyped one."""
    close = difflib.get_close_matches(name, list(known), n=3, cutoff=0.4)
    return f"; near names: {', '.join(close)}" if close else ""


def with_settings(
    config: Config,
    settings: Mapping[str, object],
    bounds: Mapping[str, tuple[int, int] | tuple[str, ...]],
) -> Config:
    """The configuration with Kafka-named settings replaced. Raises BadSetting for an unknown name or a bad value."""
    changes: dict[str, object] = {}
    for name, value in settings.items():
        if name not in names(config):
            raise BadSetting(f"unknown setting {name!r}{near(name, names(config))}")
        changes[name.replace(".", "_")] = checked(name, value, getattr(config, name.replace(".", "_")), bounds)
    return replace(config, **changes)


def checked(
    name: str, value: object, default: object, bounds: Mapping[str, tuple[int, int] | tuple[str, ...]]
) -> object:
    """The value in the type of the default, inside the bounds. Raises BadSetting."""
    if isinstance(default, bool):
        if str(value).lower() not in ("true", "false"):
            raise BadSetting(f"{name} must be true or false, not {value!r}")
        return str(value).lower() == "true"
    if isinstance(default, int):
        try:
            number = int(str(value))
        except ValueError:
            raise BadSetting(f"{name} must be a whole number, not {value!r}") from None
        low, high = bounds.get(name, (-INT_MAX, INT_MAX))
        if not int(low) <= number <= int(high):
            raise BadSetting(f"{name} must be from {low} to {high}, not {number}")
        return number
    if isinstance(default, tuple):
        parts = value if isinstance(value, (list, tuple)) else str(value).split(",")
        return tuple(str(part).strip() for part in parts if str(part).strip())
    if name in bounds and value not in bounds[name]:
        raise BadSetting(f"{name} must be one of {', '.join(map(str, bounds[name]))}, not {value!r}")
    return None if value is None else str(value)
