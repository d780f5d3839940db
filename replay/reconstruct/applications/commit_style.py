"""Whether programs commit themselves, from how fast they notice rebalances.

A Java consumer that commits automatically does so before it gives partitions up or joins, and waits for the answer.
That takes as long as any write of the coordinator: as long as the leader waits for SyncGroup's answer after the
coordinator has received its assignment. A consumer that takes part much faster has not committed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from groupsim.events import classic as c
from groupsim.events import client as p
from groupsim.events.base import Recorded, group_of, group_stream
from groupsim.events.types import MemberId
from groupsim.replay.reconstruct.applications.polls import Polls

UNKNOWN = 0.5
_LEAST_WRITE_MS = 4
"""A faster write can't be distinguished from none in logs with milliseconds."""
_LONGEST_WRITE_MS = 50
"""A leader that has the answer later was not waiting for it."""
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


def write_ms(facts: Iterable[Recorded], group: str) -> int | None:
    """A usual write of the coordinator: from receiving an assignment until the leader, if it waits, has the answer."""
    stored: dict[tuple[MemberId | None, int], int] = {}
    found = []
    for fact in facts:
        match fact.event:
            case c.AssignmentStored(generation=generation, leader=leader) if fact.stream == group_stream(group):
                stored[leader, generation] = fact.at_ms
            case p.SyncOk(member=member, generation=generation) if group_of(fact.stream) == group:
                wait_ms = fact.at_ms - stored.get((member, generation), fact.at_ms + 1)
                if 0 <= wait_ms <= _LONGEST_WRITE_MS:
                    found.append(wait_ms)
            case _:
                pass
    return round(median(found)) if found else None
