"""`dated`: the facts of a record, with the deaths that no log shows dated by another session than the import's.

An import dates the death of a silent member one session before its removal. Without a session that the logs or the user
name, it takes the shortest that a broker allows by default: a bound. What a record cost depends on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import msgspec

from groupsim.events.base import Recorded, group_of
from groupsim.events.client import Crashed, Frozen
from groupsim.replay.reconstruct.incarnation import Ending, Incarnation, StallKind
from groupsim.replay.reconstruct.incident import Incident


def dated(facts: Sequence[Recorded], incident: Incident, session_ms: int) -> list[Recorded]:
    """The facts in order, each member that was removed for silence silent from `session_ms` before its removal on.

    Never before its last line that became a fact, nor after its next start.
    """
    known = {
        each.name: (each, None if after is None else after.starts_ms)
        for member in incident.members
        for each, after in zip_longest(member.incarnations, member.incarnations[1:])
        if each.logged
    }
    moved = []
    for fact in facts:
        event = fact.event
        if isinstance(event, Crashed | Frozen) and group_of(fact.stream) == incident.group and event.process in known:
            since_ms = _silent_since(*known[event.process], event, fact.at_ms, session_ms)
            moved.append(msgspec.structs.replace(fact, at_ms=since_ms))
        else:
            moved.append(fact)
    return sorted(moved, key=lambda fact: fact.at_ms)


def _silent_since(
    incarnation: Incarnation, returned_ms: int | None, event: Crashed | Frozen, at_ms: int, session_ms: int
) -> int:
    """From when it was silent; `at_ms`, where that does not depend on the session."""
    if isinstance(event, Frozen):
        ends = [stall.expired_ms for stall in incarnation.stalls if stall.kind is StallKind.FROZEN]
        expired_ms = min((end for end in ends if end is not None and end >= at_ms), default=None)
    else:
        expired_ms = incarnation.expired_ms if incarnation.ending is Ending.KILL else None
    if expired_ms is None:
        return at_ms
    lines = [at for at in incarnation.line_times if at <= at_ms]
    since_ms = max([expired_ms - session_ms, *lines[-1:]])
    return since_ms if returned_ms is None else min(since_ms, max(at_ms, returned_ms))
