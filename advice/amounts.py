"""Amounts of measures in words."""

from __future__ import annotations

from groupsim.analysis.tables.measures import PARTITION_TIMES


def amount(name: str, value: float) -> str:
    """`12.0 partition-seconds`, `6.0 s (detection_ms)`, `9.0 rebalances`."""
    number = f"{scaled(name, value):,.1f}"
    if name in ("partition_ms", "after_start_ms"):
        return f"{number} partition-seconds"
    return f"{number} s ({name})" if name.endswith("_ms") else f"{number} {name}"


def short(name: str, value: float) -> str:
    """`14.0 s`, `9.0`: below a title that names the measure."""
    number = f"{scaled(name, value):,.1f}"
    return f"{number} {unit(name)}" if name.endswith("_ms") else number


def unit(name: str) -> str:
    """What `scaled` counts in: `partition-seconds`, `s`, or the name itself."""
    if name in PARTITION_TIMES:
        return "partition-seconds"
    return "s" if name.endswith("_ms") else name


def scaled(name: str, value: float) -> float:
    """Milliseconds as seconds, all else as it is."""
    return value / 1_000 if name.endswith("_ms") else value
