"""heartbeat.interval.ms, from heartbeats that reported a rebalance: how long after joining, and after its start.

The heartbeat that reports a rebalance is the first after its start, and a whole number of intervals after joining.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np

from groupsim.incidents.default_settings import HEARTBEAT_MS
from groupsim.replay.reconstruct.inferred_settings.candidates import (
    Numbers,
    any_value,
    one_of,
    round_value,
    values_between,
    width_ms,
)
from groupsim.replay.reconstruct.inferred_settings.evidence import Evidence
from groupsim.replay.reconstruct.inferred_settings.lateness import DRIFTS, EARLY_MS, density
from groupsim.replay.reconstruct.rebalances import Generation

_LEAST_MS, _GREATEST_MS, _STEP = 100, 60_000, 1.002
_DEFAULTS = {HEARTBEAT_MS: 1.0}
_ANY, _ROUND, _OFTEN = 0.3, 0.45, 0.25
"""How many groups have any value, a round one, the default."""
_ODD = 0.01
"""How many heartbeats come at another time: because of a refused commit, a lost request."""
_ODD_MS = 10_000
_STEADY = 0.5
"""In how many groups all members' intervals drift in the same way throughout."""
_UNDATED = ("unknown", "member-gone")
_JOINED_MS = 1_000
"""The answer to SyncGroup comes at most this long after that to JoinGroup, else it is not counted from."""


class ReportingHeartbeat(NamedTuple):
    """A heartbeat that reported a rebalance: how long after joining it came, and how long after joining that began
    (None: not known). `group`: the same for all that joined together and reported the same one.
    """

    wait_ms: int
    began_ms: int | None
    group: tuple[int | None, int | None]


class Intervals(NamedTuple):
    """Every interval in ms and for how many ms it stands; how likely each is at first, and if none were usual; and the
    log of how it fits.
    """

    values: Numbers
    widths: Numbers
    prior: Numbers
    unprejudiced: Numbers
    log_fit: Numbers


def reporting_heartbeats(evidence: Evidence) -> list[ReportingHeartbeat]:
    """All that the logs show."""
    return [
        ReportingHeartbeat(
            at - since, None if began is None else max(0, began - since), (incarnation.generation_at.get(joined), began)
        )
        for incarnation in evidence.incarnations
        for joined, at in incarnation.heartbeats
        for since in [_counts_from(joined, incarnation.syncs_answered) if evidence.from_sync else joined]
        if at > since
        for began in [_began(joined, at, evidence.generations)]
    ]


def intervals(observed: Sequence[ReportingHeartbeat]) -> Intervals:
    """All candidates, compared with every observed heartbeat."""
    values = values_between(_LEAST_MS, _GREATEST_MS, _STEP, _DEFAULTS)
    widths = width_ms(values)
    anything, rounded = any_value(values), round_value(values)
    prior = _ANY * anything + _ROUND * rounded + _OFTEN * one_of(values, _DEFAULTS)
    together: dict[tuple[int | None, int | None], list[ReportingHeartbeat]] = {}
    for each in observed:
        together.setdefault(each.group, []).append(each)
    by_drift = [[_log_fit(same, values, widths, drift.longer_ms) for same in together.values()] for drift in DRIFTS]
    fit = _steady(by_drift, values) if together else np.zeros_like(values)
    return Intervals(values, widths, prior, anything, fit)


def only(value_ms: int) -> Intervals:
    """An interval that is known."""
    one = np.ones(1)
    return Intervals(one * value_ms, one, one, one, 0 * one)


def _counts_from(joined_ms: int, synced: Sequence[int]) -> int:
    return next((at for at in synced if joined_ms <= at <= joined_ms + _JOINED_MS), joined_ms)


def _began(joined_ms: int, heartbeat_ms: int, generations: Sequence[Generation]) -> int | None:
    """When the rebalance had begun that the heartbeat reported; None if no broker's log shows that."""
    began = (
        g.started_ms
        for g in generations
        if g.started_ms is not None and joined_ms < g.started_ms <= heartbeat_ms and g.cause not in _UNDATED
    )
    return next(began, None)


def _steady(by_drift: Sequence[Sequence[Numbers]], values: Numbers) -> Numbers:
    """By interval: the log of how it fits all heartbeats, their drift being of one kind or of another each time."""
    shares = np.log([drift.share for drift in DRIFTS])
    one_kind = [share + sum(fits, np.zeros_like(values)) for share, fits in zip(shares, by_drift, strict=True)]
    any_kind = [
        np.logaddexp.reduce([share + fit for share, fit in zip(shares, fits, strict=True)])
        for fits in zip(*by_drift, strict=True)
    ]
    steady, changes = np.log(_STEADY), np.log(1 - _STEADY)
    both = np.logaddexp(steady + np.logaddexp.reduce(one_kind), changes + sum(any_kind, np.zeros_like(values)))
    return np.asarray(both, np.float64)


def _log_fit(same: Sequence[ReportingHeartbeat], values: Numbers, widths: Numbers, longer_ms: Sequence[int]) -> Numbers:
    """By interval: the log of how likely these heartbeats are, each interval being too long by one of these.

    They reported the same rebalance and came after the same one, so that what made one late made the others late.
    """
    fits = np.zeros((len(longer_ms), len(values)))
    for fit, longer in zip(fits, longer_ms, strict=True):
        for each in same:
            fit += np.log((1 - _ODD) * _fit(each, values + longer, widths) + _ODD / _ODD_MS) / sqrt(len(same))
    return np.asarray(np.logaddexp.reduce(fits) - np.log(len(fits)), np.float64)


def _fit(heartbeat: ReportingHeartbeat, lasts: Numbers, widths: Numbers) -> Numbers:
    """By interval that lasts so long: the density of the heartbeat's time, were it none that is late by accident."""
    if heartbeat.began_ms is None:  # any heartbeat could have been the first that reported it
        number = np.maximum(np.floor((heartbeat.wait_ms + EARLY_MS) / lasts), 1)
        late = density(heartbeat.wait_ms - number * lasts, number * widths)
        return np.asarray(late * np.minimum(lasts / heartbeat.wait_ms, 1))
    # a heartbeat that came at about the time of the start either just reported it, or just did not
    first, second = (np.maximum(np.ceil((heartbeat.began_ms + by) / lasts), 1) for by in (-EARLY_MS, EARLY_MS))
    found = density(heartbeat.wait_ms - first * lasts, first * widths)
    both = first != second
    found[both] += density(heartbeat.wait_ms - second[both] * lasts[both], second[both] * widths[both])
    return np.where(both, found / 2, found)
