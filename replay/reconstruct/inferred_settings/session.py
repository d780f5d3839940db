"""session.timeout.ms and heartbeat.interval.ms together: each says something about the other.

Of every pair it is known how likely it is before looking at the logs, and how well it fits what they show: heartbeats
that reported a rebalance (`heartbeat`) and members that were removed because they were silent (`removals`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groupsim.incidents.default_settings import HEARTBEAT_MS, LEAST_SESSION_MS
from groupsim.replay.reconstruct.inferred_settings.candidates import (
    Candidates,
    Numbers,
    any_value,
    one_of,
    round_value,
    values_between,
    width_ms,
)
from groupsim.replay.reconstruct.inferred_settings.heartbeat import Intervals
from groupsim.replay.reconstruct.inferred_settings.removals import Removals, fit_of_both, fit_of_session

_LEAST_MS, _GREATEST_MS, _STEP = 500, 300_000, 1.004
_DEFAULTS = {45_000: 0.55, 10_000: 0.25, 30_000: 0.15, 6_000: 0.05}
"""How common the defaults of Java and librdkafka are, now and before, that of KafkaJS, the least a broker allows."""
_CHOSEN = {6_000: 0.5, 10_000: 0.25, 30_000: 0.1, 45_000: 0.15}
"""The same where the heartbeat interval is not the default: who shortens that wants a short session, too."""
_ANY, _ROUND, _MULTIPLE, _OFTEN = 0.25, 0.35, 0.2, 0.2
"""How many groups have any session, a round one, some whole intervals, a usual one."""
_LESS_ALLOWED = 0.3
"""How much rarer sessions are that are shorter than a broker allows by default."""
_RATIOS = (3, 15)
"""The session is at least 3 intervals (Kafka's documentation), by default 15 (Kafka 3.0) or 3.3 (before)."""
_OTHER_RATIO = 0.05
"""How much rarer other ratios are."""
_DEFAULT_IS = 0.05
_MOST_INTERVALS, _FEW_INTERVALS = 150, 15
"""So many intervals are compared with all sessions, where there are removals, and where there are none."""
_NEGLIGIBLE = 1e-3
"""Intervals that are together as unlikely as this are left out."""
_FAR = 25.0
"""The log of how much less likely than the likeliest session others are that are left out."""


class Both(NamedTuple):
    """What is known of each."""

    session: Candidates
    heartbeat: Candidates


def both(intervals: Intervals, removals: Removals, session_ms: int | None = None) -> Both:
    """How likely every session and every interval is. `session_ms`: the session, if it is known."""
    sessions = _only(session_ms) if session_ms else _sessions()
    by_heartbeats = Candidates(intervals.values, _weights(intervals, True), _weights(intervals, False))
    intervals = _likely(intervals, _MOST_INTERVALS if removals.any else _FEW_INTERVALS)
    alone = fit_of_session(removals, sessions.values)
    sessions, alone = _kept(sessions, alone > alone.max() - _FAR), alone[alone > alone.max() - _FAR]
    allowed = _allowed(sessions.values, intervals.values)
    prior = allowed if session_ms else _prior(sessions, intervals.values) * allowed
    usual, fair = prior * _weights(intervals, True)[:, None], allowed * _weights(intervals, False)[:, None]
    fit = np.broadcast_to(alone, usual.shape)
    if removals.any:
        fit = fit + fit_of_both(removals, sessions.values, intervals.values, (sessions.widths, intervals.widths))
    fit = np.exp(fit - fit.max())
    usual, fair = usual * fit, fair * fit * sessions.anything
    session = Candidates(sessions.values, usual.sum(axis=0), fair.sum(axis=0))
    if not removals.any:
        return Both(session, by_heartbeats)
    return Both(session, Candidates(intervals.values, usual.sum(axis=1), fair.sum(axis=1)))


class _Sessions(NamedTuple):
    """Every session in ms and for how many ms it stands; how likely each is by how it was chosen."""

    values: Numbers
    widths: Numbers
    anything: Numbers
    rounded: Numbers
    default: Numbers
    chosen: Numbers


def _sessions() -> _Sessions:
    values = values_between(_LEAST_MS, _GREATEST_MS, _STEP, _DEFAULTS)
    named = one_of(values, _DEFAULTS), one_of(values, _CHOSEN)
    return _Sessions(values, width_ms(values), any_value(values), round_value(values), *named)


def _only(session_ms: int) -> _Sessions:
    one = np.ones(1)
    return _Sessions(one * session_ms, one, one, one, one, one)


def _kept(sessions: _Sessions, kept: NDArray[np.bool_]) -> _Sessions:
    return _Sessions(*(each[kept] for each in sessions))


def _weights(intervals: Intervals, usual: bool) -> Numbers:
    """How likely each interval is, by the heartbeats that were seen; together 1."""
    prior = intervals.prior if usual else intervals.unprejudiced
    weights = prior * np.exp(intervals.log_fit - intervals.log_fit.max())
    return np.asarray(weights / weights.sum(), np.float64)


def _likely(intervals: Intervals, most: int) -> Intervals:
    """Without the intervals that hardly fit."""
    usual, fair = _weights(intervals, True), _weights(intervals, False)
    order = np.argsort(-np.maximum(usual, fair), kind="stable")
    total = np.cumsum(usual[order] + fair[order])
    kept = np.sort(order[: min(most, int(np.searchsorted(total, 2 - _NEGLIGIBLE)) + 1)])
    return Intervals(*(each[kept] for each in intervals))


def _prior(sessions: _Sessions, intervals: Numbers) -> Numbers:
    """By interval and session: how likely the session is before looking at the logs, the ratio of both apart."""
    ratio = sessions.values[None, :] / intervals[:, None]
    whole = np.abs(ratio - np.rint(ratio)) * intervals[:, None] < 1
    least, greatest = _RATIOS
    ratios = sum(1 / number for number in range(least, greatest + 1))
    multiple = np.where(whole & (np.rint(ratio) >= least) & (ratio <= greatest + 0.5), 1 / ratio / ratios, 0.0)
    default = np.abs(intervals - HEARTBEAT_MS)[:, None] <= _DEFAULT_IS * HEARTBEAT_MS
    often = np.where(default, sessions.default, sessions.chosen)
    prior = _ANY * sessions.anything + _ROUND * sessions.rounded + _MULTIPLE * multiple + _OFTEN * often
    return np.asarray(prior * np.where(sessions.values < LEAST_SESSION_MS, _LESS_ALLOWED, 1.0), np.float64)


def _allowed(sessions: Numbers, intervals: Numbers) -> Numbers:
    """By interval and session: how common their ratio is."""
    ratio = sessions[None, :] / intervals[:, None]
    least, greatest = _RATIOS
    allowed = np.where(ratio >= least, np.minimum(1.0, (greatest / ratio) ** 2), _OTHER_RATIO)
    return np.asarray(np.where(ratio <= 1, _OTHER_RATIO**3, allowed), np.float64)
