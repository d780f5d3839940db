"""The headline of a run, recorded or simulated: how long something was down, how many partitions, and the sum.

One home for the sentence that every command, the report and Python begin with.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groupsim.wording.bounds import between, bounds, is_near, near_word
from groupsim.wording.lists import after_comma
from groupsim.wording.numbers import partition_time, percent, seconds, short_percent
from groupsim.wording.start_up import NOT_COUNTED, start_up


def amount(whole: Mapping[str, Any], *, verb: bool = False) -> str:
    """How long something was unavailable after start-up, and start-up beside it: the headline of every command.

    First how long one partition or more, how many at once, and how long one of them; then the sum of all. `whole` is
    `unavailable` of a run's numbers (`Totals.unavailable`, of a recorded run `tables.bounds.supported`). `verb`:
    with "were unavailable", for where no word says before it what it is about.
    """
    unavailable = whole["after_start"]
    if unavailable["partition_ms"] is None:
        return f"unknown{_bounds(unavailable)}: {unavailable['unknown']}"
    starts = start_up(whole)
    apart, beside = (NOT_COUNTED, f"; {starts}") if starts else ("", "")
    total = f"{about_of(unavailable)}{partition_time(unavailable['partition_ms'])}"
    share = short_percent(unavailable["share"]) if _is_bounded(unavailable) else percent(unavailable["share"], 2)
    much = range_of(unavailable) or f"{total} ({share}"
    return f"{_outage(unavailable, apart, verb=verb)}. Sum: {much} of all partition time){beside}"


def _outage(unavailable: Mapping[str, Any], apart: str, *, verb: bool) -> str:
    """`one or more partitions for 5.1 s in total, at most 12 at once, none longer than 4.2 s at a time`."""
    most = unavailable["max_partitions"]
    were = f" {'were' if most > 1 else 'was'} unavailable" if verb else ""
    if not most:
        return f"no partition{were}{apart}"
    who, at_once = ("one or more partitions", f", at most {most:,} at once") if most > 1 else ("one partition", "")
    once = unavailable["outage_ms"] == unavailable["longest_partition_ms"]
    total = "" if once else " in total"
    said = f"{who}{were} for {_lasted(unavailable, 'outage_ms')}{total}{apart}{at_once}"
    alone = most == 1 and once
    if alone or _is_wide(unavailable, "outage_ms") or _is_wide(unavailable, "longest_partition_ms"):
        return said
    if once:
        return f"{said}, one of them all that time"
    longest = _lasted(unavailable, "longest_partition_ms")
    none = "none longer than" if most > 1 else "never longer than"
    if longest.startswith("at least "):
        none = "one of them" if most > 1 else "once"
    return f"{said}, {none} {longest.removeprefix('at most ')} at a time"


def _lasted(unavailable: Mapping[str, Any], name: str) -> str:
    """`5.1 s`, `about 5.1 s`, or `3.2 to 9.8 s`: a time whose bounds are `at_least_` and `at_most_` that."""
    ms, least, most = ends_of(unavailable, name)
    if _is_wide(unavailable, name) and most is not None:
        return f"{seconds(least)} to {seconds(most)} s"
    about = f"{near_word(ms, least, most)} " if _is_bounded(unavailable) and (least, most) != (ms, ms) else ""
    return f"{about}{ms} ms" if ms < 1_000 else f"{about}{seconds(ms)} s"


def _is_wide(unavailable: Mapping[str, Any], name: str) -> bool:
    """Whether a time is shown by its bounds: the truth may be half or double of it."""
    _, least, most = ends = ends_of(unavailable, name)
    apart = most is not None and seconds(least) != seconds(most)
    return apart and _is_bounded(unavailable) and not is_near(*ends)


def _is_bounded(unavailable: Mapping[str, Any]) -> bool:
    """Whether the numbers are known, but not exact."""
    return bool(unavailable.get("inexact", False)) or unavailable.get("at_most_partition_ms", 0) is None


def ends_of(unavailable: Mapping[str, Any], name: str) -> tuple[int, int, int | None]:
    ms = unavailable[name]
    return ms, unavailable.get(f"at_least_{name}", ms), unavailable.get(f"at_most_{name}", ms)


def about_of(unavailable: Mapping[str, Any]) -> str:
    """`about `, or that it is a bound, of a total that is known but not exact; empty of another one."""
    return f"{near_word(*ends_of(unavailable, 'partition_ms'))} " if _is_bounded(unavailable) else ""


def range_of(unavailable: Mapping[str, Any]) -> str | None:
    """`between 23.8 and 95.8 partition-seconds (6.6–26.6 %`: instead of a total that may be far from the truth.

    That is one that is itself a bound, or has a bound beyond half or double of it. None for others.
    """
    total_ms, least_ms, most_ms = ends_of(unavailable, "partition_ms")
    if not total_ms or most_ms is None or not _is_wide(unavailable, "partition_ms"):
        return None
    shares = [min(100, 100 * unavailable["share"] * ms / total_ms) for ms in (least_ms, most_ms)]
    return f"{between(seconds(least_ms), seconds(most_ms))} partition-seconds ({shares[0]:.1f}–{shares[1]:.1f} %"


def _bounds(unavailable: dict[str, Any]) -> str:
    least, most = unavailable.get("at_least_partition_ms") or 0, unavailable.get("at_most_partition_ms")
    return after_comma(bounds(least, most, unavailable.get("known_share")))
