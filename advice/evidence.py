"""What runs of several choices under common seeds say about the best of them.

Each pair of choices is compared seed by seed, so that what a seed does to both of them alike counts for nothing. The
posterior of a mean difference is Student's t; few runs borrow their spread from the other pairs (empirical Bayes).
Sums over pairs (Bonferroni) make the confidence a lower bound.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scipy.stats import t as student

BORROWED = 3
"""As many degrees of freedom has the spread that is borrowed from other pairs."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean of `runs` values; `error` is its standard error, with `degrees` of freedom of Student's t."""

    mean: float
    error: float
    degrees: int
    runs: int

    def below(self, bound: float) -> float:
        """The probability that the true mean is below `bound`."""
        if self.error == 0:
            return float(self.mean < bound)
        return float(student.cdf((bound - self.mean) / self.error, self.degrees))

    def interval(self, probability: float = 0.95) -> tuple[float, float]:
        """Where the true mean lies with this probability."""
        half = self.error * float(student.ppf((1 + probability) / 2, self.degrees))
        return self.mean - half, self.mean + half


@dataclass(frozen=True, slots=True)
class Evidence:
    """`best` by its mean; of each other choice how much more it costs; `zone` is what counts as no difference.

    `losses`: for each other choice, how likely it is better than `best` by more than `zone`.
    """

    best: int
    mean: float
    zone: float
    differences: Mapping[int, Estimate]
    losses: Mapping[int, float]

    @property
    def confidence(self) -> float:
        """At least so likely no choice is better than `best` by more than `zone`."""
        return max(0.0, 1 - math.fsum(self.losses.values()))

    @property
    def runner_up(self) -> int | None:
        """The next best by its mean; None if there is one choice."""
        return min(self.differences, key=lambda i: (self.differences[i].mean, i), default=None)


def weigh(values: Mapping[int, Sequence[float]], indifference: float) -> Evidence:
    """The evidence in the values of each choice, seed by seed, two or more each; a choice may have fewer than others.

    `indifference`: the zone as a share of the best mean. Raises ValueError for fewer than two values.
    """
    if min(map(len, values.values())) < 2:
        raise ValueError("every choice needs two runs or more")
    most = max(map(len, values.values()))
    full = [i for i, found in values.items() if len(found) == most]
    best = min(full, key=lambda i: (statistics.fmean(values[i]), i))
    mean = statistics.fmean(values[best])
    zone = indifference * abs(mean)
    raw = {i: [a - b for a, b in zip(found, values[best], strict=False)] for i, found in values.items() if i != best}
    borrowed = statistics.median(map(statistics.variance, raw.values())) if raw else 0.0
    lent = BORROWED if len(raw) > 1 else 0
    differences = {i: estimate(found, borrowed, lent) for i, found in raw.items()}
    losses = {i: found.below(-zone) for i, found in differences.items()}
    return Evidence(best, mean, zone, differences, losses)


def estimate(values: Sequence[float], borrowed: float = 0.0, lent: int = 0) -> Estimate:
    """The mean of two or more values; the variance `borrowed` counts with `lent` degrees of freedom."""
    own = len(values) - 1
    spread = (lent * borrowed + own * statistics.variance(values)) / (lent + own)
    return Estimate(statistics.fmean(values), math.sqrt(spread / len(values)), own + lent, len(values))
