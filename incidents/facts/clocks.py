"""Several logs, each with its own clock, brought into one order."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from groupsim.incidents.logs.rows import Reading, Row
from groupsim.incidents.logs.times import instant

_ASKS = frozenset(
    [
        "joining",
        "leave_sent",
        "revoked",
        "lost",
        "rejoin_requested",
        "poll_timeout",
        "generation_reset",
        "coordinator_lost",
    ]
)


class TimedRow(NamedTuple):
    """A row with its place in the one order: UTC milliseconds since 1970, never going back."""

    at: int
    row: Row


def place(reading: Reading, skews: Mapping[str, int] = {}) -> tuple[list[TimedRow], list[str]]:
    """All rows that can be placed, in one order, and what had to be assumed.

    Within a file the lines' order stands: where its clock steps back, rows keep the latest time seen before. Between
    files the times decide; at equal times what a client asks comes before what the broker does, and that before what
    a client is told (spec: 9.7). A row without a time takes that of the row before it; a file without any is left out.
    """
    notes: list[str] = []
    lanes = []
    for number, file in enumerate(reading.files):
        rows = sorted(
            (row for rows in (reading.rows, reading.context) for row in rows if row.file == file), key=lambda r: r.line
        )
        if rows:
            lanes.append(_lane(rows, number, skews.get(file, 0), notes))
    placed = [TimedRow(at, row) for at, _, _, _, row in heapq.merge(*lanes, key=lambda item: item[:4])]
    return placed, notes


def _lane(rows: list[Row], number: int, skew: int, notes: list[str]) -> list[tuple[int, int, int, int, Row]]:
    """One file's rows as (time, rank at equal times, file, order in the file, row), non-decreasing."""
    timed = [row for row in rows if row.at is not None]
    if not timed:
        notes.append(f"{rows[0].file} has no times that say a day and a year: its {len(rows)} rows are left out")
        return []
    lane: list[tuple[int, int, int, int, Row]] = []
    latest, rank, back, first_back = instant(timed[0].at or "") + skew, 0, 0, 0
    for order, row in enumerate(rows):
        at = latest if row.at is None else instant(row.at) + skew
        if latest - at > back:
            back, first_back = latest - at, first_back or row.line
        own = _rank(row)
        rank = own if at > latest else max(rank, own)
        latest = max(latest, at)
        lane.append((latest, rank, number, order, row))
    if back:
        notes.append(
            f"{rows[0].file}: the clock steps back by up to {back} ms (first at line {first_back}); the lines' order"
            " stands, and what is stamped too early is placed at the latest time before it"
        )
    return lane


def _rank(row: Row) -> int:
    if row.client is None and "old_generation" in row.detail:
        return 1
    if row.kind in _ASKS:
        return 0
    return 1 if _from_broker(row) else 2


def _from_broker(row: Row) -> bool:
    return row.kind.startswith("broker_") or (row.kind in BROKER_KINDS and row.client is None)


BROKER_KINDS = frozenset(
    [
        "stabilized",
        "assignment_received",
        "member_failed",
        "member_left",
        "pending_member_joins",
        "group_empty",
        "group_dead",
        "group_loaded",
        "empty_assignment",
        "static_member_replaced",
        "static_rejoin_without_rebalance",
        "coordinator_lifecycle",
        "broker_lifecycle",
    ]
)
"""Kinds that only a broker prints."""


def is_broker(row: Row) -> bool:
    """Whether a broker printed the row (some kinds are printed by clients too)."""
    if row.client is not None:
        return False
    if row.kind == "rebalance_start":
        return "old_generation" in row.detail
    if row.kind == "member_id_created":
        return "group_state" in row.detail or "instance" in row.detail
    if row.kind == "rebalance_failed":
        return "no members rejoined" in str(row.detail.get("reason", ""))
    return _from_broker(row)


def spans(placed: list[TimedRow]) -> Iterator[tuple[str, int, int]]:
    """(file, first, last) in UTC milliseconds of every file that has placed rows, in order of first appearance."""
    seen: dict[str, tuple[int, int]] = {}
    for at, row in placed:
        first, _ = seen.get(row.file, (at, at))
        seen[row.file] = (first, at)
    for file, (first, last) in seen.items():
        yield file, first, last
