"""What is known of the clocks behind a reading: corrections of those that are off, and how exact all times are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import structs

from groupsim.incidents.facts.clocks import stepped_back_ms
from groupsim.incidents.facts.skew import Skew, estimate_skews, left_ms, unbounded_clocks
from groupsim.incidents.logs.rows import Reading, Row
from groupsim.incidents.logs.times import instant, iso
from groupsim.storage.log_gaps import Precision
from groupsim.wording.lists import listed
from groupsim.wording.times import duration


class ClockCheck(NamedTuple):
    """`corrections`: milliseconds to add, by file. `precision`: of all times when that is done.

    Sentences: `off` on the clocks that are off, `fitting` on the others (not of coarse times, which tell little);
    `unbounded`, why no total has bounds.
    """

    corrections: Mapping[str, int]
    off: list[str]
    fitting: list[str]
    unbounded: list[str]
    precision: Precision


def check_clocks(reading: Reading) -> ClockCheck:
    """Hold the clients' clocks against their brokers', and each against itself."""
    skews = estimate_skews(reading)
    return ClockCheck(
        corrections=_corrections(skews),
        off=[*_zones(skews), *(str(skew) for skew in skews if skew.off)],
        fitting=[] if reading.resolution_ms else [str(skew) for skew in skews if skew.support and not skew.off],
        unbounded=unbounded_clocks(skews),
        precision=Precision(
            reading.resolution_ms, reading.placed_ms, max(left_ms(skews, reading), stepped_back_ms(reading))
        ),
    )


def _corrections(skews: Sequence[Skew]) -> dict[str, int]:
    return {skew.file: skew.ms + skew.zone_ms for skew in skews if skew.ms or skew.zone_ms}


def _zones(skews: Sequence[Skew]) -> list[str]:
    """A sentence on the files of each other time zone."""
    files: dict[int, list[str]] = defaultdict(list)
    for skew in skews:
        if skew.zone_ms:
            files[skew.zone_ms].append(skew.file)
    return [
        f"{listed(names)}: times are {duration(abs(ms))} {'behind' if ms > 0 else 'ahead of'} the broker's, as in"
        " another time zone; they are corrected"
        for ms, names in files.items()
    ]


def on_brokers_clock(reading: Reading) -> Reading:
    """The reading with all times as its brokers' clocks would show them, as far as that is known."""
    corrections = _corrections(estimate_skews(reading)) if len(reading.files) > 1 else {}
    if not corrections:
        return reading

    def moved(rows: Sequence[Row]) -> list[Row]:
        return [
            row if row.at is None or row.file not in corrections else _at(row, corrections[row.file]) for row in rows
        ]

    return structs.replace(
        reading,
        rows=moved(reading.rows),
        context=moved(reading.context),
        evidence=moved(reading.evidence),
        ends={file: iso(instant(end) + corrections.get(file, 0)) for file, end in reading.ends.items()},
    )


def _at(row: Row, later_ms: int) -> Row:
    return structs.replace(row, at=None if row.at is None else iso(instant(row.at) + later_ms))
