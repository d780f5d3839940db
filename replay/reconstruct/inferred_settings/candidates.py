"""Candidates: every value that a timeout may have, each with how likely it is, before and after looking at the logs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from groupsim.replay.reconstruct.inferred_settings.evidence import Open

Numbers = NDArray[np.float64]
_ROUND_MS = {5_000: 0.15, 1_000: 0.4, 500: 0.3, 100: 0.15}
"""The values that are multiples of these, and their share among round values."""
_SAME = 0.04
"""Values that differ by at most this share are one."""
_SURE = 0.9
_EQUALLY_LIKELY = 40


def values_between(least: int, greatest: int, step: float, named: Mapping[int, float]) -> Numbers:
    """Values in ms, ascending: two in a row differ by at most the factor `step`; round and `named` ones are exact."""
    steps = np.arange(np.log(greatest / least) / np.log(step) + 1)
    anything = np.round(least * step**steps)
    rounded = np.arange(-(-least // 100) * 100, greatest + 1, 100, dtype=np.float64)
    return np.unique(np.concatenate([anything, rounded, np.array(list(named), np.float64)]))


def width_ms(values: Numbers) -> Numbers:
    """How many ms each value stands for: a round one for itself."""
    return np.asarray(
        np.where(values % 100 == 0, 1.0, np.gradient(values)) if len(values) > 1 else values * 0, np.float64
    )


def any_value(values: Numbers) -> Numbers:
    """How likely each value is where all orders of magnitude are alike; together 1."""
    return np.asarray(np.gradient(np.log(values)) / np.log(values[-1] / values[0]), np.float64)


def round_value(values: Numbers) -> Numbers:
    """How likely each value is where somebody chose a round number; together 1."""
    likely = np.zeros_like(values)
    for unit, share in _ROUND_MS.items():
        multiples = np.where(values % unit == 0, 1 / values, 0.0)
        likely = likely + share * multiples / multiples.sum()
    return np.asarray(likely, np.float64)


def one_of(values: Numbers, named: Mapping[int, float]) -> Numbers:
    """How likely each value is where it is one of `named`, by how common these are; together 1."""
    total = sum(named.values())
    return np.asarray(sum(np.where(values == value, weight / total, 0.0) for value, weight in named.items()))


class Candidates:
    """Values in ms and how likely they are: `weights`, and `unprejudiced` if no value were usual.

    What the logs show is what both agree in.
    """

    def __init__(self, values: Numbers, weights: Numbers, unprejudiced: Numbers) -> None:
        self.values = values
        self.weights = np.asarray(weights / weights.sum(), np.float64)
        self.unprejudiced = np.asarray(unprejudiced / unprejudiced.sum(), np.float64)

    @property
    def best(self) -> int:
        """The likeliest value."""
        return int(self.values[int(np.argmax(self.weights))])

    @property
    def sure(self) -> bool:
        """Whether hardly any other value fits, also if the likeliest one were not usual."""
        near = np.abs(self.values - self.best) <= _SAME * self.best
        return bool(self.weights[near].sum() >= _SURE and self.unprejudiced[near].sum() >= _SURE)

    def equally_likely(self) -> Open:
        """Values that fit, ascending: the least, the greatest and some between, each as likely as the others."""
        middles = (np.arange(_EQUALLY_LIKELY) + 0.5) / _EQUALLY_LIKELY
        found = np.searchsorted(np.cumsum(self.weights), middles)
        return tuple(int(value) for value in self.values[np.minimum(found, len(self.values) - 1)])
