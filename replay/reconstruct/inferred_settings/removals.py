"""Removals: how well a session and a heartbeat interval fit the time from a member's last request to its removal.

What the coordinator hears last is a heartbeat, a whole number of intervals after the member joined, or a commit. So of
a member that died, every session fits that puts the last request there; of a static member that closed, whose commit is
the last request, only one. Sessions are rows of one number each here, intervals are columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from groupsim.replay.reconstruct.incarnation import Ending, Incarnation, StallKind
from groupsim.replay.reconstruct.inferred_settings.candidates import Numbers
from groupsim.replay.reconstruct.inferred_settings.lateness import DRIFTS, EARLY_MS, density

_COMMITS_LAST = 0.98
"""How many consumers commit when they close; the last request of the others is a heartbeat."""
_CLOSING_MS = 15
"""A consumer commits this long, usually, before or after the line that says that it closes."""
_COMMIT_INTERVAL_MS = 5_000
"""auto.commit.interval.ms, by default."""
_COMMITS = 0.3
"""How many groups commit much more often than that."""
_HEARD_MS = 100
"""A member that prints a line sent a heartbeat within its interval and this time before."""
_UNLIKELY = 1e-4
_LONGER_MS = tuple(longer for drift in DRIFTS[:2] for longer in drift.longer_ms)


class Silence(NamedTuple):
    """A member was removed at `expired_ms`: when it last joined before, when the coordinator surely heard it, when it
    printed its last line, and when it was surely dead, because its successor ran; None: not known. `settled_ms`: how
    long after it joined it had its assignment.
    """

    expired_ms: int
    joined_ms: int | None
    heard_ms: int | None
    line_ms: int | None
    dead_ms: int | None = None
    settled_ms: int = 0


def silences_of(incarnation: Incarnation, others: Sequence[Incarnation]) -> Iterable[Silence]:
    """Its removals after a silence. `others`: all incarnations of the group."""
    ends: list[tuple[int | None, int | None]] = [
        (s.expired_ms, None) for s in incarnation.stalls if s.kind == StallKind.FROZEN
    ]
    if incarnation.ending == Ending.KILL:
        ends.append((incarnation.expired_ms, _successor_ms(incarnation, others)))
    for expired, dead in ends:
        if expired is not None:
            joined = _last([*incarnation.joins_answered, *incarnation.beats_from], expired)
            heard = _last([joined, *incarnation.joins_sent, incarnation.added_ms, incarnation.starts_ms], expired)
            synced = _last(incarnation.syncs_answered, expired)
            settled = 0 if joined is None or synced is None else max(0, synced - joined)
            line = _last(incarnation.line_times, expired)
            yield Silence(expired, joined, heard, line, None if dead is None or dead >= expired else dead, settled)


def _successor_ms(incarnation: Incarnation, others: Sequence[Incarnation]) -> int | None:
    """When the next process of the same client began; None where several of this client run at once."""
    if not incarnation.line_times:
        return None
    same = [o for o in others if o is not incarnation and o.client == incarnation.client and o.line_times]
    later = [o.line_times[0] for o in same if o.line_times[0] > incarnation.line_times[-1]]
    earlier = [o for o in same if o.line_times[-1] < incarnation.line_times[0]]
    return min(later) if later and len(later) + len(earlier) == len(same) else None


def _last(times: Iterable[int | None], before: int) -> int | None:
    return max((at for at in times if at is not None and at < before), default=None)


class Removals(NamedTuple):
    """What the logs show of a group's silent members.

    `closed_ms`: from the close of each static member to its removal. `survived_ms`: how long static members were away
    without being removed.
    """

    silences: Sequence[Silence]
    closed_ms: Sequence[int]
    survived_ms: Sequence[int]

    @property
    def any(self) -> bool:
        """Whether there is a removal."""
        return bool(self.silences or self.closed_ms)


def removals_of(incarnations: Sequence[Incarnation]) -> Removals:
    """Those of all members."""
    return Removals(
        [silence for incarnation in incarnations for silence in silences_of(incarnation, incarnations)],
        [
            incarnation.expired_ms - incarnation.ends_ms
            for incarnation in incarnations
            if incarnation.ending == Ending.CLOSE
            and incarnation.expired_ms is not None
            and incarnation.ends_ms is not None
        ],
        list(_survived(incarnations)),
    )


def _survived(incarnations: Iterable[Incarnation]) -> Iterable[int]:
    by_instance: dict[str, list[Incarnation]] = {}
    for incarnation in incarnations:
        if incarnation.instance is not None and incarnation.starts_ms is not None:
            by_instance.setdefault(incarnation.instance, []).append(incarnation)
    for own in by_instance.values():
        for before, after in pairwise(sorted(own, key=lambda each: each.starts_ms or 0)):
            closed = before.ending == Ending.CLOSE and before.expired_ms is None and before.logged
            if closed and before.ends_ms is not None and after.starts_ms is not None:
                yield after.starts_ms - before.ends_ms


def fit_of_session(removals: Removals, sessions: Numbers) -> Numbers:
    """By session: the log of how well it fits what does not depend on the heartbeat interval."""
    fits = np.zeros_like(sessions)
    for survived in removals.survived_ms:
        fits += np.where(sessions < survived - EARLY_MS, np.log(_UNLIKELY), 0.0)
    for silence in removals.silences:
        last = silence.expired_ms - sessions
        if silence.heard_ms is not None:
            fits += np.where(last < silence.heard_ms - EARLY_MS, np.log(_UNLIKELY), 0.0)
        if silence.dead_ms is not None:
            fits += np.where(last > silence.dead_ms + EARLY_MS, np.log(_UNLIKELY), 0.0)
    return fits


def fit_of_both(removals: Removals, sessions: Numbers, intervals: Numbers, widths: tuple[Numbers, Numbers]) -> Numbers:
    """By interval (rows) and session (columns): the log of how well both fit each removal.

    `widths`: for how many ms each session and each interval stands.
    """
    every, session = intervals[:, None], sessions[None, :]
    wide = widths[0][None, :], widths[1][:, None]
    of_closed = np.zeros((len(intervals), len(sessions)))
    for gap in removals.closed_ms:
        of_closed += np.log(_closed(gap, session, every))
    heartbeat_last = _heartbeat_last(every)
    usual, often = np.log(1 - _COMMITS) + of_closed, np.log(_COMMITS) + of_closed
    for silence in removals.silences:
        on_time, possible = _on_time(silence, session, every, wide), _heard(silence, session, every)
        usual = usual + np.log(possible * (1 - heartbeat_last + heartbeat_last * on_time) + _UNLIKELY)
        often = often + np.log(possible * (0.95 + 0.05 * on_time) + _UNLIKELY)
    return np.asarray(np.logaddexp(usual, often), np.float64)


def _closed(gap_ms: int, sessions: Numbers, intervals: Numbers) -> Numbers:
    """How likely it is that a closed static member is removed so long after."""
    before = sessions - gap_ms
    """How long before the line that says that it closes the last request came."""
    commit = np.exp(-np.abs(before) / _CLOSING_MS) / (2 * _CLOSING_MS) * 0.9 + 0.05 * density(np.abs(before))
    heartbeat = np.where((before >= -EARLY_MS) & (before <= intervals + _HEARD_MS), 1 / (intervals + _HEARD_MS), 0.0)
    return np.asarray(_COMMITS_LAST * commit + (1 - _COMMITS_LAST) * heartbeat + _UNLIKELY / gap_ms, np.float64)


def _heartbeat_last(intervals: Numbers) -> Numbers:
    """How many members that die at any time sent a heartbeat last, and no commit."""
    shorter, longer = np.minimum(intervals, _COMMIT_INTERVAL_MS), np.maximum(intervals, _COMMIT_INTERVAL_MS)
    share = shorter / (2 * longer)
    return np.asarray(np.where(intervals <= _COMMIT_INTERVAL_MS, 1 - share, share), np.float64)


def _on_time(silence: Silence, sessions: Numbers, intervals: Numbers, widths: tuple[Numbers, Numbers]) -> Numbers:
    """How likely the last request's time is for a heartbeat, against any other time."""
    if silence.joined_ms is None:
        return np.ones((1, 1))
    since_join = silence.expired_ms - sessions - silence.joined_ms
    fits = []
    for lasts in (intervals + longer for longer in _LONGER_MS):
        number = np.maximum(np.floor((since_join + EARLY_MS) / lasts), 0)
        # the broker counts from the assignment, too (Kafka: GroupMetadataManager.propagateAssignment)
        late = since_join - number * lasts - np.where(number == 0, silence.settled_ms / 2, 0)
        width = widths[0] + number * widths[1] + np.where(number == 0, silence.settled_ms, 0)
        fits.append(density(late, width) * intervals)
    return np.asarray(sum(fits), np.float64) / len(fits)


def _heard(silence: Silence, sessions: Numbers, intervals: Numbers) -> Numbers:
    """1 where a member that was alive at its last line sent a heartbeat soon enough before, else 0."""
    if silence.line_ms is None:
        return np.ones((1, 1))
    return np.where(silence.expired_ms - sessions >= silence.line_ms - intervals - _HEARD_MS, 1.0, 0.0)
