"""The resolution of times that a platform gives: by the digits it prints; whole seconds and minutes also by zeros.

Tenths and hundredths that are filled up with zeros (`….300Z`) count as milliseconds here: `facts.coarse_times` finds
them, in the rows of the log that is made of the export.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

from groupsim.incidents.exports.order import Entry
from groupsim.incidents.exports.plain_log import own_ms

MS_NS = 1_000_000
_SECOND_NS = 1_000 * MS_NS
_MINUTE_NS = 60 * _SECOND_NS
_TICKS_NS = (_MINUTE_NS, _SECOND_NS, 100 * MS_NS, 10 * MS_NS)
_SOME, _MANY = 3, 10
"""So many records of one whole minute are no chance; the second, where others of their file are finer than minutes."""
_FEW = 0.05
"""Some programs leave out a part of a second that is zero: so few of a stream's times say nothing of the others."""


def ticks(parts: Sequence[Sequence[Entry]]) -> list[list[int]]:
    """The tick of each record in nanoseconds, 0 where it is a millisecond or less.

    A part is one stream's share of one file. Platforms print zeros for digits that they were not given, so a part of
    which all times are whole seconds, or whole minutes, has that tick whatever it prints.
    """
    in_minutes = _in_minutes(parts)
    return [
        [_MINUTE_NS] * len(part) if whole else _by_digits(part) for part, whole in zip(parts, in_minutes, strict=True)
    ]


def is_only_time(part: Sequence[Entry], zone: tzinfo | None) -> bool:
    """Whether records have times, and none but their platform's."""
    timed = any(entry.ns is not None for entry in part)
    return timed and all(own_ms(entry.text.partition("\n")[0], zone) is None for entry in part if entry.ns is not None)


def _times(part: Sequence[Entry]) -> set[int]:
    return {entry.ns for entry in part if entry.ns is not None}


def _in_minutes(parts: Sequence[Sequence[Entry]]) -> list[bool]:
    """Which parts have times in whole minutes.

    A short part of one whole minute may be chance: the others tell.
    """
    times = [_times(part) for part in parts]
    whole = [bool(own) and all(ns % _MINUTE_NS == 0 for ns in own) for own in times]
    if any(is_whole and len(own) > 1 for is_whole, own in zip(whole, times, strict=True)):
        return whole
    finer = {_way(part) for part, is_whole in zip(parts, whole, strict=True) if part and not is_whole}
    return [
        is_whole and len(part) >= (_MANY if _way(part) in finer else _SOME)
        for part, is_whole in zip(parts, whole, strict=True)
    ]


def _way(part: Sequence[Entry]) -> tuple[str, int]:
    """The file of its records, and how many digits their times have there."""
    return part[0].file, min(entry.resolution for entry in part)


def _by_digits(part: Sequence[Entry]) -> list[int]:
    """All have the tick of the finest, but those without a part of a second, if there are many."""
    timed = [entry for entry in part if entry.ns is not None]
    if not timed:
        return [0] * len(part)
    finest = min(entry.resolution for entry in timed)
    if all(ns % _SECOND_NS == 0 for ns in _times(part)):
        finest = max(finest, _SECOND_NS)
    tick = next((each for each in _TICKS_NS if finest >= each), 0)
    without = sum(entry.resolution >= _SECOND_NS for entry in timed)
    many = without > 1 + (_FEW + tick / _SECOND_NS) * len(timed)  # of tenths, one of ten is zero
    return [max(tick, _SECOND_NS) if many and entry.resolution >= _SECOND_NS else tick for entry in part]
