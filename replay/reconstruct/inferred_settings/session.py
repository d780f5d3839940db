"""session.timeout.ms, from the time between a member's last sign of life and its removal.

What the coordinator hears last is a heartbeat, a whole number of intervals after the member joined, or a commit. So of
a member that died, every value fits that puts the last request there; of a static member that closed, whose commit is
the last request, only one.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from groupsim.replay.reconstruct.incarnation import Ending, Incarnation
from groupsim.replay.reconstruct.inferred_settings.candidates import Candidates, Numbers
from groupsim.replay.reconstruct.inferred_settings.evidence import DEFAULT_HEARTBEAT_MS, Evidence, Inference
from groupsim.replay.reconstruct.inferred_settings.silences import Silence, silences_of

_LEAST_MS, _GREATEST_MS = 500, 300_000
_DEFAULT_MS = 45_000
_DEFAULTS = {45_000: 0.55, 10_000: 0.25, 30_000: 0.15, 6_000: 0.05}
"""How common the defaults of Java and librdkafka are, now and before, that of KafkaJS, the least a broker allows."""
_CHOSEN = {6_000: 0.5, 10_000: 0.25, 30_000: 0.1, 45_000: 0.15}
"""The same where the heartbeat interval is not the default: who shortens that wants a short session, too."""
_LEAST_ALLOWED_MS = 6_000
"""group.min.session.timeout.ms, by default; and how many brokers allow less."""
_LESS_ALLOWED = 0.1
_RATIOS = (3, 15)
"""The session is at least 3 intervals (Kafka's documentation), by default 15 (Kafka 3.0) or 3.3 (before)."""
_OTHER_RATIO = 0.03
"""How much rarer other ratios are."""
_CLOSING_MS = 70
"""A consumer's last commit comes at most this long before close() returns; the lines are this far apart at most."""
_LINES_MS = 15
_COMMITS_LAST = 0.98
"""How many consumers commit when they close; the last request of the others is a heartbeat."""
_HEARTBEAT_LAST = 0.6
"""How many members that die sent a heartbeat last, and no commit."""
_LATE_MS, _DRIFT_MS = 40, 6
_HEARD_MS = 100
"""A member that prints a line sent a heartbeat within its interval and this time before."""
_UNLIKELY = 1e-4
_ASSUMED_MS = 6_000
"""What an import assumes of a session where no log shows it."""
UNKNOWN = "is Kafka's default; no log shows it"
_NOT_DEFAULT = "is assumed: the heartbeat interval is not Kafka's default either"


def session_timeout(evidence: Evidence, interval: Inference | None) -> Inference:
    """The likeliest session; a range where several fit. `interval`: the heartbeat interval, if any is known."""
    given = _given_to_import(evidence)
    if given:
        return Inference(max(given), "was given to the import", known=True)
    known_ms = interval.value_ms if interval is not None and interval.known else None
    is_default = interval is None or _fits(interval, DEFAULT_HEARTBEAT_MS)
    found = Candidates(_LEAST_MS, _GREATEST_MS, _DEFAULTS if is_default else _CHOSEN)
    values = found.values.astype(np.float64)
    found.weigh(np.where(values < _LEAST_ALLOWED_MS, np.log(_LESS_ALLOWED), 0.0))
    if interval is not None:
        intervals = interval.open or (interval.value_ms,)
        low, high = _RATIOS
        usual = (values >= low * intervals[0]) & (values <= high * intervals[-1])
        found.weigh(np.where(usual, 0.0, np.log(_OTHER_RATIO)))
        found.weigh(np.where(values <= intervals[0], np.log(_UNLIKELY), 0.0))
    closed = [gap for incarnation in evidence.incarnations for gap in _closed(incarnation)]
    silences = [each for incarnation in evidence.incarnations for each in silences_of(incarnation)]
    if not closed and not silences:
        if is_default:
            return Inference(_DEFAULT_MS, UNKNOWN)
        return Inference(found.best()[0], _NOT_DEFAULT)
    for gap in closed:
        found.weigh(_fit_of_closed(gap, values, known_ms))
    for silence in silences:
        found.weigh(_fit_of_silence(silence, values, known_ms))
    for survived in _survived(evidence.incarnations):
        found.weigh(np.where(values < survived - _CLOSING_MS, np.log(_UNLIKELY), 0.0))
    best, sure = found.best()
    if sure:
        how = "the close of a static member" if closed else "a member's last sign of life"
        return Inference(best, f"fits the time from {how} to its removal", known=True)
    return Inference(
        best, "is the likeliest of the values that fit the silence of a removed member", found.equally_likely()
    )


def _fits(interval: Inference, value_ms: int) -> bool:
    values = interval.open or (interval.value_ms,)
    return values[0] <= 1.05 * value_ms and values[-1] >= 0.95 * value_ms


def _given_to_import(evidence: Evidence) -> list[int]:
    """The session that the import was given. Without it, it dates deaths less than this before, or at a new start."""
    starts = {incarnation.line_times[0] for incarnation in evidence.incarnations if incarnation.line_times}
    return [
        incarnation.expired_ms - incarnation.ends_ms
        for incarnation in evidence.incarnations
        if incarnation.ending == Ending.KILL
        and incarnation.expired_ms is not None
        and incarnation.ends_ms is not None
        and incarnation.expired_ms - incarnation.ends_ms > _ASSUMED_MS
        and incarnation.ends_ms not in starts
    ]


def _closed(incarnation: Incarnation) -> Iterable[int]:
    """From the close of a static member to its removal."""
    if incarnation.ending == Ending.CLOSE and incarnation.expired_ms is not None and incarnation.ends_ms is not None:
        yield incarnation.expired_ms - incarnation.ends_ms


def _survived(incarnations: Iterable[Incarnation]) -> Iterable[int]:
    """How long static members were away without being removed."""
    by_instance: dict[str, list[Incarnation]] = {}
    for incarnation in incarnations:
        if incarnation.instance is not None and incarnation.starts_ms is not None:
            by_instance.setdefault(incarnation.instance, []).append(incarnation)
    for own in by_instance.values():
        for before, after in pairwise(sorted(own, key=lambda each: each.starts_ms or 0)):
            closed = before.ending == Ending.CLOSE and before.expired_ms is None and before.logged
            if closed and before.ends_ms is not None and after.starts_ms is not None:
                yield after.starts_ms - before.ends_ms


def _fit_of_closed(gap_ms: int, values: Numbers, interval_ms: int | None) -> Numbers:
    """By value: the log of how likely it is that a closed static member is removed so long after."""
    last = values - gap_ms
    commit = np.where((last >= -_LINES_MS) & (last <= _CLOSING_MS), _COMMITS_LAST / (_CLOSING_MS + _LINES_MS), 0.0)
    span = (interval_ms or DEFAULT_HEARTBEAT_MS) + _CLOSING_MS
    heartbeat = np.where((last >= -_LINES_MS) & (last <= span), (1 - _COMMITS_LAST) / span, 0.0)
    return np.asarray(np.log(commit + heartbeat + _UNLIKELY / _GREATEST_MS), np.float64)


def _fit_of_silence(silence: Silence, values: Numbers, interval_ms: int | None) -> Numbers:
    """By value: the log of how likely the last request is that it means, against any other time."""
    last = silence.expired_ms - values
    earliest = silence.heard_ms
    if silence.line_ms is not None and interval_ms is not None:
        earliest = max(earliest or 0, silence.line_ms - interval_ms - _HEARD_MS)
    density = np.ones_like(values)
    if silence.joined_ms is not None and interval_ms is not None:
        wait = last - silence.joined_ms
        number = np.maximum(np.ceil((wait - _LATE_MS) / (interval_ms + _DRIFT_MS)), 0)
        width = np.minimum(_LINES_MS + _LATE_MS + _DRIFT_MS * number, interval_ms)
        on_time = wait - number * interval_ms >= -_LINES_MS
        density = 1 - _HEARTBEAT_LAST + _HEARTBEAT_LAST * np.where(on_time, interval_ms / width, 0.0)
    if earliest is not None:
        density = np.where(last < earliest - _LINES_MS, _UNLIKELY, density)
    return np.asarray(np.log(density), np.float64)
