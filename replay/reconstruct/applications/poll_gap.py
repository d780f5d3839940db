"""The poll gap of a program, from how late its process was to notice rebalances.

A program that works a constant time on each batch polls a whole number of gaps after the assignment, so few waits tell
its gap to some milliseconds. Of one whose batches differ, a wait is a random part of a gap. A program that is seldom
busy notices at once, but for a single slow batch. Which of these a program is, the waits of its whole life decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from groupsim.replay.reconstruct.applications.polls import PollWait

Numbers = NDArray[np.float64]
LEAST_MS = 100
"""A shorter gap can't be distinguished from a wait inside poll(), and delays a rebalance by little."""
_SHORTEST_MS, _LONGEST_MS = 50, 300_000
_STEP = 1.004
"""Two gaps in a row differ by this factor."""
_BUSY = 0.5
"""How many programs are busy all the time, before looking at the logs; how many of these for a constant time."""
_CONSTANT = 0.5
_ALIKE = 0.3
"""How many groups run the same busy program in all members, with the same gap."""
_NOTICED_MS, _POLL_MS = 15, 150
"""A program inside poll() notices within so long on average; now and then within a poll's timeout."""
_AT_ONCE, _WITHIN_POLL, _SLOW_BATCH = 0.7, 0.29, 0.01
"""How often a program that is seldom busy notices at once, within a poll, or after a single slow batch."""
_ONE_MORE = 0.1
"""How often a busy program notices one gap later: a commit has to be answered first, and records were there."""
_COMMITS_FIRST = 0.5
"""The same where it commits automatically and keeps its partitions: it works on while the commit is under way."""
_FIRST_RECORDS = ((60, 0.5), (160, 0.5))
"""The first batch comes at most so long after the poll that was seen; how often."""
_EARLY_MS, _WOBBLE_MS = 10, 3
"""A gap is this much longer or shorter than the others."""
_HEARD_STEPS = 9
"""Where it is not known when a program could have noticed, so many times are tried."""
_LIKELY = 40
_TAIL = 0.02
_NEGLIGIBLE = 1e-300

Gaps = tuple[int, ...]
"""Poll gaps in ms, ascending, each as likely as the others; 0: a program that is seldom busy."""


def poll_gaps(waits: Mapping[int, Sequence[PollWait]]) -> dict[int, Gaps]:
    """By member, the gaps that fit its waits. Members may run the same program, so those of the others count, too.

    One that always noticed within a poll's timeout has the gap of the others if all run the same program, else 0.
    """
    if not any(map(_late_at_all, waits.values())):
        return dict.fromkeys(waits, (0,))
    own = {name: _log_fit(each) for name, each in waits.items()}
    together: Numbers = np.sum([np.zeros(len(_GAPS) + 1), *own.values()], axis=0)
    together[0] = -np.inf
    alike = np.log(_ALIKE / _BUSY) + _evidence(together)
    different = np.log(1 - _ALIKE) + sum(_evidence(fit) for fit in own.values())
    share = float(np.exp(alike - np.logaddexp(alike, different)))
    shared, idle = _weights(together), np.eye(1, len(_GAPS) + 1)[0]
    return {
        name: _likely(share * shared + (1 - share) * (_weights(fit) if _late_at_all(waits[name]) else idle))
        for name, fit in own.items()
    }


def _late_at_all(waits: Iterable[PollWait]) -> bool:
    return any(wait.wait_ms - wait.heard_within_ms > _POLL_MS for wait in waits)


_GAPS: Numbers = _SHORTEST_MS * _STEP ** np.arange(np.log(_LONGEST_MS / _SHORTEST_MS) / np.log(_STEP) + 1)
_LOG_PRIOR: Numbers = np.log(np.concatenate([[1 - _BUSY], np.full(len(_GAPS), _BUSY / len(_GAPS))]))


def _log_fit(waits: Iterable[PollWait]) -> Numbers:
    """The log of how likely all waits of one program are: first of one that is seldom busy, then by gap."""
    idle, constant, varied = 0.0, np.zeros(len(_GAPS)), np.zeros(len(_GAPS))
    for wait in waits:
        possible = np.linspace(wait.wait_ms, max(0, wait.wait_ms - wait.heard_within_ms), _HEARD_STEPS)
        times = sorted({round(ms) for ms in possible.tolist()})
        idle += float(np.log(np.mean([_of_idle(ms) for ms in times])))
        slow_batch = _SLOW_BATCH * float(np.mean([_of_slow_batch(ms) for ms in times]))
        late: Numbers = np.mean([_late(ms, _COMMITS_FIRST if wait.commits else _ONE_MORE) for ms in times], axis=0)
        varied += np.log((1 - _SLOW_BATCH) * late / _GAPS + slow_batch)
        whole = late / _GAPS if wait.polled_ms is None else late * _of_whole_gaps(wait.noticed_ms - wait.polled_ms)
        constant += np.log((1 - _SLOW_BATCH) * whole + slow_batch)
    busy = np.logaddexp(np.log(_CONSTANT) + constant, np.log(1 - _CONSTANT) + varied)
    return np.concatenate([[idle], busy])


def _of_idle(wait_ms: int) -> float:
    at_once = _AT_ONCE * np.exp(-wait_ms / _NOTICED_MS) / _NOTICED_MS
    within_poll = _WITHIN_POLL / _POLL_MS if wait_ms <= _POLL_MS else 0.0
    return float(at_once + within_poll + _SLOW_BATCH * _of_slow_batch(wait_ms))


def _of_slow_batch(wait_ms: int) -> float:
    """A single slow batch is equally likely of each order of magnitude."""
    return float(1 / (max(wait_ms, LEAST_MS) * np.log(2 * _LONGEST_MS / LEAST_MS)))


def _late(wait_ms: int, one_more: float) -> Numbers:
    """By gap: how likely a busy program notices so late at all; the density over the gap is the caller's."""
    first, second = wait_ms <= _GAPS + _EARLY_MS, wait_ms <= 2 * _GAPS + _EARLY_MS
    return np.where(first, 1 - one_more, np.where(second, one_more, 0.0))


def _of_whole_gaps(since_ms: int) -> Numbers:
    """By gap: how likely a poll is so long after another that was seen, if all gaps are equal."""
    number = np.floor((since_ms + _EARLY_MS) / _GAPS)
    rest = since_ms - number * _GAPS
    likely = np.full(len(_GAPS), _NEGLIGIBLE)
    for first_ms, share in _FIRST_RECORDS:
        window = first_ms + _WOBBLE_MS * number
        inside = (number >= 1) & ((rest <= window) | (rest >= _GAPS - _EARLY_MS - _WOBBLE_MS * number))
        width = np.minimum(_EARLY_MS + 2 * _WOBBLE_MS * number + first_ms, _GAPS)
        likely += share * inside / width
    return likely


def _evidence(log_fit: Numbers) -> float:
    """The log of how likely the waits are over all programs that there might be."""
    weights = _LOG_PRIOR + log_fit
    most = float(weights.max())
    return most + float(np.log(np.exp(weights - most).sum()))


def _weights(log_fit: Numbers) -> Numbers:
    weights = _LOG_PRIOR + log_fit
    weights = np.exp(weights - weights.max())
    return np.asarray(weights / weights.sum(), np.float64)


def _likely(weights: Numbers) -> Gaps:
    total = np.cumsum(weights)
    found = np.searchsorted(total, np.linspace(_TAIL, 1 - _TAIL, _LIKELY) * total[-1])
    gaps = [0 if where == 0 else round(float(_GAPS[min(where, len(_GAPS)) - 1])) for where in found]
    return tuple(gap if gap >= LEAST_MS else 0 for gap in gaps)
