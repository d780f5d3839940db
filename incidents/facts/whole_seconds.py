"""Lines whose times are printed in whole seconds, placed inside their second.

Inside a file its own order holds. Between files the protocol tells an order, also to lines with finer times: a client
joins a generation after the broker completed it, for example. Where it tells none a broker's lines come first: what
clients do, such as giving up what they lost, mostly follows from it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import msgspec

from groupsim.incidents.facts.clocks import rows_by_file
from groupsim.incidents.logs.protocol_order import Place, merged, steps
from groupsim.incidents.logs.rows import Reading, Row, is_broker
from groupsim.incidents.logs.times import SECOND_MS, WHOLE_SECONDS, instant, iso

_FEW = 0.05
"""Some programs leave out a part of a second that is zero: so few of a file's times say nothing of the others."""


def in_their_seconds(reading: Reading) -> tuple[Reading, list[str]]:
    """The reading with its coarse rows inside their seconds, and a sentence for each file that has some."""
    files = rows_by_file(reading)
    coarse = {file: each for file, rows in files.items() if (each := _coarse(rows))}
    if not coarse:
        return reading, []
    times = _placed(list(files.values()), {id(row) for rows in coarse.values() for row in rows})
    changed = msgspec.structs.replace(
        reading,
        rows=[_at(row, times) for row in reading.rows],
        context=[_at(row, times) for row in reading.context],
        resolution_ms=max(SECOND_MS, reading.resolution_ms),
    )
    return changed, [f"{file}: {WHOLE_SECONDS}" for file in coarse]


def _coarse(rows: Sequence[Row]) -> list[Row]:
    """The rows of a file whose times are whole seconds; none if they are only those whose part of a second is zero."""
    found = [row for row in rows if row.coarse and row.at is not None]
    return found if len(found) > _FEW * len(rows) else []


def _at(row: Row, times: Mapping[int, int]) -> Row:
    at = times.get(id(row))
    return row if at is None else msgspec.structs.replace(row, at=iso(at))


def _placed(files: Sequence[Sequence[Row]], coarse: set[int]) -> dict[int, int]:
    """UTC milliseconds of the coarse rows, by identity: at least one after that before it, within its second."""
    seconds = {instant(row.at) // SECOND_MS for rows in files for row in rows if id(row) in coarse and row.at}
    queues: dict[int, dict[int, list[Place]]] = defaultdict(lambda: defaultdict(list))
    fine: dict[int, list[tuple[int, Place]]] = defaultdict(list)
    for number, rows in enumerate(files):
        mixed = any(id(row) in coarse for row in rows)
        for place, row in enumerate(rows):
            if row.at is None or (second := (at := instant(row.at)) // SECOND_MS) not in seconds:
                continue
            if mixed:
                queues[second][number].append((number, place))
            else:
                fine[second].append((at, (number, place)))
    known = steps(enumerate(rows) for rows in files)
    found: dict[int, int] = {}
    for second in sorted(seconds):
        here = [[place for _, place in sorted(fine[second])], *queues[second].values()]
        here.sort(key=lambda queue: not any(is_broker(files[number][place]) for number, place in queue))
        latest = second * SECOND_MS - 1
        for number, place in merged(here, known):
            row = files[number][place]
            at = instant(row.at or "")
            if id(row) in coarse:
                found[id(row)] = at = min(max(at, latest + 1), at + SECOND_MS - 1)
            latest = max(latest, at)
    return found
