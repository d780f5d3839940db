"""Recorded timelines beside their re-enactments: whose sequence repeats itself, whether ours is the same, by how much
times err.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from groupsim.conformance.timelines import equivalence, intervals
from groupsim.conformance.timelines.deviation import deviation
from groupsim.conformance.timelines.reenact import reenact

SEEDS = range(20)
Record = dict[str, Any]
Sequence_ = tuple[equivalence.Generations, equivalence.Callbacks, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Beside:
    """One recorded run and its re-enactments under `SEEDS`.

    `repeats`: its repetition went the same way. `mostly`: most re-enactments that agree with each other agree with it;
    `share`: of those that do. `difference`: what no re-enactment shows. Unavailable partition-ms: `recorded_ms`, and
    the median, least and most of the re-enactments. `errors_ms`: per partition that stood still, the median
    re-enactment's error.
    """

    id: str
    plot: str
    way: str
    repeats: bool
    mostly: bool
    share: float
    difference: str | None
    recorded_ms: int
    median_ms: int
    least_ms: int
    most_ms: int
    errors_ms: list[int]


def went(run: Record) -> Sequence_:
    """What must be equal: generations with their sizes, callbacks with their sets, and what stood still."""
    return equivalence.generations(run), equivalence.callbacks(run), equivalence.stood_still(run)


def way(record: Record) -> str:
    """The library and the assignor."""
    middle: str = record["id"].split("__")[1]
    return middle


def beside(record: Record, repeats: bool, seeds: range = SEEDS) -> Beside:
    """One recording beside its re-enactments."""
    played = [reenact(record, seed, obeys=True) for seed in seeds]
    ways = Counter(went(run) for run in played)
    theirs = went(record)
    totals = sorted(equivalence.unavailable_ms(run) for run in played)
    return Beside(
        id=record["id"],
        plot=record["scenario"],
        way=way(record),
        repeats=repeats,
        mostly=ways[theirs] == max(ways.values()),
        share=ways[theirs] / len(played),
        difference=None if theirs in ways else deviation(record, seeds).difference or "not all of it under one seed",
        recorded_ms=equivalence.unavailable_ms(record),
        median_ms=round(median(totals)),
        least_ms=totals[0],
        most_ms=totals[-1],
        errors_ms=[round(median(_still_ms(run, p) for run in played)) - _still_ms(record, p) for p in theirs[2]],
    )


def _still_ms(run: Record, partition: str) -> int:
    return intervals.length(run["unavailable"].get(partition, []))


def compare(records: Sequence[Record], seeds: range = SEEDS) -> list[dict[str, Any]]:
    """All of them, as data."""
    told: dict[tuple[str, str], set[Sequence_]] = defaultdict(set)
    for record in records:
        told[record["scenario"], way(record)].add(went(record))
    return [asdict(beside(r, len(told[r["scenario"], way(r)]) == 1, seeds)) for r in records]


def quantile(values: Iterable[float], share: float) -> float:
    """The value below which this share lies, the nearest one; 0 for none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0
