"""A log with times in UTC and others without a zone: how far these are ahead, as the order of its lines shows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from groupsim.incidents.logs.formats import clean, parse
from groupsim.incidents.logs.scan import open_log
from groupsim.incidents.logs.times import Stamp

_HEAD = 64 << 10
_ZONED = re.compile(
    rb"(?m)^[^\n]{0,60}?(?<![\d.])1\d{9}(?:[.,]\d{1,9}|\d{3})?(?![\d.:/-])"
    rb"|\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\s?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)(?![\w:])"
)
_LOCAL = re.compile(rb"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?![\d.,]|\s?(?:Z|UTC|GMT|[+-]\d\d))")
_STEP_MS = 30 * 60_000
"""Zones differ by multiples of it; those of a quarter of an hour are left to `--tz`."""
_CLOSE_MS = 2 * 60_000
"""Lines may be so far apart where the order of the two clocks is seen only once."""
_LATE_MS = 1_000
"""Threads of one program write within this of each other, in any order."""
_FURTHEST_MS = 14 * 3_600_000


def zone_of_local_times(path: Path) -> str | None:
    """The zone (`+03:00`) of a log's times without one, by its times in UTC; None if it is UTC, or not shown.

    Only the beginning of the file is read; of a pipe, nothing.
    """
    if not path.is_file():
        return None
    with open_log(path) as log:
        head = log.read(_HEAD)
    if _ZONED.search(head) is None or _LOCAL.search(head) is None:
        return None
    ahead_ms = ahead_of_utc(stamp for raw in head.split(b"\n") if (stamp := parse(0, clean(raw)).stamp) is not None)
    if not ahead_ms:
        return None
    hours, minutes = divmod(abs(ahead_ms) // 60_000, 60)
    return f"{'+' if ahead_ms > 0 else '-'}{hours:02}:{minutes:02}"


def ahead_of_utc(stamps: Iterable[Stamp]) -> int | None:
    """How far times without a zone are ahead of those in UTC, in ms; None if their order leaves that open."""
    zoned = local = least = most = None
    for stamp in stamps:
        if stamp.ms is None:
            continue
        if stamp.zoned:
            zoned = stamp.ms
            least = least if local is None else max(local - zoned, local - zoned if least is None else least)
        else:
            local = stamp.ms
            most = most if zoned is None else min(local - zoned, local - zoned if most is None else most)
    if least is None and most is not None:  # the bound that is not known is not far from the other
        least = most - _CLOSE_MS
    elif most is None and least is not None:
        most = least + _CLOSE_MS
    if least is None or most is None:
        return None
    low, high = least - _LATE_MS, most + _LATE_MS
    fitting = [*range(-(-low // _STEP_MS) * _STEP_MS, high + 1, _STEP_MS)]
    if len(fitting) > 1 and 0 not in fitting:
        fitting = [ahead for ahead in fitting if ahead - low < _CLOSE_MS or high - ahead < _CLOSE_MS]
    return fitting[0] if len(fitting) == 1 and abs(fitting[0]) <= _FURTHEST_MS else None
