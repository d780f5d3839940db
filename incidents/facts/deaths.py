"""When a process died that left no line of its death: from the broker's removal, or from the start of its successor."""

from __future__ import annotations

from collections.abc import Sequence

from groupsim.events import client as c
from groupsim.events.base import process_stream
from groupsim.incidents.facts.builder import FactBuilder
from groupsim.incidents.facts.client import ClientFacts
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.index import Index
from groupsim.incidents.facts.processes import ProcessLog, runs_beside
from groupsim.incidents.facts.unnamed_clients import PlacedRow
from groupsim.incidents.logs.times import iso

_SHORTEST_SESSION_MS = 6_000
"""group.min.session.timeout.ms, by default."""


def add_deaths(
    rows: Sequence[TimedRow],
    clients: Sequence[ClientFacts],
    index: Index,
    builder: FactBuilder,
    session_timeout_ms: int | None,
) -> None:
    """Add Crashed for every process that fell silent with partitions, as late as the logs allow, and a note on it."""
    removals = {
        (timed.row.group, timed.row.member): (position, timed)
        for position, timed in enumerate(rows)
        if timed.row.kind == "member_failed"
    }
    processes = [client.process for client in clients]
    for client in clients:
        process = client.process
        if process.closed or not client.held:
            continue
        removal = removals.get((process.group, client.member))
        if removal is not None and process.last > removal[1].at >= process.first:
            builder.note(
                f"{process.name} was removed by the broker at {iso(removal[1].at)} while it ran and held partitions"
                " (frozen, or cut off); no log shows since when"
            )
        end = _end(process, removal, processes)
        if end is None:
            continue
        position, timed = end
        timeout = session_timeout_ms or index.session_timeouts.get(process.group)
        at = timed.at
        if timed.row.kind == "member_failed":
            at = max(process.last, at - (timeout or _SHORTEST_SESSION_MS))
        stream = process_stream(process.group, process.name)
        builder.add(position, TimedRow(at, timed.row), stream, c.Crashed(process=process.name))
        builder.note(_sentence(process, timed, at, timeout, len(client.held)))


def _end(process: ProcessLog, removal: PlacedRow | None, processes: Sequence[ProcessLog]) -> PlacedRow | None:
    """The row that shows that a silent process is dead: its removal, or the first row of its successor."""
    end = None if removal is None or removal[1].at < process.last else removal
    successor = _successor(process, processes)
    if successor is not None and (end is None or successor.first < end[1].at):
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


def _sentence(process: ProcessLog, end: TimedRow, at: int, timeout: int | None, held: int) -> str:
    what = "the broker removed it" if end.row.kind == "member_failed" else "it was started again"
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
            " died earlier"
        )
    return f"{silence}; with a session of {timeout} ms its last heartbeat came at {iso(at)}, which counts as its death"
