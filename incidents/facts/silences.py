"""Processes that the broker removed because their session ended, and that wrote on later: were they frozen or cut off?

A frozen process (a pause of the garbage collector, a suspended machine) serves nothing. One that only the coordinator
does not hear may serve on until others have its partitions. A client of the classic protocol that runs says when its
session ends (Kafka: AbstractCoordinator.HeartbeatThread; librdkafka: SESSTMOUT; Python: `Heartbeat session expired`).
So one that is still silent then is frozen. Of others the time up to their removal is in doubt.
"""

from __future__ import annotations

from typing import NamedTuple

from groupsim.events import client as c
from groupsim.events.base import process_stream
from groupsim.incidents.facts.builder import FactBuilder
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.consumer_client import consumer_settings
from groupsim.incidents.facts.lookups import Index
from groupsim.incidents.facts.processes import ProcessLog
from groupsim.incidents.facts.sessions import Session, session_of
from groupsim.incidents.facts.unnamed_clients import PlacedRow
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program, Row
from groupsim.incidents.logs.times import iso
from groupsim.incidents.tolerances import NEVER_MS, REACTS_MS

_SAY_SO = frozenset([Program.JAVA, Program.LIBRDKAFKA, Program.KAFKA_PYTHON, Program.AIOKAFKA])
ANSWERED = frozenset([RowKind.JOINED, RowKind.SYNCED, RowKind.STATE_CHANGE])
"""Lines of a client that the coordinator has just answered."""


class Stop(NamedTuple):
    """A process that died or froze, by its fact at `at`; in truth from `from_ms` to `to_ms`, UTC milliseconds.

    `ran`: it wrote meanwhile and there is no such fact; whether it served what it held in this time is not known.
    """

    group: str
    process: str
    at: int
    from_ms: int
    to_ms: int
    ran: bool = False


def add_silence(
    process: ProcessLog,
    removal: PlacedRow,
    index: Index,
    builder: FactBuilder,
    session_timeout_ms: int | None,
    silent_ms: int,
    shown_ms: int,
) -> Stop:
    """Frozen and Thawed of a process that was removed and wrote on later, and a note; none if it wrote meanwhile.

    Its last heartbeat came a session before the removal, which counts as its stop. If it wrote after the next one was
    due, it ran, and only the coordinator did not hear it. `silent_ms`: of others of its group, as of `session_of`.
    `shown_ms`: when the topic shows it for the last time before.
    """
    position, timed = removal
    rows = [row for _, row in process.rows if row.at <= timed.at]
    before = max(*(row.at for row in rows), shown_ms)
    later_row, thawed = next(item for item in process.rows if item[1].at > timed.at)
    session = session_of(process, index, session_timeout_ms, min(silent_ms, timed.at - before))
    last_ms = timed.at - session.ms
    early_ms = earlier_ms(timed.row, session.heartbeat_ms)
    answered = max([row.at for row in rows if row.row.kind in ANSWERED] or [rows[0].at])
    answered = max(answered, shown_ms)
    removed = f"{process.name} was removed by the broker at {iso(timed.at)} because its session ended,"
    if not session.shortened and before - last_ms > session.heartbeat_ms:
        since = max(answered, last_ms - early_ms) if session.known else answered
        builder.note(
            f"{removed} while it ran (cut off from the coordinator); it counts as serving what it held until then, and"
            f" no log shows whether it did since {iso(since)}: it may have been frozen, or cut off from the data, too"
        )
        return Stop(process.group, process.name, timed.at, since, timed.at, ran=True)
    stream, since = process_stream(process.group, process.name), max(before, last_ms)
    builder.add(position, TimedRow(since, timed.row), stream, c.Frozen(process=process.name))
    builder.add(later_row, thawed, stream, c.Thawed(process=process.name))
    frozen = _would_have_said_so(process) and thawed.at - timed.at > REACTS_MS
    certain = later(session, "frozen")
    if not frozen:
        certain = "but no line tells that from being cut off from the coordinator and serving until it was removed"
    builder.note(
        f"{removed} and wrote nothing until {iso(thawed.at)}; {heard(session, since)}, and it counts as frozen from"
        f" then on; {certain}"
    )
    exact = session.known and not index.began_sessions(process.group, last_ms)
    begin = answered if session.shortened else max(answered, since - early_ms) if exact else min(before, since)
    stop = stopped(process, since, min(begin, since), timed.at, session)
    return stop if frozen else stop._replace(to_ms=timed.at)


def _would_have_said_so(process: ProcessLog) -> bool:
    """Whether it would have written that its session ended, had it run."""
    return process.library in _SAY_SO and not consumer_settings(process)


def stopped(process: ProcessLog, at: int, from_ms: int, removed_ms: int, session: Session) -> Stop:
    """It stopped up to a heartbeat later than counted, or, where its session may be shorter, up to its removal."""
    to_ms = removed_ms if session.shortened else min(at + session.heartbeat_ms, removed_ms)
    return Stop(process.group, process.name, at, from_ms, to_ms)


def earlier_ms(removal: Row, heartbeat_ms: int) -> int:
    """How much earlier it may have been removed: by the topic, when others heard of it at a heartbeat of theirs."""
    if removal.kind != RowKind.MEMBER_GONE or removal.detail.get("by") != "generation":
        return 0
    return heartbeat_ms if removal.detail.get("heard") else NEVER_MS


def heard(session: Session, at: int) -> str:
    """When its last heartbeat came, as the middle of a sentence."""
    or_before = "" if session.known or session.shortened else " or before"
    return f"{session.said()} its last heartbeat came at {iso(at)}{or_before}"


def later(session: Session, what: str) -> str:
    """How much later than its last heartbeat it died or froze."""
    if session.shortened:
        return f"it may have {what} at any time from its last line before to its removal"
    return f"it may have {what} up to {session.heartbeat_ms} ms later, {session.next_heartbeat()}"
