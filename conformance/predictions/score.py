"""Pairs of a prediction and the truth, and the figures over them: signs, errors, ranges.

A pair is one run asked for one other choice. It is clear if the real medians of the two choices differ by more than
20 % of the greater one and by more than 500 partition-milliseconds, and no repetition of one choice lies within the
least and the greatest of the other. The sign is scored over clear pairs alone, everything else over all pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from groupsim.conformance.predictions.results import AskedRun, Setting

CLEAR_SHARE, CLEAR_MS = 0.2, 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One prediction and the truth, in partition-milliseconds.

    `given_ms`, `real_ms`: the real repetitions of the choice that was read, and of the one that was asked for.
    `baseline_ms`, `predicted_ms`: simulated as recorded, and with the choice, by seed; empty if refused.
    """

    run: str
    story: str
    family: str
    given: str
    asked: str
    given_ms: tuple[int, ...]
    real_ms: tuple[int, ...]
    baseline_ms: tuple[int, ...]
    predicted_ms: tuple[int, ...]
    misread: tuple[str, ...] = ()

    @property
    def real(self) -> float:
        """The median of the real repetitions of the choice asked for."""
        return median(self.real_ms)

    @property
    def predicted(self) -> float:
        """The median over the seeds."""
        return median(self.predicted_ms)

    @property
    def answered(self) -> bool:
        """Whether the choice was simulated; else it was refused."""
        return bool(self.predicted_ms and self.baseline_ms)

    @property
    def differs(self) -> bool:
        """The real medians differ by more than `CLEAR_SHARE` of the greater one and by more than `CLEAR_MS`."""
        return clearly_differ(self.given_ms, self.real_ms)

    @property
    def clear(self) -> bool:
        """The real medians differ, and the repetitions do not overlap."""
        return self.differs and not overlap(self.given_ms, self.real_ms)

    @property
    def sign_right(self) -> bool:
        """The prediction says better or worse as it really is: asked against baseline, as real against real."""
        really = self.real - median(self.given_ms)
        return (self.predicted - median(self.baseline_ms)) * really > 0

    @property
    def error(self) -> float:
        """The distance of prediction and truth as a share of the truth (of 1 partition-millisecond if that is 0)."""
        return abs(self.predicted - self.real) / max(1, self.real)

    @property
    def inside(self) -> bool:
        """The truth lies between the least and the greatest of the seeds."""
        return min(self.predicted_ms) <= self.real <= max(self.predicted_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Over `pairs` pairs, of which `answered` were answered and `clear` of these are clear.

    Shares are None without pairs to count. `sign_right_overlapping`: the same over all `differing` answered pairs,
    whether their repetitions overlap or not.
    """

    pairs: int
    answered: int
    clear: int
    sign_right: float | None
    differing: int
    sign_right_overlapping: float | None
    median_error: float | None
    p90_error: float | None
    inside: float | None

    def line(self) -> str:
        """`pairs N  sign-right x %  median error y %  p90 z %  inside w %`."""
        return (
            f"pairs {self.pairs}  sign-right {percent(self.sign_right)}  median error {percent(self.median_error)}"
            f"  p90 {percent(self.p90_error)}  inside {percent(self.inside)}"
        )


def pairs(setting: Setting, asked: Iterable[AskedRun]) -> list[Pair]:
    """The pairs of the runs asked, in their order."""
    scored = []
    for run in asked:
        truths = setting.truths[run.family]
        scored += [
            Pair(
                run=run.run,
                story=run.story,
                family=run.family,
                given=run.choice,
                asked=answer.choice,
                given_ms=tuple(truths[run.choice].values()),
                real_ms=tuple(truths[answer.choice].values()),
                baseline_ms=run.baseline.ms,
                predicted_ms=answer.ms,
                misread=run.misread,
            )
            for answer in run.answers
        ]
    return scored


def figures(scored: Sequence[Pair]) -> Figures:
    """The figures over some pairs."""
    answered = [pair for pair in scored if pair.answered]
    clear = [pair for pair in answered if pair.clear]
    differing = [pair for pair in answered if pair.differs]
    errors = [pair.error for pair in answered]
    return Figures(
        pairs=len(scored),
        answered=len(answered),
        clear=len(clear),
        sign_right=share([pair.sign_right for pair in clear]),
        differing=len(differing),
        sign_right_overlapping=share([pair.sign_right for pair in differing]),
        median_error=median(errors) if errors else None,
        p90_error=quantile(errors, 0.9),
        inside=share([pair.inside for pair in answered]),
    )


def clearly_differ(values: Sequence[int], other: Sequence[int]) -> bool:
    """Whether two medians differ by more than 20 % of the greater one and by more than 500 partition-milliseconds."""
    a, b = median(values), median(other)
    return abs(a - b) > max(CLEAR_MS, CLEAR_SHARE * max(a, b))


def overlap(values: Sequence[int], other: Sequence[int]) -> bool:
    """Whether the ranges of two sets of repetitions have a value in common."""
    return min(values) <= max(other) and min(other) <= max(values)


def share(holds: Sequence[bool]) -> float | None:
    """The share that is true; None of nothing."""
    return sum(holds) / len(holds) if holds else None


def quantile(values: Sequence[float], part: float) -> float | None:
    """The smallest value that at least this part of them does not exceed; None of nothing."""
    return sorted(values)[math.ceil(part * len(values)) - 1] if values else None


def percent(part: float | None) -> str:
    """`83 %`; `—` where there is nothing to count."""
    return "—" if part is None else f"{part * 100:,.0f} %"
