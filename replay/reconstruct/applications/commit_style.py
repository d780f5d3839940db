"""Whether programs commit themselves, from how fast they notice rebalances.

A Java consumer that commits automatically does so before it gives partitions up or joins, and waits for the answer.
That takes as long as any write of the coordinator: as long as the leader waits for SyncGroup's answer after the
coordinator has received its assignment. A consumer that takes part much faster has not committed.
"""

from __future__ import annotations

from collections.abc import Sequence

from groupsim.replay.reconstruct.applications.polls import Polls

UNKNOWN = 0.5
_LEAST_WRITE_MS = 4
"""A faster write can't be distinguished from none in logs with milliseconds."""
_INSIDE_POLL_MS = 100
_FAST = {True: 0.5, False: 0.05}
"""How often a program that is not busy takes part in less than half of such a write: it commits itself, or not."""


def commits_itself(polls: Sequence[Polls], write_ms: int | None) -> float:
    """How likely the programs of a group commit themselves, by waits of all; `write_ms`: a write of the coordinator."""
    if write_ms is None or write_ms < _LEAST_WRITE_MS:
        return UNKNOWN
    waits = [wait.wait_ms for each in polls if each.commits_first for wait in each.waits if not wait.answered]
    own = automatic = 1.0
    for wait_ms in waits:
        if wait_ms <= _INSIDE_POLL_MS:
            fast = wait_ms < write_ms / 2
            own *= _FAST[True] if fast else 1 - _FAST[True]
            automatic *= _FAST[False] if fast else 1 - _FAST[False]
    return own / (own + automatic)
