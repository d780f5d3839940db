"""Recorded runs beside re-enacted ones, a row per scenario and assignor: `python -m conformance.table DIRECTORY`."""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from conformance import likeness
from conformance.recording import parse
from conformance.reenact import reenact

PER_PARTITION_MS = 50
SHARE = 0.10
"""How far medians may lie apart: a tenth, or 50 ms for every partition that stood still, whichever is more."""


@dataclass(frozen=True, slots=True)
class Row:
    """One scenario under one assignor: all its repetitions, and as many re-enactments of each as there are seeds."""

    name: str
    recorded: Sequence[dict[str, Any]]
    played: Sequence[dict[str, Any]]

    def share(self, feature: Any) -> float:
        """The share of re-enactments that show what some repetition shows."""
        known = {feature(r) for r in self.recorded}
        return sum(feature(p) in known for p in self.played) / len(self.played)

    def met(self, feature: Any) -> bool:
        """Whether every repetition's is among the re-enactments'."""
        return {feature(r) for r in self.recorded} <= {feature(p) for p in self.played}

    def durations(self) -> tuple[list[int], list[int]]:
        """Sorted partition-milliseconds: recorded, re-enacted."""
        return sorted(map(likeness.unavailable_ms, self.recorded)), sorted(map(likeness.unavailable_ms, self.played))

    def inside(self) -> bool:
        """Whether the recorded partition-milliseconds lie in the re-enacted range."""
        recorded, played = self.durations()
        return played[0] <= recorded[0] and recorded[-1] <= played[-1]

    def near(self) -> bool:
        """Whether the medians are within 10 % or 50 ms per partition."""
        recorded, played = self.durations()
        partitions = max(len(likeness.stood_still(r)) for r in self.recorded)
        return abs(median(recorded) - median(played)) <= max(SHARE * median(recorded), PER_PARTITION_MS * partitions)


def _name(record: dict[str, Any], pooled: bool) -> str:
    """What a row is called; pooled: whoever rebalances alike stands together, whatever the assignor and the delay."""
    name: str = record["id"].rpartition("__")[0]
    if not pooled:
        return name
    way = "cooperative" if "cooperative-sticky" in record["assignor"] else "eager"
    return f"{record['scenario']} {parse(record).library} {way}"


def rows(paths: Iterable[Path], seeds: range, pooled: bool = False) -> Iterator[Row]:
    """A row per scenario, assignor and initial delay. Recordings of the consumer protocol are passed by."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for path in sorted(paths):
        record = json.loads(path.read_text())
        if record["protocol"] == "classic":
            groups[_name(record, pooled)].append(record)
    for name, recorded in groups.items():
        yield Row(name, recorded, [reenact(record, seed) for record in recorded for seed in seeds])


def line(row: Row) -> str:
    """A row of a Markdown table."""
    (recorded, played) = row.durations()
    cells = [
        row.name,
        _range(recorded),
        _range(played),
        f"{_yes(row.met(likeness.generations))} {row.share(likeness.generations):.0%}",
        f"{_yes(row.met(likeness.rounds_in_window))} {row.share(likeness.rounds_in_window):.0%}",
        f"{_yes(row.met(likeness.callbacks))} {row.share(likeness.callbacks):.0%}",
        f"{_yes(row.met(likeness.stood_still))} {row.share(likeness.stood_still):.0%}",
        _yes(row.inside()),
        _yes(row.near()),
    ]
    return "| " + " | ".join(cells) + " |"


HEAD = (
    "| recording | recorded partition-ms | re-enacted | generations | in the window | callbacks | stood still "
    "| inside | medians |\n|---|---|---|---|---|---|---|---|---|"
)


def _yes(met: bool) -> str:
    return "yes" if met else "**no**"


def _range(values: list[int]) -> str:
    return f"{round(median(values))} ({values[0]}–{values[-1]})"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--seeds", type=int, default=50, help="how many seeds for each repetition")
    parser.add_argument("--only", default="", help="only recordings whose id has this in it")
    parser.add_argument("--pooled", action="store_true", help="a row per scenario, library and way of rebalancing")
    given = parser.parse_args()
    print(HEAD)
    total = {"generations": 0, "callbacks": 0, "stood still": 0, "inside": 0, "medians": 0}
    count = 0
    for row in rows(given.directory.glob(f"*{given.only}*/recording.json"), range(given.seeds), given.pooled):
        print(line(row), flush=True)
        count += 1
        total["generations"] += row.met(likeness.generations)
        total["callbacks"] += row.met(likeness.callbacks)
        total["stood still"] += row.met(likeness.stood_still)
        total["inside"] += row.inside()
        total["medians"] += row.near()
    print(f"\n{count} rows; " + ", ".join(f"{name} {met}" for name, met in total.items()))


if __name__ == "__main__":
    main()
