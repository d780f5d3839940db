"""What a scenario passes in is checked where it comes in: nothing without sense becomes a fact or stops the clock."""

from __future__ import annotations

import math

from groupsim.events.types import MOST_PARTITIONS
from groupsim.simulation.errors import BadScenario

LONGEST_MS = 100 * 366 * 86_400_000
"""No time in a scenario is longer than a hundred years."""
HIGHEST_RATE = 1_000_000.0
"""Records per second and partition."""


def whole(value: object, what: str, least: int = 0, most: int = LONGEST_MS) -> int:
    """A whole number between two bounds; 5.0 is 5. Raises BadScenario, naming `what`."""
    if type(value) is int and least <= value <= most:  # nearly always: arrivals of a topic are thousands
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadScenario(f"{what} must be a whole number, not {_shown(value)}")
    if not math.isfinite(value) or value != int(value):
        raise BadScenario(f"{what} must be a whole number, not {value}")
    if not least <= value <= most:
        raise BadScenario(f"{what} must be from {least:,} to {most:,}, not {_shown(int(value))}")
    return int(value)


def ms(value: object, what: str) -> int:
    """A time in milliseconds, not negative. Raises BadScenario."""
    return whole(value, f"{what} (ms)")


def number(value: object, what: str, most: float = HIGHEST_RATE) -> float:
    """A number from 0 to `most`. Raises BadScenario."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise BadScenario(f"{what} must be a number from 0 to {most:,.0f}, not {_shown(value)}")
    return value


def partitions(value: object, topic: str) -> int:
    """How many partitions a topic has. Raises BadScenario."""
    if isinstance(value, int) and not isinstance(value, bool) and value < 1:
        raise BadScenario(f"topic {topic!r} needs at least one partition, not {_shown(value)}")
    return whole(value, f"the number of partitions of topic {topic!r}", 1, MOST_PARTITIONS)


def racks(value: object, topic: str) -> tuple[tuple[str, ...], ...]:
    """The racks of each partition's replicas, sorted. Raises BadScenario."""
    given = value if isinstance(value, list | tuple) else None
    if given is None or not all(isinstance(replicas, list | tuple) and replicas for replicas in given):
        raise BadScenario(f"topic {topic!r}: racks must be a list of lists of names, one for each partition")
    return tuple(tuple(sorted({name(rack, f"topic {topic!r}: a rack") for rack in replicas})) for replicas in given)


def name(value: object, what: str) -> str:
    """A name that can be stored. Raises BadScenario."""
    if not isinstance(value, str) or not value or len(value) > _LONGEST_NAME:
        raise BadScenario(f"{what} must be a text of 1 to {_LONGEST_NAME} characters, not {_shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadScenario(f"{what} {value!r} is no text that can be stored") from None
    return value


_LONGEST_NAME = 1_000


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # an int with thousands of digits
        return "a number with thousands of digits"
    return text if len(text) <= 60 else text[:59] + "…"
