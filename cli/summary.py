"""The numbers of a run: as JSON (`run --format json`, `import --format json`) and as lines for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from groupsim.cli.output import plain
from groupsim.cli.progress import progress
from groupsim.storage.log_gaps import inexact_sentence, precision
from groupsim.wording.bounds import between, bounds, is_near, near_word
from groupsim.wording.lists import after_comma
from groupsim.wording.numbers import counted, partition_seconds, partition_time, percent, seconds
from groupsim.wording.start_up import start_up
from groupsim.wording.times import duration

if TYPE_CHECKING:
    from groupsim.analysis.availability.labels import Interval
    from groupsim.events.base import Recorded


_SHOWN_MS = 1_000
"""What is shorter and lasts to the end of the record is not mentioned."""


def measured(facts: Sequence[Recorded]) -> tuple[dict[str, Any], Sequence[Interval]]:
    """The numbers of a run, and the intervals they come from."""
    from groupsim.analysis.availability.intervals import intervals
    from groupsim.analysis.tables.summary import summarise

    with progress("measuring") as bar:
        found = intervals(facts, progress=bar)
    return summarise(facts, found), found


def amount(whole: Mapping[str, Any]) -> str:
    """How much was unavailable after start-up, and start-up beside it: the headline of every command.

    `whole` is `unavailable` of a run's numbers (`Totals.unavailable`, of a recorded run `tables.bounds.supported`).
    """
    unavailable = whole["after_start"]
    if unavailable["partition_ms"] is None:
        return f"unknown{_bounds(unavailable)}: {plain(unavailable['unknown'])}"
    starts = start_up(whole)
    after, of, beside = (" after start-up", "that time", f"; {starts}") if starts else ("", "all partition time", "")
    total = f"{_about(unavailable)}{partition_time(unavailable['partition_ms'])}{after}"
    much = _range(unavailable, after) or f"{total} ({percent(unavailable['share'], 2)}"
    at_once = f"at most {counted(unavailable['max_partitions'], 'partition')} at once"
    return f"{much} of {of}), {at_once}{beside}"


def headline(summary: dict[str, Any]) -> list[str]:
    """The main numbers of a run, as lines."""
    unavailable = summary["unavailable"]["after_start"]
    lines = [f"unavailable  {amount(summary['unavailable'])}"]
    if unavailable["partition_ms"] is None:
        return lines
    inexact, about, between = unavailable.get("inexact", False), _about(unavailable), _range(unavailable, "")
    if about:
        sums = f"; the times below add up to {partition_time(unavailable['partition_ms'])}"
        ends = (unavailable.get("at_least_partition_ms") or 0, unavailable.get("at_most_partition_ms"))
        exact = precision(unavailable)
        why = f"{exact.why()}{sums}" if between else inexact_sentence(exact if inexact else None, *ends)
        lines.append(f"  uncertain: {why}")
    labels = {label: ms for label, ms in unavailable["by_label"].items() if ms}
    ends = unavailable.get("to_the_end", {})
    for label, ms in sorted(labels.items(), key=lambda each: -each[1]):
        to_the_end = (
            f", {seconds(ends[label], 3)} s of it to the end of the record" if ends.get(label, 0) >= _SHOWN_MS else ""
        )
        lines.append(f"  {label:<16}{seconds(ms, 3):>12} s{to_the_end}")
    if unavailable.get("unknown_ms"):
        lines.append(f"  unknown from the logs: {partition_seconds(unavailable['unknown_ms'])}")
    if len(summary["groups"]) > 1:
        for name, group in summary["groups"].items():
            lines.append(
                f"  group {plain(name):<16}{seconds(group['after_start_ms'], 3):>12} s in "
                f"{counted(group['rebalances'], 'rebalance')}"
            )
    if summary.get("source") == "recorded":
        return lines  # logs do not show the commits that succeeded
    commits = summary["commits"]
    lines.append(
        f"commits      {commits['accepted']:,} accepted, {commits['refused']:,} refused; "
        f"{summary['reprocessed_records']:,} records read twice"
    )
    return lines


def _about(unavailable: Mapping[str, Any]) -> str:
    """`about `, or that it is a bound, of a total that is known but not exact; empty of another one."""
    if not unavailable.get("inexact", False) and unavailable.get("at_most_partition_ms", 0) is not None:
        return ""
    least, most = unavailable.get("at_least_partition_ms") or 0, unavailable.get("at_most_partition_ms")
    return f"{near_word(unavailable['partition_ms'], least, most)} "


def _range(unavailable: Mapping[str, Any], after: str) -> str | None:
    """`between 23.8 and 95.8 partition-seconds (6.6–26.6 %`: instead of a total that may be far from the truth.

    That is one that is itself a bound, or has a bound beyond half or double of it. None for others.
    """
    total_ms, least_ms, most_ms = (unavailable.get(f"{x}partition_ms") for x in ("", "at_least_", "at_most_"))
    if not total_ms or not _about(unavailable) or least_ms is None or most_ms is None:
        return None
    least, most = seconds(least_ms), seconds(most_ms)
    if is_near(total_ms, least_ms, most_ms) or least == most:
        return None
    shares = [min(100, 100 * unavailable["share"] * ms / total_ms) for ms in (least_ms, most_ms)]
    return f"{between(least, most)} partition-seconds{after} ({shares[0]:.1f}–{shares[1]:.1f} %"


def _bounds(unavailable: dict[str, Any]) -> str:
    least, most = unavailable.get("at_least_partition_ms") or 0, unavailable.get("at_most_partition_ms")
    return after_comma(bounds(least, most, unavailable.get("known_share")))


def title(name: str, seed: int | None, simulated_ms: int, rebalances: int, facts: int) -> str:
    """The first line: scenario, seed, simulated time, rebalances, facts."""
    parts = [plain(name), *([] if seed is None else [f"seed {seed}"]), f"{duration(simulated_ms)} simulated"]
    return "  ".join([*parts, counted(rebalances, "rebalance"), counted(facts, "fact")])
