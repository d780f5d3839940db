"""heartbeat.interval.ms, from heartbeats that reported a rebalance: when they came, and how soon after it began.

Every candidate is compared with each observation: a heartbeat comes a whole number of intervals after the member
joined, and it reports a rebalance within one interval of its start.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from groupsim.replay.reconstruct.inferred_settings.candidates import Candidates, Numbers
from groupsim.replay.reconstruct.inferred_settings.evidence import DEFAULT_HEARTBEAT_MS, Evidence, Inference
from groupsim.replay.reconstruct.inferred_settings.silences import silences_of
from groupsim.replay.reconstruct.rebalances import Generation

UNKNOWN = "is Kafka's default, or a third of the session; the logs do not show when members sent heartbeats"
_LEAST_MS, _GREATEST_MS = 100, 60_000
_EARLY_MS, _LATE_MS = 20, 60
"""A line may come this long before what it describes, or after it."""
_DRIFTS = {10: 0.5, 25: 0.25, 105: 0.25}
"""By how many ms every interval may be too long, and how many groups are so: idle, on busy machines, with a program
that works between polls (Kafka: HeartbeatThread sleeps for retry.backoff.ms at a time then)."""
_ODD = 0.04
"""How many heartbeats come at another time: because of a pause, a refused commit, a lost request."""
_ODD_MS = 10_000
_COMMITS_LAST = 0.4
"""How many members that die sent a commit last."""
_UNKNOWN_SOURCE = "unknown"
_JOINED_MS = 1_000
"""The answer to SyncGroup comes at most this long after that to JoinGroup, else it is not counted from."""


class _Heartbeat(NamedTuple):
    """How long after joining it came, and how long after the start of the rebalance it reported (None: not known).

    `odd`: how likely it is that this was no heartbeat on time.
    """

    wait_ms: int
    age_ms: int | None
    odd: float = _ODD


def heartbeat_candidates(evidence: Evidence, session_ms: int | None = None) -> Candidates | None:
    """All candidates, compared with every observed heartbeat; None if there are none.

    With `session_ms` the last heartbeats of members that were removed count, too: a session before their removal.
    """
    observed = [
        _Heartbeat(at - since, _age(joined, at, evidence.generations))
        for incarnation in evidence.incarnations
        for joined, at in incarnation.heartbeats
        for since in [_counts_from(joined, incarnation.syncs_answered) if evidence.from_sync else joined]
        if at > since
    ]
    if session_ms is not None:
        observed += _last_heartbeats(evidence, session_ms)
    if not observed:
        return None
    found = Candidates(_LEAST_MS, _GREATEST_MS, {DEFAULT_HEARTBEAT_MS: 1.0})
    intervals = found.values.astype(np.float64)
    fits = [
        np.log(share) + sum(_log_fit(each, intervals, drift_ms) for each in observed)
        for drift_ms, share in _DRIFTS.items()
    ]
    found.weigh(np.logaddexp.reduce(fits))
    found.observations = len(observed)
    return found


def heartbeat_interval(found: Candidates | None) -> Inference | None:
    """The likeliest interval; a range where several fit."""
    if found is None:
        return None
    best, sure = found.best()
    if sure:
        return Inference(
            best, f"is the interval that fits the {found.observations} observed heartbeats best", known=True
        )
    return Inference(best, "is the likeliest of the intervals that fit the observed heartbeats", found.equally_likely())


def _last_heartbeats(evidence: Evidence, session_ms: int) -> list[_Heartbeat]:
    silences = [silence for incarnation in evidence.incarnations for silence in silences_of(incarnation)]
    waits = [s.expired_ms - session_ms - s.joined_ms for s in silences if s.joined_ms is not None]
    return [_Heartbeat(wait, None, _COMMITS_LAST) for wait in waits if wait > _EARLY_MS]


def _counts_from(joined_ms: int, synced: Sequence[int]) -> int:
    return next((at for at in synced if joined_ms <= at <= joined_ms + _JOINED_MS), joined_ms)


def _age(joined_ms: int, heartbeat_ms: int, generations: Sequence[Generation]) -> int | None:
    """How long before the heartbeat the rebalance had begun that it reported; None if no broker's log shows that."""
    began = [
        g.started_ms
        for g in generations
        if g.started_ms is not None and joined_ms < g.started_ms <= heartbeat_ms and g.cause != _UNKNOWN_SOURCE
    ]
    return heartbeat_ms - began[0] if began else None


def beats(waits_ms: Numbers, intervals: Numbers, late_ms: float) -> tuple[Numbers, Numbers]:
    """The number of the heartbeat that comes so long after joining, and how late it is; it is the first that may be."""
    number = np.maximum(np.ceil((waits_ms - _LATE_MS) / (intervals + late_ms)), 1)
    return np.asarray(number, np.float64), np.asarray(waits_ms - number * intervals, np.float64)


def _log_fit(heartbeat: _Heartbeat, intervals: Numbers, late_ms: float) -> Numbers:
    """By interval: the log of the density of this heartbeat's time, if each interval is at most `late_ms` too long."""
    waits = np.full(len(intervals), float(heartbeat.wait_ms))
    number, late = beats(waits, intervals, late_ms)
    latest = _LATE_MS + late_ms * number
    width = np.minimum(latest + _EARLY_MS, intervals)
    fits = (late >= -_EARLY_MS) & (late <= latest)
    density = np.where(fits, (1 - heartbeat.odd) / width, 0.0)
    if heartbeat.age_ms is None:  # any of the heartbeats of this time could have been the one
        density = density * np.minimum(intervals / max(heartbeat.wait_ms, 1), 1.0)
    else:
        density = np.where(heartbeat.age_ms <= intervals + _LATE_MS + late_ms, density, 0.0)
    return np.asarray(np.log(density + heartbeat.odd / _ODD_MS), np.float64)
