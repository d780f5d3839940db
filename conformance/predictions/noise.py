"""The noise floor: how far real repetitions are from each other, and single seeds from the median of the seeds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from groupsim.conformance.predictions.results import AskedRun, Setting
from groupsim.conformance.predictions.score import clearly_differ, overlap, quantile


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Median and 90th percentile of a distance, as a share of what is compared with, over `number` comparisons."""

    number: int
    median: float | None
    p90: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseFloor:
    """`repetitions`: a real run against the median of the others under the same choice. `seeds`: a seed of an answer.

    `clear`, `overlapping`: unordered pairs of choices whose real medians differ, by whether their repetitions overlap.
    """

    repetitions: Noise
    seeds: Noise
    clear: int
    overlapping: int


def noise_floor(setting: Setting, asked: Iterable[AskedRun], families: Sequence[str] | None = None) -> NoiseFloor:
    """The noise floor of a scoring, or of some of its families."""
    by_choice = [setting.truths[family] for family in (setting.truths if families is None else families)]
    real = [
        _distance(value, [*values[:number], *values[number + 1 :]])
        for choices in by_choice
        for values in (list(runs.values()) for runs in choices.values())
        if len(values) > 1
        for number, value in enumerate(values)
    ]
    seeds = [
        _distance(value, answer.ms)
        for run in asked
        if families is None or run.family in families
        for answer in (run.baseline, *run.answers)
        for value in answer.ms
    ]
    differing = [
        (runs_of_choice, other)
        for choices in by_choice
        for number, runs_of_choice in enumerate(list(runs.values()) for runs in choices.values())
        for other in [list(runs.values()) for runs in choices.values()][:number]
        if clearly_differ(runs_of_choice, other)
    ]
    overlapping = sum(overlap(runs_of_choice, other) for runs_of_choice, other in differing)
    return NoiseFloor(
        repetitions=_noise(real), seeds=_noise(seeds), clear=len(differing) - overlapping, overlapping=overlapping
    )


def _distance(value: int, others: Sequence[int]) -> float:
    typical = median(others)
    return abs(value - typical) / max(1, typical)


def _noise(distances: Sequence[float]) -> Noise:
    middle = median(distances) if distances else None
    return Noise(number=len(distances), median=middle, p90=quantile(distances, 0.9))
