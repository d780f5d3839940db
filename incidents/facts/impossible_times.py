"""Rows with a time that cannot be right: a stray year, a clock that was not set yet. They are named and left out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import msgspec

from groupsim.incidents.logs.rows import Reading, Row
from groupsim.incidents.logs.times import instant
from groupsim.incidents.tolerances import HOUR_MS
from groupsim.wording.lists import listed
from groupsim.wording.numbers import counted

_DAY_MS = 24 * HOUR_MS
"""Within a file, a time that is off by more than a day from the lines on both sides …"""
_FEW = 0.1
"""… is wrong if no more than this share of the file's rows is off: else the file has its lines in another order."""
_YEAR_MS = 366 * _DAY_MS
"""No group is silent for longer between two lines of one import."""
_SHOWN = 3


def without_strays(reading: Reading) -> tuple[Reading, list[str]]:
    """The reading without the rows whose times cannot be right, and a sentence for each file that had some.

    The end of a file counts only if its last line is not off either.
    """
    rows = [row for rows in (reading.rows, reading.context) for row in rows]
    times = {id(row): instant(row.at) for row in rows if row.at is not None}
    if not times:
        return reading, []
    strays: set[int] = set()
    first, last = min(times.values()), max(times.values())
    if last - first > _DAY_MS:
        strays = _off_in_their_files(rows, times)
        first, last = _period([at for key, at in times.items() if key not in strays])
        strays |= {key for key, at in times.items() if not first <= at <= last}
    ends = {file: end for file, end in reading.ends.items() if first - _YEAR_MS <= instant(end) <= last + _YEAR_MS}
    off = {file: end for file, end in reading.ends.items() if file not in ends}
    if not strays and not off:
        return reading, []
    kept = msgspec.structs.replace(
        reading,
        rows=[row for row in reading.rows if id(row) not in strays],
        context=[row for row in reading.context if id(row) not in strays],
        ends={file: end for file, end in reading.ends.items() if file not in off},
    )
    return kept, [*_sentences([row for row in rows if id(row) in strays]), *_last_lines(off)]


def _off_in_their_files(rows: Sequence[Row], times: dict[int, int]) -> set[int]:
    """The rows that are a day off from the lines around them, by identity."""
    by_file: dict[str, list[Row]] = {}
    for row in rows:
        if id(row) in times:
            by_file.setdefault(row.file, []).append(row)
    found: set[int] = set()
    for timed in by_file.values():
        timed.sort(key=lambda row: row.line if row.order is None else row.order)
        runs = _runs(timed, times)
        if len(runs) < 3:
            continue
        inside = _longest([(times[id(run[0])], times[id(run[-1])], len(run)) for run in runs])
        off = [row for number, run in enumerate(runs) if number not in inside for row in run]
        if len(off) <= max(1, _FEW * len(timed)):
            found.update(map(id, off))
    return found


def _runs(rows: Sequence[Row], times: dict[int, int]) -> list[list[Row]]:
    """Rows in runs: between two runs the time jumps by more than a day, forwards or back."""
    runs: list[list[Row]] = []
    for row in rows:
        if not runs or abs(times[id(row)] - times[id(runs[-1][-1])]) > _DAY_MS:
            runs.append([])
        runs[-1].append(row)
    return runs


def _longest(runs: Sequence[tuple[int, int, int]]) -> set[int]:
    """The runs (first time, last time, rows) that follow each other in time and have the most rows together."""
    ends: list[int] = []  # rising, each with the best chain that ends there …
    best: list[tuple[int, int]] = []  # … its rows, rising, and its last run
    before: list[int | None] = []
    for number, (first, last, weight) in enumerate(runs):
        place = bisect_right(ends, first)
        total, previous = best[place - 1] if place else (0, None)
        before.append(previous)
        place = bisect_right(ends, last)
        if place and best[place - 1][0] >= total + weight:
            continue
        worse = place
        while worse < len(best) and best[worse][0] <= total + weight:
            worse += 1
        ends[place:worse], best[place:worse] = [last], [(total + weight, number)]
    chain: set[int] = set()
    at: int | None = best[-1][1]
    while at is not None:
        chain.add(at)
        at = before[at]
    return chain


def _period(times: list[int]) -> tuple[int, int]:
    """The first and the last of the times without a year's silence in between, where most of them are."""
    periods: list[list[int]] = []
    for at in sorted(times):
        if not periods or at - periods[-1][-1] > _YEAR_MS:
            periods.append([])
        periods[-1].append(at)
    most = max(periods, key=len, default=[0])
    return most[0], most[-1]


def _sentences(strays: Sequence[Row]) -> list[str]:
    by_file: dict[str, list[Row]] = {}
    for row in strays:
        by_file.setdefault(row.file, []).append(row)
    found = []
    for file, rows in by_file.items():
        shown = listed([f"line {row.line} ({row.at})" for row in rows], most=_SHOWN)
        found.append(
            f"{file}: {counted(len(rows), 'row')} left out, because the time cannot be right beside the other lines:"
            f" {shown}"
        )
    return found


def _last_lines(ends: dict[str, str]) -> list[str]:
    return [f"{file}: the time of its last line ({end}) cannot be right; it was left out" for file, end in ends.items()]
