"""One file that holds several logs, one after the other (`zcat *.log.gz > all.log`): each is a log of its own.

The times of such a file step back where the next log begins. So do those of one program whose clock is set back; but
then the same writer goes on with times that it had before. Here no writer does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from groupsim.incidents.facts.clocks import rows_by_file
from groupsim.incidents.logs.rows import Program, Reading, Row, is_broker
from groupsim.incidents.logs.times import instant, iso
from groupsim.incidents.tolerances import THREADS_MS
from groupsim.wording.numbers import counted

_MOST = 1_000
"""Files of more logs than this are not taken apart."""


class _Part(NamedTuple):
    """The rows from one step back to the next, and by client id the members that its clients name themselves."""

    rows: Sequence[Row]
    clients: Mapping[str, set[str]]
    broker: bool

    def may_be_of(self, other: _Part) -> bool:
        """Whether both have lines of one program: every process of a group may have the same client id, but no two are
        one member.
        """
        if self.broker and other.broker:
            return True
        both = [(self.clients[client], other.clients[client]) for client in self.clients.keys() & other.clients.keys()]
        return any(not one or not another or not one.isdisjoint(another) for one, another in both)


def taken_apart(reading: Reading) -> Reading:
    """The reading with each file that holds several logs as so many files, and a note on it."""
    files: dict[str, list[str]] = {}
    names: dict[int, str] = {}
    ends = dict(reading.ends)
    for file, rows in rows_by_file(reading).items():
        found = _parts(rows)
        if len(found) < 2:
            continue
        files[file] = []
        for part, after in zip(found, [*found[1:], None], strict=True):
            first = part.rows[0].line if files[file] else 1
            name = f"{file} (lines {first} to {after.rows[0].line - 1})" if after else f"{file} (from line {first})"
            files[file].append(name)
            names.update((id(row), name) for row in part.rows)
            if after:
                ends[name] = iso(max(instant(row.at) for row in part.rows if row.at is not None))
            elif file in ends:
                ends[name] = ends.pop(file)
    if not files:
        return reading
    notes = [f"{file} holds {counted(len(parts), 'log')}, one after the other" for file, parts in files.items()]
    return msgspec.structs.replace(
        reading,
        files=tuple(name for file in reading.files for name in files.get(file, [file])),
        rows=[_named(row, names) for row in reading.rows],
        context=[_named(row, names) for row in reading.context],
        ends=ends,
        notes=[*reading.notes, *notes],
    )


def _named(row: Row, names: dict[int, str]) -> Row:
    name = names.get(id(row))
    return row if name is None else msgspec.structs.replace(row, file=name)


def _parts(rows: Sequence[Row]) -> list[_Part]:
    """The logs in a file, in order; one, unless it is clear that there are several."""
    if any(row.program is Program.OFFSETS_TOPIC or row.order is not None for row in rows):
        return []  # a platform's export says which log a record is of
    parts: list[_Part] = []
    for each in _without_steps(rows):
        part = _part(each)
        if not (part.clients or part.broker) or any(part.may_be_of(other) for other in parts):
            return []
        parts.append(part)
        if len(parts) > _MOST:
            return []
    return parts


def _without_steps(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """The rows from one step back of the clock to the next."""
    part: list[Row] = []
    latest: str | None = None  # of two such texts, the earlier instant is the smaller one
    for row in rows:
        if row.at and latest and row.at < latest and instant(row.at) < instant(latest) - THREADS_MS:
            yield part
            part, latest = [], None
        part.append(row)
        if row.at is not None:
            latest = row.at if latest is None else max(latest, row.at)
    yield part


def _part(rows: Sequence[Row]) -> _Part:
    clients: dict[str, set[str]] = defaultdict(set)
    broker = False
    for row in rows:
        if is_broker(row):
            broker = True
        elif row.client is not None:
            clients[row.client].update([row.member] if row.member else [])
    return _Part(rows, clients, broker)
