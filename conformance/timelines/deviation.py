"""How far the re-enactments of a recording differ from it: what is equal, the first difference, errors of durations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

from groupsim.conformance.timelines import equivalence
from groupsim.conformance.timelines.equivalence import partition_unavailable_ms
from groupsim.conformance.timelines.recorded_form import Record, partition_order
from groupsim.conformance.timelines.recording import BadRecording
from groupsim.conformance.timelines.reenact import reenact

NEEDED = ("events", "broker", "unavailable", "summary")


@dataclass(frozen=True, slots=True)
class Duration:
    """How long a partition was unavailable in the window, in ms: recorded; median, least and most over the seeds."""

    partition: str
    recorded_ms: int
    median_ms: int
    least_ms: int
    most_ms: int

    @property
    def error_ms(self) -> int:
        """Of the median."""
        return self.median_ms - self.recorded_ms


@dataclass(frozen=True, slots=True)
class Deviation:
    """A recording and its re-enactments. The shares are of the seeds that show what was recorded.

    `difference`: the first thing that no seed shows, None if some seed shows everything. A single seed may differ:
    repetitions of a recording do as well, where a fault falls before a heartbeat or after it.
    """

    seeds: int
    generations: float
    callbacks: float
    unavailable_partitions: float
    difference: str | None
    total: Duration
    partitions: tuple[Duration, ...]


def deviation(record: Record, seeds: range) -> Deviation:
    """Re-enact a recording under every seed, with its own ids, starts and closes, and compare. Raises BadRecording."""
    absent = [key for key in NEEDED if key not in record]
    if absent:
        name = record.get("id", "without id")
        raise BadRecording(f"recording {name}: {', '.join(absent)} missing; there is nothing to compare with")
    played = [reenact(record, seed, recorded_times=True) for seed in seeds]
    try:
        return _compared(record, played)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise BadRecording(f"recording {record.get('id')}: what was observed can't be compared ({reason})") from error


def _compared(record: Record, played: Sequence[Record]) -> Deviation:
    features: tuple[Callable[[Record], object], ...] = (
        equivalence.generations,
        equivalence.callbacks,
        equivalence.unavailable_partitions,
    )
    shares = [sum(show(run) == show(record) for run in played) / len(played) for show in features]
    names = sorted({*record["unavailable"], *(p for run in played for p in run["unavailable"])}, key=partition_order)
    return Deviation(
        seeds=len(played),
        generations=shares[0],
        callbacks=shares[1],
        unavailable_partitions=shares[2],
        difference=_difference(record, played),
        total=_duration("all", record, played, equivalence.unavailable_ms),
        partitions=tuple(
            _duration(name, record, played, partial(partition_unavailable_ms, partition=name)) for name in names
        ),
    )


def _duration(name: str, record: Record, played: Sequence[Record], measure: Callable[[Record], int]) -> Duration:
    values = sorted(measure(run) for run in played)
    return Duration(name, measure(record), round(median(values)), values[0], values[-1])


def _difference(record: Record, played: Sequence[Record]) -> str | None:
    """Generations first, because callbacks follow from them; then callbacks, then the unavailable partitions."""
    same = [run for run in played if equivalence.generations(run) == equivalence.generations(record)]
    if not same:
        ours = equivalence.generations(played[0])
        return f"generations (number, members): recorded {_pairs(record)}, seed {played[0]['seed']} {_text(ours)}"
    alike = [run for run in same if equivalence.callbacks(run) == equivalence.callbacks(record)]
    if not alike:
        return _first_callback(record, same[0])
    if not any(equivalence.unavailable_partitions(run) == equivalence.unavailable_partitions(record) for run in alike):
        partitions = [", ".join(equivalence.unavailable_partitions(run)) or "none" for run in (record, alike[0])]
        return f"unavailable: recorded {partitions[0]}, seed {alike[0]['seed']} {partitions[1]}"
    return None


def _pairs(record: Record) -> str:
    return _text(equivalence.generations(record))


def _text(generations: equivalence.Generations) -> str:
    return " ".join(f"{number}:{members}" for number, members in generations) or "none"


def _first_callback(record: Record, run: Record) -> str:
    was, now = dict(equivalence.callbacks(record)), dict(equivalence.callbacks(run))
    for process in sorted({*was, *now}):
        theirs, ours = was.get(process, ()), now.get(process, ())
        for i in range(max(len(theirs), len(ours))):
            a, b = theirs[i : i + 1], ours[i : i + 1]
            if a != b:
                where = f"callback {i + 1} of {process}"
                return f"{where}: recorded {_call(a)}, seed {run['seed']} {_call(b)}"
    return "callbacks differ"


def _call(callback: tuple[tuple[str, tuple[str, ...]], ...]) -> str:
    return "none" if not callback else f"{callback[0][0]}({', '.join(callback[0][1])})"
