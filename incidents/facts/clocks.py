"""The rows of several logs, each with its own clock, brought into one order in time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Reading, Row, is_broker
from groupsim.incidents.logs.times import instant
from groupsim.incidents.tolerances import ONE_STEP_MS, THREADS_MS
from groupsim.wording.numbers import counted

_CLIENT_REQUESTS = frozenset(
    [
        RowKind.JOINING,
        RowKind.LEAVE_SENT,
        RowKind.REVOKED,
        RowKind.LOST,
        RowKind.REJOIN_REQUESTED,
        RowKind.POLL_TIMEOUT,
        RowKind.GENERATION_RESET,
        RowKind.COORDINATOR_LOST,
    ]
)
"""What a client does before the coordinator acts on it."""
_REQUEST, _BROKER, _ANSWER = range(3)
"""The order of rows at equal times."""


class TimedRow(NamedTuple):
    """A row with its time in the common order: UTC milliseconds since 1970, never decreasing from row to row."""

    at: int
    row: Row


_Keyed = tuple[int, int, int, int, Row]
"""A row behind what rows are sorted by: the instant, the rank, the number of the file, the row's place in it."""


def order_rows(reading: Reading, skews: Mapping[str, int] = {}) -> tuple[list[TimedRow], list[str]]:
    """All rows with a known time, in one order, and notes on what had to be assumed. `skews`: ms to add, by file.

    Within a file the order of the lines is kept: where its clock steps back, rows get the latest time before. Between
    files the times decide. At equal times a client's request comes before the broker's row, and that before what the
    client was answered. A row without a time gets that of the row before it; a file without any time is left out.
    """
    notes: list[str] = []
    keyed: list[_Keyed] = []
    written = rows_by_file(reading)
    for number, file in enumerate(reading.files):
        if rows := written.get(file):
            keyed += _keyed(rows, number, skews.get(file, 0), notes)
    keyed.sort()
    return [TimedRow(at, row) for at, _, _, _, row in keyed], notes


def steps_back(reading: Reading) -> list[str]:
    """A sentence for each file whose clock steps back by a minute or more: rows after it have no true times."""
    sentences = []
    for file, rows in rows_by_file(reading).items():
        if (step := next((step for step in _steps_back(rows) if step[0] >= ONE_STEP_MS), None)) is not None:
            back_ms, line = step
            sentences.append(
                f"{file}: the clock steps back by {back_ms // 1_000:,} s at line {line}, and how long things lasted"
                " around it is unknown; if its times are local ones, name their --tz, else put its lines in order"
            )
    return sentences


def stepped_back_ms(reading: Reading) -> int:
    """How far a file's clock steps back at most: so far may its times be off; 0 for no more than `THREADS_MS`."""
    most = max((back for rows in rows_by_file(reading).values() for back, _ in _steps_back(rows)), default=0)
    return most if most > THREADS_MS else 0


def _steps_back(rows: Sequence[Row]) -> Iterator[tuple[int, int]]:
    """(milliseconds before the latest time so far, line) of each row of a file that is too early."""
    latest: int | None = None
    for row in rows:
        if row.at is None:
            continue
        at = instant(row.at)
        if latest is not None and at < latest:
            yield latest - at, row.line
        latest = at if latest is None else max(latest, at)


def rows_by_file(reading: Reading) -> dict[str, list[Row]]:
    """The rows of each file in the order of its lines."""
    found: dict[str, list[Row]] = {file: [] for file in reading.files}
    for rows in (reading.rows, reading.context):
        for row in rows:
            found.setdefault(row.file, []).append(row)
    for written in found.values():
        written.sort(key=lambda row: row.line if row.order is None else row.order)
    return found


def _keyed(rows: list[Row], number: int, skew: int, notes: list[str]) -> list[_Keyed]:
    """One file's rows with non-decreasing keys; none if no row has a time."""
    first = next((row.at for row in rows if row.at is not None), None)
    if first is None:
        notes.append(f"{rows[0].file} has no times with a day and a year; its {counted(len(rows), 'row')} left out")
        return []
    keyed: list[_Keyed] = []
    latest, rank, back, first_back = instant(first) + skew, 0, 0, 0
    for order, row in enumerate(rows):
        at = latest if row.at is None else instant(row.at) + skew
        if latest - at > back:
            back, first_back = latest - at, first_back or row.line
        rank = _rank(row) if at > latest else max(rank, _rank(row))
        latest = max(latest, at)
        keyed.append((latest, rank, number, order, row))
    if back:
        notes.append(
            f"{rows[0].file}: the clock steps back by up to {back} ms (first at line {first_back}); the order of the"
            " lines is kept, and a row whose time is too early gets the latest time before it"
        )
    return keyed


def _rank(row: Row) -> int:
    if row.client is None and "old_generation" in row.detail:
        return _BROKER
    if row.kind in _CLIENT_REQUESTS:
        return _REQUEST
    return _BROKER if is_broker(row) else _ANSWER


def file_spans(rows: list[TimedRow]) -> Iterator[tuple[str, int, int]]:
    """(file, first, last) in UTC milliseconds of every file, in order of first appearance."""
    found: dict[str, tuple[int, int]] = {}
    for at, row in rows:
        first, _ = found.get(row.file, (at, at))
        found[row.file] = (first, at)
    for file, (first, last) in found.items():
        yield file, first, last
