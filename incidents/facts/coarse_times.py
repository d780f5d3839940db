"""Lines whose times are coarse (whole seconds, say), placed inside their second.

Inside a file its own order holds. Between files the protocol tells an order, also to lines with finer times: a client
joins a generation after the broker completed it, for example. Where it tells none a broker's lines come first: what
clients do, such as giving up what they lost, mostly follows from it. Lines that do not fit into their second go on
after it: what a member gives up and gets again must not be at one time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from groupsim.incidents.facts.clocks import rows_by_file
from groupsim.incidents.logs.protocol_order import Place, Step, merged, steps
from groupsim.incidents.logs.rows import Program, Reading, Row, is_broker
from groupsim.incidents.logs.times import instant, iso
from groupsim.storage.log_gaps import coarse_times

_RESOLUTIONS_MS = (60_000, 1_000, 100, 10)
_ENOUGH = {60_000: 3, 1_000: 1, 100: 4, 10: 8}
"""So many rows of a writer whose times are all multiples of this are no chance, though zeros are printed behind it."""
_SOME = 2
"""So many times without digits that others have are no chance, if there are also more than what is in `_TRIMMED`."""
_TRIMMED = {60_000: 0.01, 1_000: 0.01, 100: 0.03, 10: 0.15}
"""Some programs leave out zeros at a time's end: this share of a writer's times says nothing of the others."""

_Writer = tuple[str, bool, str | None]


class _Coarse(NamedTuple):
    """The coarse rows of one writer, and their resolution in milliseconds."""

    resolution_ms: int
    rows: Sequence[Row]


def in_order(reading: Reading) -> tuple[Reading, list[str]]:
    """The reading with its coarse rows inside their seconds, and a sentence for each file that has some."""
    files = {file: [row for row in rows if row.at is not None] for file, rows in rows_by_file(reading).items()}
    coarse = _coarse([row for rows in files.values() for row in rows])
    if not coarse:
        return reading, []
    widths = {id(row): writer.resolution_ms for writer in coarse for row in writer.rows}
    times = _placed(list(files.values()), widths)
    of_files: dict[str, int] = {}
    for writer in coarse:
        file = writer.rows[0].file
        of_files[file] = max(writer.resolution_ms, of_files.get(file, 0))
    moved = (times[id(row)] - instant(row.at or "") for writer in coarse for row in writer.rows)
    changed = msgspec.structs.replace(
        reading,
        rows=[_at(row, times) for row in reading.rows],
        context=[_at(row, times) for row in reading.context],
        resolution_ms=max([*widths.values(), reading.resolution_ms]),
        placed_ms=max(reading.placed_ms, *moved),
    )
    return changed, [f"{file}: {coarse_times(resolution_ms)}" for file, resolution_ms in of_files.items()]


def _coarse(rows: Sequence[Row]) -> list[_Coarse]:
    """The coarse rows by who wrote them; a file may have several writers.

    Where one writer has coarse times, another one whose few times are such, too, has them as well.
    """
    writers: dict[_Writer, list[Row]] = defaultdict(list)
    for row in rows:
        if row.program is not Program.OFFSETS_TOPIC:
            writers[row.file, is_broker(row), row.client].append(row)
    coarse = {writer: each for writer, of_one in writers.items() if (each := _of_one(of_one)) is not None}
    levels = {each.resolution_ms for each in coarse.values()}
    for writer, of_one in writers.items():
        least = min(row.multiple_ms for row in of_one)
        level = max((each for each in levels if each <= least), default=0)
        if level and (writer not in coarse or level > coarse[writer].resolution_ms):
            coarse[writer] = _Coarse(level, of_one)
    return [coarse[writer] for writer in writers if writer in coarse]


def _of_one(rows: Sequence[Row]) -> _Coarse | None:
    """By what all times are multiples of, or else by the digits that are printed in some."""
    finest = min(row.multiple_ms for row in rows)
    for resolution_ms in _RESOLUTIONS_MS:
        printed = resolution_ms <= min(row.resolution_ms for row in rows)
        if finest >= resolution_ms and (printed or len(rows) >= _ENOUGH[resolution_ms]):
            return _Coarse(resolution_ms, rows)
    short = [row for row in rows if row.resolution_ms]
    shares = {
        resolution_ms: sum(row.resolution_ms >= resolution_ms for row in short) / len(rows)
        for resolution_ms in _RESOLUTIONS_MS
    }
    if len(short) < _SOME or all(share <= _TRIMMED[resolution_ms] for resolution_ms, share in shares.items()):
        return None
    return _Coarse(max(row.resolution_ms for row in short), short)


def _at(row: Row, times: Mapping[int, int]) -> Row:
    at = times.get(id(row))
    return row if at is None else msgspec.structs.replace(row, at=iso(at))


def _placed(files: Sequence[Sequence[Row]], widths: Mapping[int, int]) -> dict[int, int]:
    """UTC milliseconds of the coarse rows, by identity: those of one time are 1 ms apart, or more if others forbid.

    `widths`: the resolutions of the coarse rows, by identity. Rows of one kind that follow each other have one time.
    """
    known = steps(enumerate(rows) for rows in files)
    done: dict[Step, int] = {}
    latest: dict[int, tuple[int, str]] = {}
    placed: dict[int, int] = {}
    for places in _by_time(files, widths, known):
        slot, previous = 0, None
        for number, place in places:
            row, step = files[number][place], known.get((number, place))
            at = instant(row.at or "")
            if id(row) in widths:
                slot += previous not in (None, (number, row.kind))
                previous = (number, row.kind)
                own, kind = latest.get(number, (at, row.kind))
                before = [done[each] + 1 for each in step.after() if each in done] if step else []
                at = placed[id(row)] = max(at + slot, own + (kind != row.kind), *before)
            latest[number] = (max(at, latest.get(number, (at, ""))[0]), row.kind)
            for each in step.counted() if step else ():
                done[each] = max(at, done.get(each, at))
    return placed


def _by_time(
    files: Sequence[Sequence[Row]], widths: Mapping[int, int], known: Mapping[Place, Step]
) -> Iterator[Iterable[Place]]:
    """The rows at and around each coarse time, in the order in which they must have been written."""
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
    for span in sorted(spans):
        here = [[place for _, place in sorted(fine[span])], *queues[span].values()]
        here.sort(key=lambda queue: not any(is_broker(files[number][place]) for number, place in queue))
        yield merged(here, known)
