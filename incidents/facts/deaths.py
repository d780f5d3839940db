"""When a process died or froze that wrote no line of it: from the broker's removal, or its successor's start.

A process that was removed because its session ended, and wrote on later, was frozen or cut off. A frozen one (a pause
of the garbage collector, a suspended machine) serves nothing. One that only the coordinator does not hear may serve on
until others have its partitions. A client of the classic protocol that runs says when its session ends (Kafka:
AbstractCoordinator.HeartbeatThread; librdkafka: SESSTMOUT; Python: `Heartbeat session expired`). So one that is still
silent then is frozen. Of others the time up to their removal is in doubt.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from groupsim.events import client as c
from groupsim.events.base import process_stream
from groupsim.events.consumer import LossCause
from groupsim.incidents.facts.builder import FactBuilder
from groupsim.incidents.facts.causes import loss_cause
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.lookups import Index
from groupsim.incidents.facts.offsets_members import Logged
from groupsim.incidents.facts.processes import GivenUp, ProcessLog, runs_beside
from groupsim.incidents.facts.settings import Session, consumer_settings, session_of
from groupsim.incidents.facts.typed_fields import int_in, text_in
from groupsim.incidents.facts.unnamed_clients import PlacedRow
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program, Row
from groupsim.incidents.logs.times import iso
from groupsim.incidents.offsets_topic.signs_of_life import SignsOfLife
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


_REMOVED = frozenset([RowKind.MEMBER_FAILED, RowKind.MEMBER_GONE])
_REPLACED = RowKind.STATIC_MEMBER_REPLACED
_Removals = dict[tuple[str | None, str | None], list[PlacedRow]]
"""By group and member."""
Deaths = dict[tuple[str, str], int | None]
"""By group and process: None where the broker's removal dates the death, else when the process was started again."""


def add_deaths(
    rows: Sequence[TimedRow],
    clients: Sequence[ClientFacts],
    index: Index,
    builder: FactBuilder,
    session_timeout_ms: int | None,
    signs: SignsOfLife,
    logged: Logged,
) -> tuple[Deaths, list[Stop]]:
    """Add Crashed for every process that fell silent with partitions, at its last heartbeat, and a note on it.

    Also what `add_silence` adds of processes that were removed and wrote on later. With the time in which
    each of them may have stopped: a heartbeat interval after its last heartbeat, and before it if that is not exact.

    Of a member that the topic says was gone, it is not known that it was removed for silence. It may have left, and its
    log was not kept to the end: then it ran until it was gone, or at least until it did not commit as it used to. Where
    logs of its group are known to be cut off, it may have committed nothing because it was busy.
    """
    deaths: Deaths = {}
    stops: list[Stop] = []
    removals, replaced = _removals(rows), _replaced(rows)
    silences = _shortest_silences(clients, removals, signs)
    processes = [client.process for client in clients]
    for client in clients:
        process = client.process
        silent_ms = silences.get(process.group, NEVER_MS)
        for member in client.members:
            for removal in removals[process.group, member]:
                if _silent_only(process, removal[1]):
                    shown = signs.last(process.group, client.members, removal[1].at) or 0
                    stops.append(add_silence(process, removal, index, builder, session_timeout_ms, silent_ms, shown))
        stops += _removed_by_the_topic(client, replaced, signs)
        if process.closed or not client.held:
            continue
        gone = _after(removals[process.group, client.member], process) or _after(
            replaced[process.group, client.member], process
        )
        end = _end(process, gone, processes, session_of(process, index, session_timeout_ms).known_ms)
        if end is None or signs.back(process.group, client.member, end[1].at):
            continue
        position, timed = end
        at = timed.at
        removed = timed.row.kind in _REMOVED
        deaths[process.group, process.name] = None if removed else at
        alive = max(process.last, signs.last(process.group, client.members, at) or 0)
        session = session_of(process, index, session_timeout_ms, min(silent_ms, at - alive))
        if removed and _for_silence(timed.row):
            at = max(alive, at - session.ms)
        stream = process_stream(process.group, process.name)
        builder.add(position, TimedRow(at, timed.row), stream, c.Crashed(process=process.name))
        builder.note(_sentence(process, timed, at, session, len(client.held)))
        if removed:
            exact = session.known and not index.began_sessions(process.group, at)
            earlier = earlier_ms(timed.row, session.heartbeat_ms) if exact else NEVER_MS
            stop = stopped(process, at, max(alive, at - earlier), timed.at, session)
            stops.append(
                _gone_by(stop, timed, client, signs, logged) if timed.row.kind == RowKind.MEMBER_GONE else stop
            )
    return deaths, stops


def _gone_by(stop: Stop, gone: TimedRow, client: ClientFacts, signs: SignsOfLife, logged: Logged) -> Stop:
    """The stop of a member that the topic says was gone: not later than that, or than its next commit was due."""
    until = max(gone.at, int_in(gone.row.detail.get("until_ms")) or 0)
    due = None if logged.may_go_on(client) else signs.commit_due(stop.group, client.member, until)
    return stop._replace(to_ms=max(stop.to_ms, due or until))


def _removals(rows: Sequence[TimedRow]) -> _Removals:
    """In order; a member of the consumer protocol keeps its id, and may be removed more than once."""
    removals: _Removals = defaultdict(list)
    for position, timed in enumerate(rows):
        if timed.row.kind in _REMOVED:
            removals[timed.row.group, timed.row.member].append((position, timed))
    return removals


def _replaced(rows: Sequence[TimedRow]) -> _Removals:
    """When static members were replaced, by the id that was: their process had ended, whoever has the new one's log.

    A process of the consumer protocol that left for a time comes back with the same id.
    """
    replaced: _Removals = defaultdict(list)
    for position, timed in enumerate(rows):
        old = text_in(timed.row.detail.get("old_member"))
        if timed.row.kind == _REPLACED and old != timed.row.member:
            replaced[timed.row.group, old].append((position, timed))
    return replaced


def _removed_by_the_topic(client: ClientFacts, replaced: _Removals, signs: SignsOfLife) -> Iterator[Stop]:
    """When a static member was not heard that says itself that it was removed: it came back at once, under another id.

    In the topic that looks as if another process had replaced it. A broker's log would have the removal.
    """
    process = client.process
    for member in sorted(client.members):
        for _, (at, row) in replaced[process.group, member]:
            if row.program is not Program.OFFSETS_TOPIC or row.member not in client.members:
                continue
            shown = signs.last(process.group, client.members, at) or 0
            since, kinds = process.first, set[str]()
            for place in range(bisect_right(process.rows, at, key=lambda item: item[1].at) - 1, -1, -1):
                since, line = process.rows[place][1]
                if since < shown or line.kind in ANSWERED:
                    break
                kinds.add(line.kind)
            since = max(since, shown)
            if RowKind.LOST in kinds and RowKind.POLL_TIMEOUT not in kinds:
                yield Stop(process.group, process.name, at, since, at, ran=True)


def _after(rows: Sequence[PlacedRow], process: ProcessLog) -> PlacedRow | None:
    """The first of them since the last line of a process."""
    return next((each for each in rows if each[1].at >= process.last), None)


def _shortest_silences(
    clients: Sequence[ClientFacts], removals: _Removals, signs: SignsOfLife
) -> dict[str | None, int]:
    """By group, in ms: how long a member had been silent that a broker removed because its session ended, at least.

    A session is not longer than that and a heartbeat interval. A member that was gone by the topic may have left.
    """
    shortest: dict[str | None, int] = {}
    for client in clients:
        process = client.process
        for member in client.members:
            for _, removal in removals[process.group, member]:
                failed = removal.row.kind == RowKind.MEMBER_FAILED and _for_silence(removal.row)
                if not failed or removal.at < process.first or GivenUp(process).by(removal.at):
                    continue
                shown = signs.last(process.group, client.members, removal.at) or 0
                silent_ms = removal.at - max(shown, *(timed.at for _, timed in process.rows if timed.at <= removal.at))
                shortest[process.group] = min(silent_ms, shortest.get(process.group, silent_ms))
    return shortest


def _for_silence(removal: Row) -> bool:
    """Whether it was removed because its session ended, or may have been: not because it held a rebalance up."""
    reason = text_in(removal.detail.get("reason"))
    return reason is None or loss_cause(reason) is LossCause.SESSION_EXPIRED


def _silent_only(process: ProcessLog, removal: TimedRow) -> bool:
    """Whether it was removed while it was silent, and wrote on later."""
    within = process.first <= removal.at < process.last
    return within and _for_silence(removal.row) and not GivenUp(process).by(removal.at)


def _end(
    process: ProcessLog, removal: PlacedRow | None, processes: Sequence[ProcessLog], timeout: int | None
) -> PlacedRow | None:
    """The row that shows that a silent process is dead: its removal (or that it was replaced), or its successor's row.

    The removal says more if the session is known, unless that would be after the successor's start.
    """
    successor = _successor(process, processes)
    if successor is not None and (removal is None or successor.first < removal[1].at - (timeout or 0)):
        return successor.rows[0]
    return removal


def _successor(process: ProcessLog, processes: Sequence[ProcessLog]) -> ProcessLog | None:
    """The next incarnation of the same static member or client, if it begins after this one's last line."""
    others = [other for other in processes if other is not process and other.group == process.group]
    shared = any(other.client == process.client and runs_beside(other, process) for other in others)
    for other in others:
        if process.instance is not None and other.instance is not None:
            same = other.instance == process.instance
        else:  # a client id that several processes have at once does not say which of them came back
            same = other.client == process.client and (not shared or other.file == process.file)
        if same and other.first >= process.last:
            return other
    return None


def _sentence(process: ProcessLog, end: TimedRow, at: int, session: Session, held: int) -> str:
    what = "the broker removed it" if end.row.kind in _REMOVED else "it was started again"
    silence = (
        f"{process.name} fell silent holding {held} partitions: its last line is at {iso(process.last)},"
        f" {what} at {iso(end.at)}"
    )
    if at == end.at:
        return f"{silence}; no log shows when it died in between, so it counts as alive until then (a lower bound)"
    earlier = ""
    if session.known and earlier_ms(end.row, session.heartbeat_ms):
        earlier = ", or earlier (others heard of it then)"
    longer = "" if session.known or session.shortened else " with a longer session it died earlier;"
    left = "; the topic does not say whether it died or left" if end.row.kind == RowKind.MEMBER_GONE else ""
    death = f"{heard(session, at)}{earlier}, which counts as its death;{longer} {later(session, 'died')}"
    return f"{silence}; {death}{left}"
