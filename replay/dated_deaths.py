"""`dated`: the facts of a record, with the deaths that no log shows dated by another session than the import's.

An import dates the death of a silent member one session before its removal. Without a session that the logs or the user
name, it takes the shortest that a broker allows by default: a bound. What a record cost depends on it.

What came one session before is the last request that the coordinator heard. The member died after it, and before its
next heartbeat: up to a heartbeat interval later (`latest`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

import msgspec

from groupsim.events.base import Recorded, group_of
from groupsim.events.client import Crashed, Frozen
from groupsim.incidents.default_settings import CONSUMER_HEARTBEAT_MS, HEARTBEAT_MS
from groupsim.replay.reconstruct.incarnation import Ending, Incarnation, StallKind
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, SESSION
from groupsim.replay.reconstruct.inferred_settings.reported import reported
from groupsim.simulation.clients.config import NATIVE
from groupsim.storage.log_gaps import Doubt

_LATE_MS = 100
"""A heartbeat, and a removal, may be so late, by timers and by clocks that differ. A Java client looks so often whether
a heartbeat is due (retry.backoff.ms; Kafka: HeartbeatThread.run)."""


def dated(
    facts: Sequence[Recorded],
    incident: Incident,
    session_ms: int,
    later_ms: int = 0,
    spans: Sequence[tuple[int, int]] = (),
) -> list[Recorded]:
    """The facts in order, each member that was removed for silence silent from `session_ms` before its removal on.

    Never before its last line that became a fact, nor after its next start. `later_ms`: so much later, and where it
    lies in one of the `spans` (ms of the run), at the end of that one at least; never after its removal.
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
            since_ms = _silent_since(*known[event.process], event, fact.at_ms, session_ms, later_ms, spans)
            moved.append(msgspec.structs.replace(fact, at_ms=since_ms))
        else:
            moved.append(fact)
    return sorted(moved, key=lambda fact: fact.at_ms)


def earliest(facts: Sequence[Recorded], incident: Incident) -> list[Recorded]:
    """The facts, each of these members silent from as early on as a session that fits allows."""
    sessions = [incident.settings[SESSION], *incident.open_settings.get(SESSION, ())]
    return dated(facts, incident, max(sessions) + _LATE_MS)


def latest(
    facts: Sequence[Recorded], incident: Incident, given: Mapping[str, int | str], doubts: Sequence[Doubt]
) -> list[Recorded]:
    """The facts, each of these members silent from as late on as sessions and heartbeats that fit allow.

    `given`: settings that the user named. An interval that is only inferred counts as no shorter than Kafka's default,
    as in the import. `doubts` are those of the import: while the session is open, its bounds count, too.
    """
    session_ms = min([incident.settings[SESSION], *incident.open_settings.get(SESSION, ())])
    own = {**reported(facts, incident.group), **given}.get(HEARTBEAT)
    if own is None:
        consumer = any(incarnation.protocol in NATIVE for incarnation in incident.incarnations)
        usual_ms = CONSUMER_HEARTBEAT_MS if consumer else HEARTBEAT_MS
        own = max([usual_ms, incident.settings[HEARTBEAT], *incident.open_settings.get(HEARTBEAT, ())])
    inexact = [doubt for doubt in doubts if doubt.inexact and doubt.group == incident.group]
    spans = [(doubt.from_ms, doubt.to_ms) for doubt in inexact] if SESSION in incident.open_settings else []
    return dated(facts, incident, session_ms, int(own) + _LATE_MS, spans)


def _silent_since(
    incarnation: Incarnation,
    returned_ms: int | None,
    event: Crashed | Frozen,
    at_ms: int,
    session_ms: int,
    later_ms: int,
    spans: Sequence[tuple[int, int]],
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
    until = [end_ms for begin_ms, end_ms in spans if begin_ms <= at_ms <= end_ms]
    since_ms = max(since_ms, min(expired_ms, max([since_ms + later_ms, *until])))
    return since_ms if returned_ms is None else min(since_ms, max(at_ms, returned_ms))
