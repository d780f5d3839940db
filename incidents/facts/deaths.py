"""When a process died or froze that wrote no line of it: from the broker's removal, or its successor's start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from groupsim.events import client as c
from groupsim.events.base import process_stream
from groupsim.incidents.facts.builder import FactBuilder
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.index import Index
from groupsim.incidents.facts.processes import ProcessLog, runs_beside
from groupsim.incidents.facts.unnamed_clients import PlacedRow
from groupsim.incidents.logs.rows import Row
from groupsim.incidents.logs.times import iso

_REMOVED = frozenset(["member_failed", "member_gone"])
_MEMBERSHIP = frozenset(["joined", "leave_sent", "poll_timeout", "state_change"])
_SHORTEST_SESSION_MS = 6_000
"""group.min.session.timeout.ms, by default."""
_ANY_MS = 1 << 50
Deaths = dict[tuple[str, str], int | None]
"""By group and process: None where the broker's removal dates the death, else when the process was started again."""


class Stop(NamedTuple):
    """A process that died or froze, by its fact at `at`; in truth from `from_ms` to `to_ms`, UTC milliseconds."""

    group: str
    process: str
    at: int
    from_ms: int
    to_ms: int


def add_deaths(
    rows: Sequence[TimedRow],
    clients: Sequence[ClientFacts],
    index: Index,
    builder: FactBuilder,
    session_timeout_ms: int | None,
) -> tuple[Deaths, list[Stop]]:
    """Add Crashed for every process that fell silent with partitions, at its last heartbeat, and a note on it.

    Also Frozen and Thawed for every process that was removed for silence and wrote on later. With the time in which
    each of them may have stopped: a heartbeat interval after its last heartbeat, and before it if that is not exact.
    """
    found: Deaths = {}
    stops: list[Stop] = []
    removals = {
        (timed.row.group, timed.row.member): (position, timed)
        for position, timed in enumerate(rows)
        if timed.row.kind in _REMOVED
    }
    processes = [client.process for client in clients]
    for client in clients:
        process = client.process
        for member in client.members:
            removal = removals.get((process.group, member))
            if (
                removal is not None
                and process.first <= removal[1].at < process.last
                and not (removal[1].row.kind == "member_gone" and _went(process, removal[1].at))
            ):
                since = _add_freeze(process, removal, index, builder, session_timeout_ms)
                if since is not None:
                    until = min(since + index.heartbeat_ms(process.group), removal[1].at)
                    stops.append(Stop(process.group, process.name, since, since, until))
        if process.closed or not client.held:
            continue
        removal = removals.get((process.group, client.member))
        timeout = session_timeout_ms or index.session_timeouts.get(process.group)
        end = _end(process, removal, processes, timeout)
        if end is None:
            continue
        position, timed = end
        at = timed.at
        removed = timed.row.kind in _REMOVED
        found[process.group, process.name] = None if removed else at
        if removed:
            at = max(process.last, at - (timeout or _SHORTEST_SESSION_MS))
        stream = process_stream(process.group, process.name)
        builder.add(position, TimedRow(at, timed.row), stream, c.Crashed(process=process.name))
        heartbeat = index.heartbeat_ms(process.group)
        builder.note(_sentence(process, timed, at, timeout, len(client.held), heartbeat))
        if removed:
            begin = process.last if timeout is None else max(process.last, at - _earlier(timed.row, process, heartbeat))
            stops.append(Stop(process.group, process.name, at, begin, min(at + heartbeat, timed.at)))
    return found, stops


def _earlier(removal: Row, process: ProcessLog, heartbeat_ms: int) -> int:
    """How much earlier it may have been removed: by the topic, when others heard of it at a heartbeat of theirs."""
    if removal.kind != "member_gone" or removal.detail.get("by") != "generation":
        return 0
    return heartbeat_ms if removal.detail.get("heard") else _ANY_MS


def _went(process: ProcessLog, at: int) -> bool:
    """Whether it gave its membership up by itself before an instant."""
    last = next((t.row for _, t in reversed(process.rows) if t.at <= at and t.row.kind in _MEMBERSHIP), None)
    return last is not None and (
        last.kind in ("leave_sent", "poll_timeout") or last.detail.get("to") in ("LEAVING", "STALE", "UNSUBSCRIBED")
    )


def _add_freeze(
    process: ProcessLog,
    removal: PlacedRow,
    index: Index,
    builder: FactBuilder,
    session_timeout_ms: int | None,
) -> int | None:
    """Frozen and Thawed of a process that the broker removed for silence and that wrote on later.

    Its last heartbeat came a session before the removal; returns when that was. If it wrote long after that, it ran:
    only the coordinator did not hear it.
    """
    position, timed = removal
    timeout = session_timeout_ms or index.session_timeouts.get(process.group) or _SHORTEST_SESSION_MS
    before = max(row.at for _, row in process.rows if row.at <= timed.at)
    later, thawed = next(item for item in process.rows if item[1].at > timed.at)
    heard = timed.at - timeout
    if before - heard > timeout // 3:
        builder.note(
            f"{process.name} was removed by the broker at {iso(timed.at)} because its session ended, while it ran (cut"
            " off from the coordinator); it counts as serving what it held until then"
        )
        return None
    stream, since = process_stream(process.group, process.name), max(before, heard)
    builder.add(position, TimedRow(since, timed.row), stream, c.Frozen(process=process.name))
    builder.add(later, thawed, stream, c.Thawed(process=process.name))
    builder.note(
        f"{process.name} was removed by the broker at {iso(timed.at)} because its session of {timeout} ms ended, and"
        f" wrote nothing until {iso(thawed.at)}; it counts as frozen from its last heartbeat on, at {iso(since)};"
        f" it may have frozen up to {index.heartbeat_ms(process.group)} ms later, before its next heartbeat"
    )
    return since


def _end(
    process: ProcessLog, removal: PlacedRow | None, processes: Sequence[ProcessLog], timeout: int | None
) -> PlacedRow | None:
    """The row that shows that a silent process is dead: its removal, or the first row of its successor.

    The removal says more if the session is known, unless that would be after the successor's start.
    """
    end = None if removal is None or removal[1].at < process.last else removal
    successor = _successor(process, processes)
    if successor is not None and (end is None or successor.first < end[1].at - (timeout or 0)):
        end = successor.rows[0]
    return end


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


def _sentence(process: ProcessLog, end: TimedRow, at: int, timeout: int | None, held: int, heartbeat_ms: int) -> str:
    what = "the broker removed it" if end.row.kind in _REMOVED else "it was started again"
    silence = (
        f"{process.name} fell silent holding {held} partitions: its last line is at {iso(process.last)},"
        f" {what} at {iso(end.at)}"
    )
    if at == end.at:
        return f"{silence}; no log shows when it died in between, so it counts as alive until then (a lower bound)"
    if timeout is None:
        return (
            f"{silence}; a session lasts at least {_SHORTEST_SESSION_MS} ms (group.min.session.timeout.ms, by default),"
            f" so its last heartbeat came at {iso(at)} or before, which counts as its death; with a longer session it"
            f" died earlier; it may have died up to {heartbeat_ms} ms later, before its next heartbeat"
        )
    earlier = "" if not _earlier(end.row, process, heartbeat_ms) else ", or earlier (others heard of it then)"
    return (
        f"{silence}; with a session of {timeout} ms its last heartbeat came at {iso(at)}{earlier}, which counts as its"
        f" death; it may have died up to {heartbeat_ms} ms later, before its next heartbeat"
    )
