"""The numbers of a run: as JSON (`run --format json`, `import --format json`) and as lines for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from groupsim.analysis.tables.headline import about_of, amount, range_of
from groupsim.cli.output import plain
from groupsim.cli.progress import progress
from groupsim.storage.log_gaps import inexact_sentence, precision
from groupsim.wording.numbers import counted, partition_seconds, partition_time, seconds
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


def headline(summary: dict[str, Any]) -> list[str]:
    """The main numbers of a run, as lines; beside each label what it means."""
    from groupsim.analysis.availability.labels import MEANINGS, Label

    unavailable = summary["unavailable"]["after_start"]
    lines = [f"unavailable  {plain(amount(summary['unavailable']))}"]
    if unavailable["partition_ms"] is None:
        return lines
    inexact, about, between = unavailable.get("inexact", False), about_of(unavailable), range_of(unavailable)
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
            f"; {seconds(ends[label], 3)} partition-s of it to the end of the record"
            if ends.get(label, 0) >= _SHOWN_MS
            else ""
        )
        lines.append(f"  {label:<16}{seconds(ms, 3):>12} partition-s  {MEANINGS[Label(label)]}{to_the_end}")
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


def title(name: str, seed: int | None, simulated_ms: int, rebalances: int, facts: int) -> str:
    """The first line: scenario, seed, simulated time, rebalances, facts."""
    parts = [plain(name), *([] if seed is None else [f"seed {seed}"]), f"{duration(simulated_ms)} simulated"]
    return "  ".join([*parts, counted(rebalances, "rebalance"), counted(facts, "fact")])
