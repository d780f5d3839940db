"""The part of docs/conformance.md about timelines: what real clients did, and what the re-enactments did."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from groupsim.conformance.timelines import equivalence
from recorders.page import known_differences
from recorders.timelines import scenarios
from recorders.timelines.comparison import quantile

FILE = Path(__file__).parents[2] / "tests" / "golden" / "conformance" / "timelines.json"
Row = dict[str, Any]


@cache
def rows() -> tuple[Row, ...]:
    """What `timelines.comparison` found, a row for each recorded run."""
    return tuple(json.loads(FILE.read_text())) if FILE.exists() else ()


def steady() -> list[Row]:
    """The runs whose repetition had the same outcome."""
    return [row for row in rows() if row["repeats"]]


def met(row: Row) -> bool:
    """Whether some re-enactment had the recorded outcome."""
    return bool(row["share"] > 0)


def near(row: Row) -> bool:
    """Whether the median duration is within 10 % of the recorded one, or 50 ms for each partition."""
    return equivalence.near(row["recorded_ms"], row["median_ms"], max(1, len(row["errors_ms"])))


def headline() -> Iterator[str]:
    """Rows for the table at the top of the page."""
    every = steady()
    if not every:
        return
    yield f"| timelines of real clients that repeat themselves: some seed has the same outcome | {len(every)} | " + (
        f"{sum(map(met, every))} |"
    )
    yield f"| the same: no other outcome is more frequent among the seeds | {len(every)} | " + (
        f"{sum(row['mostly'] for row in every)} |"
    )


def section() -> Iterator[str]:
    """The section."""
    every = rows()
    if not every:
        command = "python -m recorders.real timelines"
        yield f"Not recorded yet: `{command}` needs a machine that has little else to do."
        yield ""
        return
    scenarios_recorded = len({row["plot"] for row in every})
    yield f"{len(every)} runs, {scenarios_recorded} of {len(scenarios.SCENARIOS)} scenarios so far: three members,"
    session_s, heartbeat_s = scenarios.SESSION_MS / 1000, scenarios.HEARTBEAT_MS / 1000
    yield f"{scenarios.PARTITIONS} partitions, session {session_s:.0f} s, heartbeat {heartbeat_s:.0f} s, poll interval"
    yield f"{scenarios.MAX_POLL_MS / 1000:.0f} s, each recorded twice. Compared: generations and their sizes, every"
    yield "member's callbacks with their sets, and which partitions were unavailable, all exactly; for how long, in"
    yield "partition-seconds. A heartbeat's phase is chance in both: each run is re-enacted under 20 seeds. *Repeats*:"
    yield "both recordings had the same outcome. *Same outcome*: the share of the seeds that had the recorded outcome,"
    yield "of the repetition where it is least."
    yield ""
    yield "| scenario | clients | repeats | same outcome | recorded | simulated, median (least–most) |"
    yield "| --- | --- | --- | ---: | ---: | ---: |"
    for (name, way), runs in _by_scenario(every).items():
        recorded = " and ".join(_seconds(run["recorded_ms"]) for run in runs)
        least, most = min(run["least_ms"] for run in runs), max(run["most_ms"] for run in runs)
        ours = f"{_seconds(median(run['median_ms'] for run in runs))} ({_seconds(least)}–{_seconds(most)})"
        share = f"{min(run['share'] for run in runs):.0%}"
        repeats = "yes" if all(run["repeats"] for run in runs) else "no"
        yield f"| {name} | {way} | {repeats} | {share} | {recorded} | {ours} |"
    yield ""
    yield from _durations(every)
    yield known_differences.RECORDED_WHILE
    yield ""
    yield from _differences()


def _by_scenario(every: tuple[Row, ...]) -> dict[tuple[str, str], list[Row]]:
    rows: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for scenario in scenarios.SCENARIOS:
        for row in every:
            if row["plot"] == scenario.name:
                rows[scenario.name, row["way"]].append(row)
    return rows


def _durations(every: tuple[Row, ...]) -> Iterator[str]:
    relative = [abs(r["median_ms"] - r["recorded_ms"]) / r["recorded_ms"] for r in every if r["recorded_ms"]]
    absolute = [abs(error) for row in every for error in row["errors_ms"]]
    inside = sum(r["least_ms"] <= r["recorded_ms"] <= r["most_ms"] for r in every)
    yield f"Durations: the error of a run's median is {median(relative):.0%} in the median,"
    yield f"{quantile(relative, 0.95):.0%} at the 95th percentile; of one partition {median(absolute):.0f} ms and"
    yield f"{quantile(absolute, 0.95):,.0f} ms. {sum(map(near, every))} of {len(every)} medians lie within 10 % or 50"
    yield f"ms a partition; {inside} recorded runs lie between the least and the most of their re-enactments."
    yield ""


def _differences() -> Iterator[str]:
    for row in steady():
        if not met(row):
            explained = known_differences.TIMELINES.get(f"{row['plot']}__{row['way']}", "not explained")
            yield f"- `{row['id']}`: {explained} ({row['difference']})"
    yield ""


def _seconds(ms: float) -> str:
    return f"{ms / 1000:.1f}"
