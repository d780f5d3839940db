"""What is said of a total (partition-milliseconds) that is known in bounds only. None stands for no upper bound."""

from __future__ import annotations

from groupsim.wording.numbers import partition_seconds, percent, seconds

_NOTHING_MS = 100
"""A lower bound below is no news: it is shown as 0.0."""

_HARDLY = 0.01


def bounds(at_least_ms: int, at_most_ms: int | None, known_share: float | None = None) -> str:
    """What is known of a total; empty where that is nothing. `known_share` (0 to 1) is said beside both bounds.

    Not if it is hardly anything: then the bounds come from more than the labels, and say more than it.

    >>> bounds(6_400, 52_000)
    'at least 6.4 and at most 52.0 partition-seconds'
    >>> bounds(6_400, 52_000, known_share=0.9)
    'at least 6.4 and at most 52.0 partition-seconds (90 % of all partition time is known)'
    >>> bounds(6_400, None), bounds(50, None)
    ('at least 6.4 partition-seconds, with no upper bound', '')
    """
    if at_most_ms is not None:
        tells = known_share is not None and known_share >= _HARDLY
        known = f" ({percent(known_share or 0)} of all partition time is known)" if tells else ""
        return f"at least {seconds(at_least_ms)} and at most {partition_seconds(at_most_ms)}{known}"
    if at_least_ms < _NOTHING_MS:
        return ""
    return f"at least {partition_seconds(at_least_ms)}, with no upper bound"


def near_word(total_ms: int, at_least_ms: int, at_most_ms: int | None) -> str:
    """What stands before a total: `about`, or what it is if it is shown as one of its bounds.

    >>> near_word(7_000, 6_400, 9_000), near_word(9_000, 6_400, 9_000), near_word(6_400, 6_400, None)
    ('about', 'at most', 'at least')
    """
    total, least = seconds(total_ms), seconds(at_least_ms)
    if at_most_ms is not None and seconds(at_most_ms) == total:
        return "at most"
    return "at least" if least == total else "about"


def is_near(total_ms: int, at_least_ms: int, at_most_ms: int | None) -> bool:
    """Whether a total can be shown beside its bounds, and not they alone.

    Not if it is itself a bound, or has one beyond half or double of it.

    >>> is_near(7_000, 6_400, 9_000), is_near(7_000, 6_400, 90_000), is_near(9_000, 6_400, 9_000)
    (True, False, False)
    """
    if at_most_ms is None:
        return True
    near = near_word(total_ms, at_least_ms, at_most_ms) == "about"
    return near and total_ms <= 2 * at_least_ms and at_most_ms <= 2 * total_ms


def between(low: str, high: str) -> str:
    """Both bounds of something, which are written already.

    >>> between("6.4", "52.0 partition-seconds")
    'between 6.4 and 52.0 partition-seconds'
    """
    return f"between {low} and {high}"
