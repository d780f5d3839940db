"""The part of docs/conformance.md about recorded runs of consumer groups: what was equal, how long it took."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

from groupsim.conformance.timelines.equivalence import near

FILE = Path(__file__).parents[2] / "tests" / "golden" / "conformance" / "recorded-runs.json"
WAYS = ("range", "cooperative-sticky", "kip848-uniform", "kip848-range")
NEWEST = "4.4"
CLEAR = 0.2
"""Ways whose recorded figures differ by more than this have an order."""
Row = dict[str, Any]


def stored() -> list[Row]:
    """What `recorders.recorded_runs` found."""
    rows: list[Row] = json.loads(FILE.read_text()) if FILE.exists() else []
    return rows


def headed() -> Iterator[str]:
    """The section of the stored rows, with its heading."""
    yield "## Recorded runs of consumer groups"
    yield ""
    yield "Runs of the consumer protocol, migrations and mixed groups that were recorded once and are re-enacted with"
    yield "`python -m recorders.recorded_runs DIRECTORY... --write`."
    yield ""
    yield from section(stored())


def section(every: Sequence[Row]) -> Iterator[str]:
    """The section."""
    yield "| runs | | epochs | callbacks | partitions | all three | mostly | durations near | median error |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for name, chosen in (
        ("consumer protocol, Kafka 4.4", [r for r in every if r["protocol"] == "consumer" and r["release"] == NEWEST]),
        ("consumer protocol, Kafka 4.0", [r for r in every if r["protocol"] == "consumer" and r["release"] != NEWEST]),
        ("of these, those that repeat themselves", [r for r in every if r["protocol"] == "consumer" and r["repeats"]]),
        ("mixed groups and migrations", [r for r in every if r["protocol"] == "mixed"]),
        ("classic, on the same Kafka 4.4", [r for r in every if r["protocol"] == "classic"]),
    ):
        yield _totals(name, chosen)
    yield ""
    yield "Epochs, callbacks with their sets, unavailable partitions: runs in which some of ten seeds has"
    yield "what was recorded; *mostly*: no other outcome is more frequent among the seeds. *Near*: the median seed"
    yield "within 10 % or 50 ms per partition. The error is that of unavailable partition-time, of runs that have any."
    yield "A re-enactment takes the recorded member ids, starts and closes; which member gets what follows from the"
    yield "ids. Latencies of the consumer protocol were measured in these runs, so durations are a fit as far as they"
    yield "depend on those; epochs and callbacks follow from the mechanisms."
    yield ""
    yield from _grown(every)
    yield from _order(every)
    yield from _misses(every)


def _totals(name: str, rows: Sequence[Row]) -> str:
    def count(what: str) -> int:
        return sum(row[what] > 0 for row in rows)

    errors = [abs(row["median_ms"] - row["recorded_ms"]) / row["recorded_ms"] for row in rows if row["recorded_ms"]]
    every = sum(min(row["epochs"], row["callbacks"], row["partitions"]) > 0 for row in rows)
    close = sum(near(row["recorded_ms"], row["median_ms"], max(1, row["unavailable"])) for row in rows)
    cells = [count("epochs"), count("callbacks"), count("partitions"), every, sum(row["mostly"] for row in rows), close]
    error = f"{median(errors):.1%}" if errors else "—"
    return f"| {name} | {len(rows)} | " + " | ".join(map(str, cells)) + f" | {error} |"


def _grown(every: Sequence[Row]) -> Iterator[str]:
    rows = [row for row in every if row["all_owned_ms"]]
    if not rows:
        return
    yield "Partitions were added: milliseconds until all of them had an owner."
    yield ""
    yield "| run | recorded | simulated | |"
    yield "| --- | ---: | ---: | ---: |"
    for row in rows:
        recorded, ours = row["all_owned_ms"]
        yield f"| `{row['id']}` | {recorded:,} | {ours:,} | {(ours - recorded) / recorded:+.0%} |"
    yield ""


def by_story(every: Sequence[Row]) -> dict[str, dict[str, tuple[float, float]]]:
    """By story and way: the medians over its repetitions, recorded and simulated (partition-ms)."""
    stories: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in every:
        story, way, variant, _ = row["id"].split("__")
        if variant == "d0" and way in WAYS and row["release"] == NEWEST:
            stories[story][way].append(row)
    return {
        story: {way: (_median(rows, "recorded_ms"), _median(rows, "median_ms")) for way, rows in ways.items()}
        for story, ways in sorted(stories.items())
        if len(ways) > 1
    }


def orders(every: Sequence[Row]) -> list[tuple[str, str, str, bool]]:
    """Every pair of ways of a story whose recorded figures differ clearly, and whether the simulated ones do alike."""
    pairs = []
    for story, ways in by_story(every).items():
        for way, other in combinations(ways, 2):
            (a, ours_a), (b, ours_b) = ways[way], ways[other]
            if abs(a - b) > CLEAR * max(a, b):
                pairs.append((story, way, other, (a < b) == (ours_a < ours_b) and ours_a != ours_b))
    return pairs


def _order(every: Sequence[Row]) -> Iterator[str]:
    pairs = orders(every)
    if not pairs:
        return
    yield f"Unavailable partition-seconds, recorded → simulated. Of {len(pairs)} pairs in one row whose recorded"
    yield f"figures differ by more than {CLEAR:.0%}, {sum(same for *_, same in pairs)} have the same order simulated."
    yield ""
    yield "| story | " + " | ".join(WAYS) + " |"
    yield "| --- |" + " ---: |" * len(WAYS)
    for story, ways in by_story(every).items():
        cells = [f"{ways[w][0] / 1000:.1f} → {ways[w][1] / 1000:.1f}" if w in ways else "" for w in WAYS]
        yield f"| {story} | " + " | ".join(cells) + " |"
    yield ""
    yield from _other_orders(every, [(story, (way, other)) for story, way, other, same in pairs if not same])


def _other_orders(every: Sequence[Row], pairs: Sequence[tuple[str, tuple[str, str]]]) -> Iterator[str]:
    """The pairs in another order, with what every repetition had and what the seeds have at least and at most."""
    if not pairs:
        return
    yield "In another order, with each recorded repetition, and the least and the most of its seeds:"
    yield ""
    yield "| story | one | recorded | seeds | other | recorded | seeds |"
    yield "| --- | --- | ---: | ---: | --- | ---: | ---: |"
    for story, ways in pairs:
        cells = []
        for way in ways:
            rows = [row for row in every if row["id"].startswith(f"{story}__{way}__d0__") and row["release"] == NEWEST]
            recorded = ", ".join(f"{row['recorded_ms'] / 1000:.1f}" for row in rows)
            least, most = min(row["least_ms"] for row in rows), max(row["most_ms"] for row in rows)
            cells.append(f"`{way}` | {recorded} | {least / 1000:.1f}–{most / 1000:.1f}")
        yield f"| {story} | {' | '.join(cells)} |"
    yield ""
    yield "Where the ranges of the seeds overlap, one recording of each does not show which is less: when a heartbeat"
    yield "follows a close or a join, and whether a leader's fetch is just answered, is chance in both. A recorded"
    yield "figure outside of the range of its seeds is a miss."
    yield ""


def _misses(every: Sequence[Row]) -> Iterator[str]:
    missed = [row for row in every if min(row["epochs"], row["callbacks"], row["partitions"]) == 0]
    if missed:
        yield f"No seed has all of what was recorded in {len(missed)} runs:"
        yield ""
        for row in missed:
            absent = [what for what in ("epochs", "callbacks", "partitions") if not row[what]]
            yield f"- `{row['id']}` ({row['release']}): {', '.join(absent) or 'not together'}"
        yield ""


def _median(rows: Sequence[Row], what: str) -> float:
    return float(median(row[what] for row in rows))
