"""Recorded timelines and their re-enactments: which outcomes repeat themselves, and whether ours are the same."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from groupsim.conformance.timelines import equivalence
from groupsim.conformance.timelines.deviation import deviation
from groupsim.conformance.timelines.recorded_form import Record
from groupsim.conformance.timelines.reenact import reenact

SEEDS = range(20)
NOT_TOGETHER = "not all of it under one seed"
Outcome = tuple[equivalence.Generations, equivalence.Callbacks, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class TimelineComparison:
    """One recorded run and its re-enactments under `SEEDS`.

    `repeats`: its repetition had the same outcome. `share`: the re-enactments with this outcome; `mostly`: no other
    outcome is more frequent. `difference`: what no re-enactment shows. Unavailable partition-ms: `recorded_ms`, and the
    median, least and most of the re-enactments. `errors_ms`: the median re-enactment's error for each unavailable
    partition. `plot` and `way` are the names of the scenario and of the members' library and assignor.
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


def outcome(run: Record) -> Outcome:
    """What must be equal: generations with their sizes, callbacks with their sets, and the unavailable partitions."""
    return equivalence.generations(run), equivalence.callbacks(run), equivalence.unavailable_partitions(run)


def way(record: Record) -> str:
    """The library and the assignor."""
    middle: str = record["id"].split("__")[1]
    return middle


def compare_run(record: Record, repeats: bool, seeds: range = SEEDS) -> TimelineComparison:
    """One recording and its re-enactments."""
    played = [reenact(record, seed, recorded_times=True) for seed in seeds]
    outcomes = Counter(outcome(run) for run in played)
    recorded = outcome(record)
    totals = sorted(equivalence.unavailable_ms(run) for run in played)
    return TimelineComparison(
        id=record["id"],
        plot=record["scenario"],
        way=way(record),
        repeats=repeats,
        mostly=outcomes[recorded] == max(outcomes.values()),
        share=outcomes[recorded] / len(played),
        difference=None if recorded in outcomes else deviation(record, seeds).difference or NOT_TOGETHER,
        recorded_ms=equivalence.unavailable_ms(record),
        median_ms=round(median(totals)),
        least_ms=totals[0],
        most_ms=totals[-1],
        errors_ms=[_error_ms(record, played, partition) for partition in recorded[2]],
    )


def _error_ms(record: Record, played: Sequence[Record], partition: str) -> int:
    duration_ms = equivalence.partition_unavailable_ms
    return round(median(duration_ms(run, partition) for run in played)) - duration_ms(record, partition)


def compare(records: Sequence[Record], seeds: range = SEEDS) -> list[dict[str, Any]]:
    """All of them, as data."""
    outcomes: dict[tuple[str, str], set[Outcome]] = defaultdict(set)
    for record in records:
        outcomes[record["scenario"], way(record)].add(outcome(record))
    return [asdict(compare_run(r, len(outcomes[r["scenario"], way(r)]) == 1, seeds)) for r in records]


def quantile(values: Iterable[float], share: float) -> float:
    """The value below which this share lies, the nearest one; 0 for none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0
