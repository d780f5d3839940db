"""ProcessLog: the rows of one client process, by file and client id; a new incarnation after each restart."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePath

from groupsim.events.types import LeaveCause
from groupsim.incidents.facts.builder import FactBuilder
from groupsim.incidents.facts.causes import announces_leave, leave_cause
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.typed_fields import client_id_in, text_in
from groupsim.incidents.facts.unnamed_clients import PlacedRow, separated, share_a_log
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program, Row, is_broker
from groupsim.wording.numbers import counted

LogKey = tuple[str, str | None]
"""File and client id."""
GIVES_UP = frozenset([RowKind.LEAVE_SENT, RowKind.POLL_TIMEOUT])
"""Kinds of a client's rows by which it gives its membership up by itself."""
_MEMBERSHIP = GIVES_UP | {RowKind.JOINED, RowKind.STATE_CHANGE}
_FIRST_KINDS = frozenset(
    [
        RowKind.CLIENT_CONFIGURED,
        RowKind.CLIENT_SETTING,
        RowKind.JOINING,
        RowKind.CLIENT_SUBSCRIBED,
        RowKind.COORDINATOR_FOUND,
        RowKind.JOINED,
        RowKind.WORKER_STARTED,
    ]
)
_STARTS_ANEW = (RowKind.CLIENT_CONFIGURED, RowKind.WORKER_STARTED)


@dataclass(slots=True)
class ProcessLog:
    """One incarnation of one client: `name` is `client_id.incarnation`, `rows` are its rows in order.

    `closed_row`: the row at which close() ended its membership, if `closed`. `lane` tells apart processes that share
    one log although its lines name no client. `shown_settings`: of the consumer protocol, once somebody asked for them.
    """

    group: str
    client: str
    file: str
    instance: str | None
    name: str = ""
    closed: bool = False
    closed_row: int = 0
    lane: int = 0
    rows: list[PlacedRow] = field(default_factory=list)
    shown_settings: dict[str, int | str] | None = field(default=None, repr=False, compare=False)

    @property
    def library(self) -> Program | None:
        """The client library that wrote its rows, where a row shows it."""
        return next((timed.row.program for _, timed in self.rows if timed.row.program is not None), None)

    @property
    def first(self) -> int:
        """When its first row was written, UTC milliseconds since 1970."""
        return self.rows[0][1].at

    @property
    def last(self) -> int:
        """When its last row was written, UTC milliseconds since 1970."""
        return self.rows[-1][1].at

    def last_of(self, kinds: Container[str]) -> TimedRow | None:
        """Its last row of these kinds."""
        return next((timed for _, timed in reversed(self.rows) if timed.row.kind in kinds), None)

    @property
    def left(self) -> bool:
        """Whether it left the group after it last joined a generation."""
        kinds = [timed.row.kind for _, timed in self.rows if timed.row.kind in (RowKind.JOINED, RowKind.LEAVE_SENT)]
        return kinds[-1:] == [RowKind.LEAVE_SENT]

    @property
    def out(self) -> bool:
        """Whether its log says to its end that it is no member any more: it was closed, or it left."""
        return self.closed or self.left


class GivenUp:
    """When a process gave its membership up by itself, asked by instant: it left, or its poll timed out."""

    def __init__(self, process: ProcessLog) -> None:
        rows = [timed for _, timed in process.rows if timed.row.kind in _MEMBERSHIP]
        self._times = [timed.at for timed in rows]
        self._out = [
            timed.row.kind in GIVES_UP or timed.row.detail.get("to") in ("LEAVING", "STALE", "UNSUBSCRIBED")
            for timed in rows
        ]

    def by(self, at: int) -> bool:
        """Whether it had, and did not join since, up to an instant (UTC ms)."""
        place = bisect_right(self._times, at)
        return place > 0 and self._out[place - 1]


def split_by_process(rows: Sequence[TimedRow], builder: FactBuilder, streams: Mapping[str, str]) -> list[ProcessLog]:
    """The processes behind the clients' rows, in order of their first row.

    `streams`: the names of those files that are one stream of several in an export.
    """
    logs: dict[LogKey, list[PlacedRow]] = defaultdict(list)
    for position, timed in enumerate(rows):
        if not is_broker(timed.row):
            logs[timed.row.file, timed.row.client].append((position, timed))
    processes: list[ProcessLog] = []
    for (file, client), own in _attributed(logs).items():
        lanes = [own] if client is not None or not share_a_log(own) else _lanes(file, own, builder)
        for lane, own_rows in enumerate(lanes):
            incarnations = _incarnations(file, client, own_rows, streams)
            for process in incarnations:
                process.lane = lane
            processes.extend(incarnations)
    processes.sort(key=lambda p: p.rows[0][0])
    _set_names(processes, builder, streams)
    return processes


def _lanes(file: str, rows: list[PlacedRow], builder: FactBuilder) -> list[list[PlacedRow]]:
    """The rows of each process in a log whose lines name no client; what may be wrong is a doubt about the total."""
    groups = {timed.row.group for _, timed in rows if timed.row.group is not None}
    found, doubts = ([rows], len(rows)) if len(groups) > 1 else separated(rows)
    if doubts:
        builder.doubt(
            f"{file}: several clients wrote into it and its lines do not name them, so that {counted(doubts, 'line')}"
            " may be of another client; export each client's lines apart, or with a field that names the pod"
        )
    else:
        builder.note(
            f"{file}: several clients wrote into it and its lines do not name them; they were separated by the members"
            " that joined and by the partitions that they were assigned and revoked"
        )
    return found


def _attributed(logs: dict[LogKey, list[PlacedRow]]) -> dict[LogKey, list[PlacedRow]]:
    """Rows that name no client go to the file's only client, or to the one that has the partition they name."""
    found: dict[LogKey, list[PlacedRow]] = {}
    for (file, client), rows in logs.items():
        if client is not None:
            found[file, client] = list(rows)
    for (file, client), rows in logs.items():
        if client is not None:
            continue
        named = [key for key in found if key[0] == file]
        if len(named) > 1:
            _by_partition(rows, named, found)
        else:
            found.setdefault(named[0] if named else (file, None), []).extend(rows)
    return {key: sorted(rows, key=lambda item: item[0]) for key, rows in found.items()}


def _by_partition(rows: list[PlacedRow], named: list[LogKey], found: dict[LogKey, list[PlacedRow]]) -> None:
    """Give each offset line to the file's client that was last assigned its partition; other lines have no owner."""
    owners: dict[object, LogKey] = {}
    everything = sorted(
        [(position, timed, key) for key in named for position, timed in found[key]] + [(*item, None) for item in rows],
        key=lambda item: item[0],
    )
    for position, timed, key in everything:
        listed = timed.row.detail.get("partitions")
        if key is not None and timed.row.kind == RowKind.ASSIGNED and isinstance(listed, list):
            owners.update(dict.fromkeys(listed, key))
        elif key is None and (owner := owners.get(timed.row.detail.get("partition"))) is not None:
            found[owner].append((position, timed))


def _incarnations(file: str, client: str | None, rows: list[PlacedRow], streams: Mapping[str, str]) -> list[ProcessLog]:
    """One client's rows, cut where it starts again: after it was closed, or after it died without a word."""
    found: list[ProcessLog] = []
    by_group: dict[str, ProcessLog] = {}
    starts = _starts(rows)
    for position, timed in rows:
        row = timed.row
        group = row.group or next(iter(by_group), None)
        if group is None:
            group = next((p.row.group for _, p in rows if p.row.group), None)
        if group is None:
            continue
        current = by_group.get(group)
        if current is None or (current.closed and row.kind in _FIRST_KINDS) or position in starts:
            current = ProcessLog(group, _without_handle(client or ""), file, text_in(row.detail.get("instance")))
            by_group[group] = current
            found.append(current)
        current.rows.append((position, timed))
        if _ends_with_close(current):
            current.closed, current.closed_row = True, len(current.rows) - 1
    for process in found:
        if not process.client:
            members = (client_id_in(p.row.member) for _, p in process.rows if p.row.member)
            process.client = next((m for m in members if m), _log_name(file, streams))
        process.instance = process.instance or next(
            (i for _, p in process.rows if (i := text_in(p.row.detail.get("instance")))), None
        )
    return found


def _starts(rows: list[PlacedRow]) -> set[int]:
    """Where a new process begins although the last one was not closed: it subscribes and looks for its coordinator.

    A consumer that changes its subscription while it runs knows its coordinator. A Java consumer prints its settings
    when it starts. One of the consumer protocol makes up its member id then, and keeps it (Kafka:
    AbstractMembershipManager).
    """
    joined, found = False, _other_members(rows)
    for (position, timed), (_, following) in pairwise(rows):
        joined = joined or timed.row.kind == RowKind.JOINED
        if joined and timed.row.kind in _STARTS_ANEW:
            found.add(position)
            joined = False
        if joined and timed.row.kind == RowKind.CLIENT_SUBSCRIBED and following.row.kind == RowKind.COORDINATOR_FOUND:
            found.add(position)
    return found


def _other_members(rows: list[PlacedRow]) -> set[int]:
    """Where members of the consumer protocol begin to join, other ones than before: with the subscription, if it is
    the row before.
    """
    member, found, before = None, set(), None
    for position, timed in rows:
        row = timed.row
        if row.kind == RowKind.STATE_CHANGE and row.member:
            begins = (row.detail.get("from"), row.detail.get("to")) == ("UNSUBSCRIBED", "JOINING")
            if begins and member not in (None, row.member):
                subscribed = before is not None and before[1].row.kind == RowKind.CLIENT_SUBSCRIBED
                found.add(before[0] if before is not None and subscribed else position)
            member = row.member
        before = (position, timed)
    return found


def _without_handle(client: str) -> str:
    """The client id inside librdkafka's handle name `client.id#consumer-1`, unless nobody set one."""
    name, handle, _ = client.partition("#consumer-")
    return client if handle and name == "rdkafka" else name


def _ends_with_close(process: ProcessLog) -> bool:
    """Whether the last row so far shows that close() (or unsubscribe) ended the membership."""
    row = process.rows[-1][1].row
    if row.kind == RowKind.CLIENT_CLOSED:
        return True
    if row.kind == RowKind.CGRP_STATE:  # librdkafka: of a static member, which sends no LeaveGroup, nothing else
        return row.detail.get("to") == "term" and not process.closed
    if row.kind == RowKind.STATE_CHANGE:  # KIP-848; one whose poll timed out becomes STALE
        return (row.detail.get("from"), row.detail.get("to")) == ("LEAVING", "UNSUBSCRIBED")
    if row.kind == RowKind.LEAVE_SENT:
        return not _leaves_late(row) and "limit_ms" not in row.detail and not _poll_expired(process)
    if row.kind == RowKind.GENERATION_RESET and announces_leave(row.detail.get("reason")):
        return not _poll_expired(process)
    return False


def _leaves_late(row: Row) -> bool:
    """Whether a client leaves because its poll timed out, by the reason that it gives."""
    return leave_cause(str(row.detail.get("reason", "being closed"))) is LeaveCause.POLL_TIMEOUT


def _poll_expired(process: ProcessLog) -> bool:
    """Whether it last left because of the poll timeout."""
    for _, timed in reversed(process.rows):
        if timed.row.kind == RowKind.POLL_TIMEOUT or (timed.row.kind == RowKind.LEAVE_SENT and _leaves_late(timed.row)):
            return True
        if timed.row.kind in (RowKind.JOINED, RowKind.ASSIGNED, RowKind.REVOKED):
            return False
    return False


def _set_names(processes: list[ProcessLog], builder: FactBuilder, streams: Mapping[str, str]) -> None:
    """`client.n`; where clients of one name ran at the same time in different logs, `stream.n` or `client@file.n`.

    A stream's name is enough unless it is also a client's, or the stream has several clients: then `client@stream.n`.
    """
    by_client: dict[tuple[str, str], list[ProcessLog]] = defaultdict(list)
    inside: dict[tuple[str, str], set[str]] = defaultdict(set)
    for process in processes:
        by_client[process.group, process.client].append(process)
        inside[process.group, process.file].add(process.client)
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for (group, client), same in by_client.items():
        if _overlap(same):
            kind = "stream" if all(process.file in streams for process in same) else "file"
            builder.note(
                f"several processes have the client id {client} at the same time; their names have the {kind}'s name"
            )
            for process in same:
                label = _log_name(process.file, streams) + (f"-{process.lane}" if process.lane else "")
                alone = process.file in streams and len(inside[group, process.file]) == 1
                label = label if alone and (group, label) not in by_client else f"{client}@{label}"
                process.name = f"{label}.{counts[group, label]}"
                counts[group, label] += 1
        else:
            for number, process in enumerate(same):
                process.name = f"{client}.{number}"


def _log_name(file: str, streams: Mapping[str, str]) -> str:
    """The name of a stream, else of the file."""
    return streams.get(file) or PurePath(file).name.split(".log")[0]


def _overlap(processes: list[ProcessLog]) -> bool:
    """Whether two of them run beside each other; they are in the order of their first rows."""
    ends: dict[tuple[str, int], tuple[int, bool]] = {}
    for each in processes:
        own, begun = (each.file, each.lane), (each.first, False)
        if any(end > begun for other, end in ends.items() if other != own):
            return True
        ends[own] = max(ends.get(own, begun), (each.last, not each.closed))
    return False


def runs_beside(a: ProcessLog, b: ProcessLog) -> bool:
    """Whether two processes, in different files or lanes, ran at the same time."""
    apart = a.file != b.file or a.lane != b.lane
    return apart and a.first <= b.last and b.first <= a.last and not (a.closed and a.last <= b.first)
