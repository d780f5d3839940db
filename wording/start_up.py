"""Start-up beside a total that does not count it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groupsim.wording.numbers import seconds

NOT_COUNTED = " (start-up not counted)"
"""Behind a time or a name, where start-up is no part of what is said."""


def start_up(unavailable: Mapping[str, Any]) -> str | None:
    """Beside a total after start-up, in partition-seconds; None where there is none. Of `Totals.unavailable`.

    >>> start_up({"starting_ms": 463, "unknown_ms": 2_200, "after_start": {"unknown_ms": 0}})
    'start-up: 0.5 partition-seconds more, and up to 2.2 that no log shows'
    >>> start_up({"starting_ms": 0, "unknown_ms": 2_200, "after_start": {"unknown_ms": 0}})
    'start-up: up to 2.2 partition-seconds that no log shows'
    """
    unknown_ms = unavailable["unknown_ms"] - unavailable["after_start"]["unknown_ms"]
    parts = [f"{_length(unavailable['starting_ms'])} partition-seconds more"] if unavailable["starting_ms"] else []
    unit = "" if parts else " partition-seconds"
    parts += [f"up to {_length(unknown_ms)}{unit} that no log shows"] if unknown_ms else []
    return f"start-up: {', and '.join(parts)}" if parts else None


def _length(ms: int) -> str:
    return seconds(ms, 1 if ms >= 100 else 3)
