"""The value of a measure in words: partition-seconds, seconds, counts."""

from __future__ import annotations

from groupsim.analysis.tables.measures import PARTITION_TIMES
from groupsim.wording.numbers import two_digits

_IN_WORDS = {
    "worst_partition_ms": "the time of the worst partition",
    "outage_ms": "time with a partition unavailable",
    "longest_partition_ms": "the longest outage of one partition",
    "max_partitions": "partitions unavailable at the same time",
    "detection_ms": "time until a death is noticed",
    "reprocessed_records": "records read twice",
    "commits_refused": "refused commits",
    "unsafe_ms": "partitions with two owners",
    "unpolled_ms": "time in which a stuck owner polls nothing",
    "lag_peak": "the highest lag, in records,",
    "lag_end": "the lag at the end, in records,",
    "drain_ms": "time to catch up",
}
"""How a sentence calls a measure; others by their names."""


def called(name: str) -> str:
    """How a sentence calls a measure, of the time after start-up too: `partitions unavailable at the same time`."""
    plain = name.removeprefix("after_start_")
    return _IN_WORDS.get(plain, name)


def heading(name: str) -> str:
    """The title of its column: `unavailable partition-seconds`, `time until a death is noticed, in seconds`."""
    if _what(name) == "partition-seconds":
        return "unavailable partition-seconds"
    words = called(name).removesuffix(",")
    return (
        f"{words}, in {'partition-seconds' if name in PARTITION_TIMES else 'seconds'}"
        if name.endswith("_ms")
        else words
    )


def about(name: str, value: float, before: float | None = None) -> str:
    """Of a measure with two digits: `about 12 partition-seconds`, `about 6.0 instead of 12 s (detection_ms)`."""
    instead = "" if before is None else f" instead of {in_two_digits(name, before)}"
    return f"about {in_two_digits(name, value)}{instead} {_what(name)}"


def amount(name: str, value: float) -> str:
    """Of a measure: `12.0 partition-seconds`, `6.0 s (detection_ms)`, `9.0 rebalances`."""
    return f"{scaled(name, value):,.1f} {_what(name)}"


def in_two_digits(name: str, value: float) -> str:
    """`6.0` of 6,000 ms; of what is counted `4` of 4 partitions, and `7.9` of a mean."""
    if not name.endswith("_ms") and value == round(value):
        return f"{value:,.0f}"
    return two_digits(1_000 * scaled(name, value))


def _what(name: str) -> str:
    if name in ("partition_ms", "after_start_ms"):
        return "partition-seconds"
    return f"s ({name})" if name.endswith("_ms") else name


def short(name: str, value: float) -> str:
    """The same beside its name: `14.0 s`, `9.0`."""
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
