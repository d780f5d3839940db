"""What the values of several seeds say: the interval of their median, whether they have two humps, a histogram.

Pure functions of numbers; order does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median
from typing import NamedTuple

CONFIDENCE = Fraction(95, 100)
FEWEST = 6
"""With fewer values no interval has this confidence: five fall on one side of the median by chance once in 16 times."""
_BLOCKS = "▁▂▃▄▅▆▇█"


class Mode(NamedTuple):
    """One hump of the values: its median, the share (0-1) of the values in it, its least and greatest value."""

    median: float
    share: float
    least: float
    most: float


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """Two of the values between which the true median lies with a probability of `CONFIDENCE`, whatever the shape.

    By order statistics: each value lies below the true median with probability 1/2. With fewer than `FEWEST` values
    they are their least and greatest, with less confidence. Raises ValueError without values.
    """
    ordered = sorted(values)
    if not ordered:
        raise ValueError("no values")
    rank, below, possible = 0, 1, 2 ** len(ordered)  # whole numbers: of many values they are beyond any float
    while below <= possible * (1 - CONFIDENCE) / 2:
        rank += 1
        below += math.comb(len(ordered), rank)
    place = max(0, rank - 1)
    return ordered[place], ordered[-1 - place]


def narrow(values: Sequence[float], share: float, least: float) -> bool:
    """Whether the interval of the median reaches at most `share` of the median, or `least`, to each side."""
    low, high = median_interval(values)
    middle = median(values)
    return max(middle - low, high - middle) <= max(share * middle, least)


def modes(values: Sequence[float], least: float = 0) -> list[Mode]:
    """The humps of the values, one or two, from the lowest.

    There are two where the widest gap between neighbours leaves a fifth of the values, and at least three, on each
    side, is wider than either side, and wider than `least` and than a fifth of the median.
    """
    ordered = sorted(values)
    if not ordered:
        return []
    enough = max(3, math.ceil(len(ordered) / 5))
    places = range(enough, len(ordered) - enough + 1)
    place = max(places, key=lambda n: ordered[n] - ordered[n - 1], default=0)
    if place:
        low, high = ordered[:place], ordered[place:]
        gap = high[0] - low[-1]
        if gap > max(low[-1] - low[0], high[-1] - high[0], least, median(ordered) / 5):
            return [_mode(low, len(ordered)), _mode(high, len(ordered))]
    return [_mode(ordered, len(ordered))]


def _mode(values: Sequence[float], of: int) -> Mode:
    return Mode(median(values), round(len(values) / of, 4), values[0], values[-1])


def histogram(values: Sequence[float], width: int = 12) -> str:
    """The values from the least to the greatest, in `width` columns of one character; a space where there is none."""
    least, most = min(values), max(values)
    counts = [0] * width
    for value in values:
        counts[min(width - 1, int((value - least) * width / (most - least)) if most > least else 0)] += 1
    return "".join(" " if not count else _BLOCKS[math.ceil(count * len(_BLOCKS) / max(counts)) - 1] for count in counts)


@dataclass(frozen=True, slots=True)
class Sampling:
    """How many seeds: from `first` on, in steps, until the medians are stable, at most `most`; `begin` is the first."""

    first: int
    most: int
    begin: int = 0
    step: int = 5


def batches(seeds: range | Sampling) -> list[range]:
    """The seeds in the order in which they are added."""
    if isinstance(seeds, range):
        return [seeds]
    ends = [*range(seeds.first, seeds.most, seeds.step), seeds.most]
    starts = [0, *ends[:-1]]
    return [range(seeds.begin + a, seeds.begin + b) for a, b in zip(starts, ends, strict=True)]
