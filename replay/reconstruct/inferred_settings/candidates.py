"""Candidates: every value that a timeout may have, each with how likely it is, before and after looking at the logs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from groupsim.replay.reconstruct.inferred_settings.evidence import Open

Numbers = NDArray[np.float64]
_STEP = 1.004
"""Two candidates in a row differ by at most this factor."""
_ANY, _ROUND, _OFTEN = 0.25, 0.45, 0.3
"""How many groups have any value, a round one, one that is a library's default."""
_ROUND_MS = {5_000: 0.25, 1_000: 0.4, 500: 0.2, 100: 0.15}
"""The values that are multiples of these, and their share among round values."""
_SAME = 0.04
"""Values that differ by at most this share are one."""
_SURE = 0.9
_TAIL = 0.04
"""Values as unlikely as this, at either end, are left out."""
_EQUALLY_LIKELY = 40


class Candidates:
    """Values of a timeout in ms, from `least` to `greatest`. `often`: defaults of libraries, and how common each is.

    No value is left out: those that people choose are more likely than others, and what the logs show decides.
    """

    def __init__(self, least: int, greatest: int, often: Mapping[int, float]) -> None:
        steps = np.arange(np.log(greatest / least) / np.log(_STEP) + 1)
        anything = np.round(least * _STEP**steps).astype(np.int64)
        rounded = np.arange(-(-least // 100) * 100, greatest + 1, 100)
        self.values: NDArray[np.int64] = np.unique(np.concatenate([anything, rounded, np.array(list(often), np.int64)]))
        self._log_prior = np.log(self._prior(often))
        self._log_fit = np.zeros(len(self.values))
        self.observations = 0

    def _prior(self, often: Mapping[int, float]) -> Numbers:
        values = self.values.astype(np.float64)
        prior = _ANY * np.gradient(np.log(values)) / np.log(values[-1] / values[0])
        for unit, share in _ROUND_MS.items():
            multiples = np.where(self.values % unit == 0, 1 / values, 0.0)
            prior = prior + _ROUND * share * multiples / multiples.sum()
        total = sum(often.values())
        for value, weight in often.items():
            prior[self.values == value] += _OFTEN * weight / total
        return np.asarray(prior, np.float64)

    def weigh(self, log_fit: Numbers) -> None:
        """Take an observation into account: by value, the log of how likely it is with it."""
        self._log_fit = self._log_fit + log_fit

    @property
    def weights(self) -> Numbers:
        """How likely each value is; together 1."""
        log_weights = self._log_prior + self._log_fit
        weights = np.exp(log_weights - log_weights.max())
        return np.asarray(weights / weights.sum(), np.float64)

    def best(self) -> tuple[int, bool]:
        """The likeliest value, and whether hardly any other fits."""
        weights = self.weights
        best = int(self.values[int(np.argmax(weights))])
        near = np.abs(self.values - best) <= _SAME * best
        return best, float(weights[near].sum()) >= _SURE

    def equally_likely(self) -> Open:
        """Values that fit, ascending: the least, the greatest and some between, each as likely as the others."""
        total = np.cumsum(self.weights)
        found = np.searchsorted(total, np.linspace(_TAIL, 1 - _TAIL, _EQUALLY_LIKELY))
        return tuple(int(value) for value in self.values[np.minimum(found, len(self.values) - 1)])
