"""Lines whose times are coarse (whole seconds, say), placed inside their second.

Inside a file its own order holds. Between files the protocol tells an order, also to lines with finer times: a client
joins a generation after the broker completed it, for example. Where it tells none a broker's lines come first: what
clients do, such as giving up what they lost, mostly follows from it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from groupsim.incidents.facts.clocks import rows_by_file
from groupsim.incidents.logs.protocol_order import Place, merged, steps
from groupsim.incidents.logs.rows import Reading, Row, is_broker
from groupsim.incidents.logs.times import instant, iso
from groupsim.storage.log_gaps import coarse_times

_MINUTE_MS, _SECOND_MS = 60_000, 1_000
_MINUTE, _SECOND = ":00.000Z", ".000Z"
"""How instants end that are whole minutes and whole seconds."""
_MINUTES = 4
"""So many different times that are whole minutes are no chance."""
_FEW = 0.05
"""Some programs leave out a part of a second that is zero: so few of a file's times say nothing of the others."""


class _Coarse(NamedTuple):
    """The coarse rows of one file, and their resolution in milliseconds."""

    resolution_ms: int
    rows: Sequence[Row]


def in_order(reading: Reading) -> tuple[Reading, list[str]]:
    """The reading with its coarse rows inside their seconds, and a sentence for each file that has some."""
    files = {file: [row for row in rows if row.at is not None] for file, rows in rows_by_file(reading).items()}
    coarse = _coarse(files)
    if not coarse:
        return reading, []
    widths = {id(row): each.resolution_ms for each in coarse.values() for row in each.rows}
    times = _placed(list(files.values()), widths)
    changed = msgspec.structs.replace(
        reading,
        rows=[_at(row, times) for row in reading.rows],
        context=[_at(row, times) for row in reading.context],
        resolution_ms=max([*widths.values(), reading.resolution_ms]),
    )
    return changed, [f"{file}: {coarse_times(each.resolution_ms)}" for file, each in coarse.items()]


def _coarse(files: Mapping[str, Sequence[Row]]) -> dict[str, _Coarse]:
    """The coarse rows by file, of files that have some."""
    written = {file: rows for file, rows in files.items() if rows}
    if all(_ends(row, _MINUTE) for rows in written.values() for row in rows):
        return {file: _Coarse(_MINUTE_MS, rows) for file, rows in written.items()}
    return {file: each for file, rows in written.items() if (each := _of_one(rows)) is not None}


def _of_one(rows: Sequence[Row]) -> _Coarse | None:
    """By the digits that are printed; platforms also print zeros for those that they were not given."""
    if all(_ends(row, _MINUTE) for row in rows) and len({row.at for row in rows}) >= _MINUTES:
        return _Coarse(_MINUTE_MS, rows)
    if all(_ends(row, _SECOND) for row in rows):
        return _Coarse(_SECOND_MS, rows)
    without = [row for row in rows if row.resolution_ms == _SECOND_MS]
    finest = min((row.resolution_ms for row in rows if row.resolution_ms != _SECOND_MS), default=0)
    if finest:
        return _Coarse(_SECOND_MS if len(without) > _FEW * len(rows) else finest, rows)
    return _Coarse(_SECOND_MS, without) if len(without) > _FEW * len(rows) else None


def _ends(row: Row, zeros: str) -> bool:
    return row.at is not None and row.at.endswith(zeros)


def _at(row: Row, times: Mapping[int, int]) -> Row:
    at = times.get(id(row))
    return row if at is None else msgspec.structs.replace(row, at=iso(at))


def _placed(files: Sequence[Sequence[Row]], widths: Mapping[int, int]) -> dict[int, int]:
    """UTC milliseconds of the coarse rows, by identity: one after that before it, but within their resolution.

    `widths`: the resolutions of the coarse rows, by identity.
    """
    widest = max(widths.values())
    spans = {instant(row.at or "") // widest for rows in files for row in rows if id(row) in widths}
    queues: dict[int, dict[int, list[Place]]] = defaultdict(lambda: defaultdict(list))
    fine: dict[int, list[tuple[int, Place]]] = defaultdict(list)
    for number, rows in enumerate(files):
        mixed = any(id(row) in widths for row in rows)
        for place, row in enumerate(rows):
            at = instant(row.at or "")
            if at // widest not in spans:
                continue
            if mixed:
                queues[at // widest][number].append((number, place))
            else:
                fine[at // widest].append((at, (number, place)))
    known = steps(enumerate(rows) for rows in files)
    found: dict[int, int] = {}
    for span in sorted(spans):
        here = [[place for _, place in sorted(fine[span])], *queues[span].values()]
        here.sort(key=lambda queue: not any(is_broker(files[number][place]) for number, place in queue))
        latest = span * widest - 1
        for number, place in merged(here, known):
            row = files[number][place]
            at = instant(row.at or "")
            if (width := widths.get(id(row))) is not None:
                found[id(row)] = at = min(max(at, latest + 1), at + width - 1)
            latest = max(latest, at)
    return found
