"""The records of one stream, oldest first, each once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from groupsim.incidents.exports.line_prefixes import falling
from groupsim.incidents.logs.patterns import Match
from groupsim.incidents.logs.row_kinds import RowKind

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


Describe = Callable[[str], tuple[Match, ...]]
"""The rows that the log reader makes of a text's first line."""
_COURSE = {
    kind: place
    for place, kind in enumerate(
        (
            RowKind.HEARTBEAT_SAYS_REBALANCING,
            RowKind.REJOIN_REQUESTED,
            RowKind.GIVING_AWAY_ALL,
            RowKind.REVOKED,
            RowKind.LOST,
            RowKind.JOINING,
            RowKind.MEMBER_ID_CREATED,
            RowKind.PENDING_MEMBER_JOINS,
            RowKind.REBALANCE_START,
            RowKind.STABILIZED,
            RowKind.JOINED,
            RowKind.LEADER_COMPUTED_ASSIGNMENT,
            RowKind.ASSIGNMENT_RECEIVED,
            RowKind.SYNCED,
            RowKind.CLIENT_BLOCK,
            RowKind.ASSIGNED,
            RowKind.CLIENT_POSITION,
        )
    )
}
"""Kinds of rows in the usual course of a rebalance: a broker's and a client's."""


def ordered(parts: Sequence[Sequence[Entry]], newest_first: bool, describe: Describe) -> list[Entry]:
    """The entries of all parts (files) of a stream, oldest first; what was delivered twice is there once.

    `newest_first` holds for a part whose own times are all equal. `describe` tells whether records of one time stand
    newest first, too: some platforms sort by time alone and leave them as they were.
    """
    turned = [_turned(part, newest_first, describe) for part in parts]
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


def _turned(part: Sequence[Entry], default: bool, describe: Describe) -> list[Entry]:
    found = list(part)
    times = [entry.ns for entry in found if entry.ns is not None]
    newest_first = default if len(set(times)) < 2 else falling(times)
    if newest_first and len(times) == len(found):
        return oldest_first(found, describe)
    if newest_first:
        found.reverse()
    elif newest_first is None and len(times) == len(found):
        found.sort(key=lambda entry: (entry.ns or 0, entry.order if entry.order is not None else 0))
    return found


def oldest_first(found: list[Entry], describe: Describe) -> list[Entry]:
    """Entries that stand newest first, turned round; those of one time by their numbers, or as a rebalance goes."""
    if all(entry.order is not None for entry in found):
        return sorted(found, key=lambda entry: (entry.ns or 0, entry.order or 0))
    turned, by_time = found[::-1], sorted(found, key=lambda entry: entry.ns or 0)
    return by_time if _follows(by_time, describe) > _follows(turned, describe) else turned


def _follows(entries: Sequence[Entry], describe: Describe) -> int:
    """How many neighbours of one time stand in the usual course of a rebalance, less those that stand against it.

    Neighbours are rows of one client, or a broker's of one group: several of them may write into one file.
    """
    score = 0
    last: dict[tuple[object, ...], tuple[int | None, int]] = {}
    for entry in entries:
        match = next((match for match in describe(entry.text) if match.kind in _COURSE), None)
        if match is None:
            continue
        writer = (match.program, match.group, match.client)
        place = _COURSE[match.kind]
        previous = last.get(writer)
        if previous is not None and previous[0] == entry.ns:
            score += (place > previous[1]) - (place < previous[1])
        last[writer] = (entry.ns, place)
    return score


def _first(part: Sequence[Entry]) -> int:
    return next((entry.ns for entry in part if entry.ns is not None), 0)


def _last(part: Sequence[Entry]) -> int:
    return next((entry.ns for entry in reversed(part) if entry.ns is not None), 0)


def each_once(parts: Sequence[Sequence[Entry]]) -> list[list[Entry]]:
    """The parts of one stream without those entries that were delivered twice."""
    kept = {id(entry) for entry in _once([entry for part in parts for entry in part])}
    return [[entry for entry in part if id(entry) in kept] for part in parts]


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
