"""What runs of several choices under common seeds say about the best of them.

Each pair of choices is compared seed by seed, so that what a seed does to both of them alike counts for nothing. Two
probabilities are known of a mean difference: what is likely after so many runs (Student's t), and a bound that holds
however often one looks and whatever makes one stop (a t-test by a mixture of effects: Lai, On Confidence Sequences,
1976; Wang and Ramdas, Anytime-valid t-tests and confidence sequences, 2025). Probabilities of pairs are added up
(Bonferroni). Few runs borrow their spread from the other pairs, where that makes it larger. Runs that show no
difference do not where the best costs nothing: it has no zone, and any spread would leave a doubt for ever.

Runs that all show the same difference do not prove that it is always so: what comes once in five runs is not seen in
five runs one time in three. Of such values it is believed, half and half, that they never differ (the settings do not
matter), or that something else comes with a probability of which nothing is known, to either side alike, and changes a
value by as much as values are large at all. What is left of the second after some runs is Laplace's rule of succession
(Zabell 1989; the rule of three is the same without the first half: Hanley and Lippman-Hand 1983).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from scipy.special import stdtr, stdtrit

BORROWED = 3
"""As many degrees of freedom has the spread that is borrowed from other pairs."""
EFFECT = 1.0
"""The mixture's effects have about this size, squared and in units of the spread; any value keeps the bound."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean of `runs` values; `error` is its standard error, with `degrees` of freedom of Student's t.

    `unseen`: by how much something that no run has shown may change a value; it counts where all values are equal.
    """

    mean: float
    error: float
    degrees: int
    runs: int
    unseen: float = 0.0

    def below(self, bound: float) -> float:
        """The probability that the true mean is below `bound`."""
        if self.error == 0:
            other = self._beyond(bound)
            return 1 - other if self.mean < bound else other
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

    def _beyond(self, bound: float) -> float:
        """How likely the true mean is on the other side of `bound`, although all values were equal."""
        if not self.unseen:
            return 0.0
        often = min(1.0, abs(self.mean - bound) / self.unseen)
        return (1 - often) ** (self.runs + 1) / (self.runs + 2) / 2

    def turned(self) -> Estimate:
        """The estimate of the same values with the other sign."""
        return replace(self, mean=-self.mean)

    def interval(self, probability: float = 0.95) -> tuple[float, float]:
        """Where the true mean lies with this probability."""
        if self.error == 0:
            often = 1 - min(1.0, (1 - probability) * (self.runs + 2)) ** (1 / (self.runs + 1))
            return self.mean - often * self.unseen, self.mean + often * self.unseen
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


def weigh(values: Mapping[int, Sequence[float]], indifference: float, chosen: int | None = None) -> Evidence:
    """The evidence in the values of each choice, seed by seed, two or more each; a choice may have fewer than others.

    `indifference`: the zone as a share of the best mean. `chosen`: is to be taken for the best, whatever its mean.
    Raises ValueError for fewer than two values.
    """
    if min(map(len, values.values())) < 2:
        raise ValueError("every choice needs two runs or more")
    most = max(map(len, values.values()))
    full = [i for i, costs in values.items() if len(costs) == most]
    first = min(full, key=lambda i: (statistics.fmean(values[i]), i))
    best = min(values, key=lambda i: (statistics.fmean(_apart(values[i], values[first])), i != first, i))
    zone = indifference * abs(statistics.fmean(values[best]))
    best = best if chosen is None else chosen
    mean = statistics.fmean(values[best])
    raw = {i: _apart(costs, values[best]) for i, costs in values.items() if i != best}
    borrowed = statistics.median(map(statistics.variance, raw.values())) if raw else 0.0
    lent = BORROWED if len(raw) > 1 else 0
    unseen = reach(values.values())
    lent_to = {i: borrowed if zone or any(apart) else 0.0 for i, apart in raw.items()}
    differences = {i: estimate(apart, lent_to[i], lent, unseen) for i, apart in raw.items()}
    losses = {i: difference.doubt(-zone) for i, difference in differences.items()}
    return Evidence(best, mean, zone, differences, losses)


def _apart(one: Sequence[float], other: Sequence[float]) -> list[float]:
    """Differences of two choices, seed by seed, as far as both have been run."""
    return [a - b for a, b in zip(one, other, strict=False)]


def reach(values: Iterable[Sequence[float]]) -> float:
    """How far apart nothing and all values of some choices are: as much as something unseen may change one of them."""
    ends = [(min(found), max(found)) for found in values]
    return max(0.0, *(high for _, high in ends)) - min(0.0, *(low for low, _ in ends))


def estimate(values: Sequence[float], borrowed: float = 0.0, lent: int = 0, unseen: float = 0.0) -> Estimate:
    """The mean of two or more values; a variance `borrowed` that is larger counts with `lent` degrees of freedom."""
    degrees, spread = len(values) - 1, statistics.variance(values)
    if borrowed > spread:
        spread = (lent * borrowed + degrees * spread) / (lent + degrees)
        degrees += lent
    return Estimate(statistics.fmean(values), math.sqrt(spread / len(values)), degrees, len(values), unseen)
