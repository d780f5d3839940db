"""How late timers are: the density of the time from when a heartbeat is due until a log shows it.

A timer is never early; a line may be, by the little that it comes before what it describes. Each interval is a little
too long (`Drift`), and any single heartbeat may be late: by some ms usually, by a thousand times as much if a
collection of garbage, a swapped page or another process comes in between.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groupsim.replay.reconstruct.inferred_settings.candidates import Numbers

EARLY_MS = 15
"""A line may come this long before what it describes."""
_EARLIEST_MS, _LATEST_MS = -200, 10_000
_EARLY = ((0.10, 4.0), (0.02, 40.0))
_LATE = ((0.72, 8.0), (0.13, 50.0), (0.03, 300.0))
"""Shares and means in ms of exponential distributions before and after the time that is due."""


class Drift(NamedTuple):
    """By how many ms every interval of a client may be too long (equally likely each), and how many groups are so."""

    share: float
    longer_ms: tuple[int, ...]


DRIFTS = (Drift(0.5, (0, 1, 3)), Drift(0.25, (3, 8, 20)), Drift(0.25, (10, 30, 50, 70, 100)))
"""Idle; on busy machines; with a program that works between polls (Kafka: HeartbeatThread sleeps for retry.backoff.ms
at a time then)."""


def _table() -> Numbers:
    early = -np.arange(_EARLIEST_MS, 0, dtype=np.float64)
    late = np.arange(0, _LATEST_MS, dtype=np.float64)
    before = sum(share / mean * np.exp(-early / mean) for share, mean in _EARLY)
    after = sum(share / mean * np.exp(-late / mean) for share, mean in _LATE)
    return np.concatenate([np.asarray(before), np.asarray(after)])


_UP_TO = np.concatenate([np.zeros(1), np.cumsum(_table())])


def density(late_ms: Numbers, width_ms: Numbers | float = 1.0) -> Numbers:
    """Per ms: how likely it is that something comes so long after it was due; the mean over `width_ms` around that."""
    half = np.maximum(width_ms, 1.0) / 2
    first, last = _index(late_ms - half), _index(late_ms + half)
    last = np.maximum(last, first + 1)
    return np.asarray((_UP_TO[last] - _UP_TO[first]) / (last - first), np.float64)


def _index(late_ms: Numbers) -> NDArray[np.int64]:
    return np.clip(np.rint(late_ms).astype(np.int64) - _EARLIEST_MS, 0, len(_UP_TO) - 2)
