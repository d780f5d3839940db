"""What runs of several choices under common seeds say about the best of them.

Each pair of choices is compared seed by seed, so that what a seed does to both of them alike counts for nothing. Two
probabilities are known of a mean difference: what is likely after so many runs (Student's t), and a bound that holds
however often one looks and whatever makes one stop (a t-test by a mixture of effects: Lai, On Confidence Sequences,
1976; Wang and Ramdas, Anytime-valid t-tests and confidence sequences, 2025). Probabilities of pairs are added up
(Bonferroni). Few runs borrow their spread from the other pairs, where that makes it larger.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scipy.special import stdtr, stdtrit

BORROWED = 3
"""As many degrees of freedom has the spread that is borrowed from other pairs."""
EFFECT = 1.0
"""The mixture's effects have about this size, squared and in units of the spread; any value keeps the bound."""


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
        return float(stdtr(self.degrees, (bound - self.mean) / self.error))

    def doubt(self, bound: float) -> float:
        """At most so likely the true mean is below `bound`, though one looked again and again until this was small.

        One half over the evidence against it: the likelihood of the values where the mean is away from `bound` by an
        effect drawn from a normal distribution, as a multiple of that where it is `bound` itself.
        """
        likely = self.below(bound)
        if self.error == 0 or self.mean <= bound:
            return likely
        t, spread = (self.mean - bound) / self.error, 1 + self.runs * EFFECT
        nearer = math.log1p(t * t / self.degrees) - math.log1p(t * t / self.degrees / spread)
        return 0.5 * min(1.0, math.exp(0.5 * (math.log(spread) - (self.degrees + 1) * nearer)))

    def turned(self) -> Estimate:
        """The estimate of the same values with the other sign."""
        return replace(self, mean=-self.mean)

    def interval(self, probability: float = 0.95) -> tuple[float, float]:
        """Where the true mean lies with this probability."""
        half = self.error * float(stdtrit(self.degrees, (1 + probability) / 2))
        return self.mean - half, self.mean + half


@dataclass(frozen=True, slots=True)
class Evidence:
    """`best` by its mean; of each other choice how much more it costs; `zone` is what counts as no difference.

    `losses`: for each other choice, at most how likely it is better than `best` by more than `zone`.
    """

    best: int
    mean: float
    zone: float
    differences: Mapping[int, Estimate]
    losses: Mapping[int, float]

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
    first = min(full, key=lambda i: (statistics.fmean(values[i]), i))
    best = min(values, key=lambda i: (statistics.fmean(_apart(values[i], values[first])), i != first, i))
    mean = statistics.fmean(values[best])
    zone = indifference * abs(mean)
    raw = {i: _apart(found, values[best]) for i, found in values.items() if i != best}
    borrowed = statistics.median(map(statistics.variance, raw.values())) if raw else 0.0
    lent = BORROWED if len(raw) > 1 else 0
    differences = {i: estimate(found, borrowed, lent) for i, found in raw.items()}
    losses = {i: found.doubt(-zone) for i, found in differences.items()}
    return Evidence(best, mean, zone, differences, losses)


def _apart(one: Sequence[float], other: Sequence[float]) -> list[float]:
    """Differences of two choices, seed by seed, as far as both have been run."""
    return [a - b for a, b in zip(one, other, strict=False)]


def estimate(values: Sequence[float], borrowed: float = 0.0, lent: int = 0) -> Estimate:
    """The mean of two or more values; a variance `borrowed` that is larger counts with `lent` degrees of freedom."""
    degrees, spread = len(values) - 1, statistics.variance(values)
    if borrowed > spread:
        spread = (lent * borrowed + degrees * spread) / (lent + degrees)
        degrees += lent
    return Estimate(statistics.fmean(values), math.sqrt(spread / len(values)), degrees, len(values))
