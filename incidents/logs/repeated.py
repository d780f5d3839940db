"""Rows that repeat what another line says: two lines of one client, or a client's and its application's."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Row

_HELD = 64
_WAITING = 10_000
_TELLS = frozenset({RowKind.ASSIGNED, RowKind.REVOKED, RowKind.LOST, RowKind.CLIENT_BLOCK, RowKind.CLIENT_RECONCILING})
_LISTS = ("partitions", "added", "revoked")
_CALLBACKS = {
    RowKind.LISTENER_ASSIGNED: RowKind.ASSIGNED,
    RowKind.LISTENER_REVOKED: RowKind.REVOKED,
    RowKind.LISTENER_LOST: RowKind.LOST,
}
_REMEMBERED = 100_000


def settle_callbacks(rows: Iterator[Row]) -> Iterator[Row]:
    """What an application prints in its callbacks is shown only where its client's own lines are not in the log.

    They are if any of them names these partitions. `listener_assigned` becomes `assigned` and so on, or stays. Rows are
    held back while that is open: at most `_WAITING`.
    """
    printed: set[str] = set()
    counted = False
    held: list[Row] = []
    for row in rows:
        if row.kind in _TELLS and len(printed) < _REMEMBERED:
            named = [name for key in _LISTS for name in _names(row, key)]
            printed.update(named)
            counted = counted or "partition_count" in row.detail
        if held or (row.kind in _CALLBACKS and not _repeats(row, printed, counted)):
            held.append(row)
            if len(held) < _WAITING:
                continue
            yield from (_settled(each, printed, counted) for each in held)
            held = []
        else:
            yield row
    yield from (_settled(each, printed, counted) for each in held)


def _settled(row: Row, printed: set[str], counted: bool) -> Row:
    kind = _CALLBACKS.get(row.kind)
    return row if kind is None or _repeats(row, printed, counted) else msgspec.structs.replace(row, kind=kind)


def _repeats(row: Row, printed: set[str], counted: bool) -> bool:
    """Whether a client's own line tells of these partitions. librdkafka only counts them."""
    return counted or (bool(printed) and printed.issuperset(_names(row, "partitions")))


def _names(row: Row, key: str) -> list[str]:
    named = row.detail.get(key)
    return [str(name) for name in named] if isinstance(named, list) else []


def settle_assignments(rows: Iterator[Row]) -> Iterator[Row]:
    """`Updating assignment with` is the assignment only where no `Adding newly assigned partitions` follows it.

    So such a row is held back, with the rows after it, until the client's next row: at most `_HELD` rows.
    """
    held: list[Row] = []
    waiting: dict[tuple[str | None, str | None], int] = {}
    for row in rows:
        who = (row.group, row.client)
        if row.kind == RowKind.ASSIGNED and who in waiting:
            held[waiting[who]] = _with_kind(held[waiting[who]], RowKind.CLIENT_BLOCK)
            del waiting[who]
        elif who in waiting and row.kind in (RowKind.JOINING, RowKind.CLIENT_BLOCK, RowKind.LEAVE_SENT, RowKind.JOINED):
            del waiting[who]
        if row.kind == RowKind.CLIENT_BLOCK:
            waiting[who] = len(held)
            row = _with_kind(row, RowKind.ASSIGNED)
        if not waiting and not held:
            yield row
            continue
        held.append(row)
        if not waiting or len(held) >= _HELD:
            yield from held
            held, waiting = [], {}
    yield from held


def _with_kind(row: Row, kind: RowKind) -> Row:
    detail = {**row.detail}
    if kind == RowKind.ASSIGNED:
        detail["partitions"] = detail["added"]
    else:
        detail.pop("partitions", None)
    return msgspec.structs.replace(row, kind=kind, detail=detail)
