"""The records of one stream, oldest first, each once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from groupsim.incidents.exports.heads import falling

_COARSE = 100_000_000
"""Nanoseconds: equal records at times as coarse as this may be different ones."""


class Entry(NamedTuple):
    """A record of a stream: where it stands, its outer instant (UTC ns) and that one's resolution, and its text."""

    file: str
    number: int
    ns: int | None
    resolution: int
    order: int | None
    text: str


def ordered(parts: Sequence[Sequence[Entry]], newest_first: bool = False) -> list[Entry]:
    """The entries of all parts (files) of a stream, oldest first; what was delivered twice is there once.

    `newest_first` holds for a part whose own times are all equal.
    """
    turned = [_turned(part, newest_first) for part in parts]
    if len(turned) == 1:
        return _once(turned[0])
    turned.sort(key=lambda part: _first(part))
    joined: list[Entry] = []
    sorted_already = True
    for part in turned:
        if joined and part and _first(part) < _last(joined):
            sorted_already = False
        joined += part
    if not sorted_already and all(entry.ns is not None for entry in joined):
        joined.sort(key=lambda entry: entry.ns or 0)
    return _once(joined)


def direction(entries: Sequence[Entry]) -> bool | None:
    """Whether entries stand newest first; None if they are in no order, or their times say nothing."""
    return falling([entry.ns for entry in entries if entry.ns is not None])


def unordered(part: Sequence[Entry]) -> bool:
    """Whether times both rise and fall, so that entries of one time have no order that is known."""
    times = [entry.ns for entry in part if entry.ns is not None]
    return falling(times) is None and len(set(times)) > 1


def _turned(part: Sequence[Entry], default: bool) -> list[Entry]:
    found = list(part)
    times = [entry.ns for entry in found if entry.ns is not None]
    newest_first = default if len(set(times)) < 2 else falling(times)
    if newest_first:
        found.reverse()
    elif newest_first is None and len(times) == len(found):
        found.sort(key=lambda entry: (entry.ns or 0, entry.order if entry.order is not None else 0))
    return found


def _first(part: Sequence[Entry]) -> int:
    return next((entry.ns for entry in part if entry.ns is not None), 0)


def _last(part: Sequence[Entry]) -> int:
    return next((entry.ns for entry in reversed(part) if entry.ns is not None), 0)


def _once(entries: list[Entry]) -> list[Entry]:
    """The entries without those that were delivered twice.

    Equal ones of two files are one. Those of one file may be two lines of one text: they are one only if a number or a
    time finer than milliseconds says so.
    """
    seen: dict[tuple[int, str, int | None], str] = {}
    found = []
    for entry in entries:
        if entry.ns is not None and (entry.resolution <= _COARSE or entry.order is not None):
            file = seen.setdefault((entry.ns, entry.text, entry.order), "")
            exact = entry.order is not None or entry.resolution < 1_000_000
            if file and (exact or file != entry.file):
                continue
            seen[entry.ns, entry.text, entry.order] = file or entry.file
        found.append(entry)
    return found
