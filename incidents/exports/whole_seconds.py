"""Records whose platform gives their times in whole seconds, placed inside their second.

Inside a file its own order holds, between streams too. Between files the protocol tells an order: a client joins a
generation after the broker completed it, for example. Everything else of one second counts as written at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import tzinfo
from typing import NamedTuple

from groupsim.incidents.exports.heads import falling
from groupsim.incidents.exports.order import Describe, Entry, oldest_first
from groupsim.incidents.exports.plain_log import own_ms
from groupsim.incidents.logs.patterns import Match
from groupsim.incidents.logs.protocol_order import STEPS, merged, steps

_COARSE_NS = 500_000_000
"""Times as coarse as this say nothing about the order of records that are close to each other."""
_STEP_NS = 1_000_000


class _Item(NamedTuple):
    """A record: the place of its part among all parts, its place there, and the record."""

    part: int
    place: int
    entry: Entry


def placed(parts: Sequence[Sequence[Entry]], describe: Describe) -> list[list[Entry]]:
    """The parts (one stream's share of one file each), records of whole seconds with times inside their seconds."""
    found = [list(part) for part in parts]
    files: dict[str, list[_Item]] = defaultdict(list)
    for number, part in enumerate(parts):
        for place, entry in enumerate(part):
            files[entry.file].append(_Item(number, place, entry))
    seconds: dict[int, list[list[_Item]]] = defaultdict(list)
    for items in files.values():
        for queue in _queues(items, describe):
            _add_by_second(queue, seconds)
    several = any(len(queues) > 1 for queues in seconds.values())
    known = steps(_steps_in(part, describe) for part in parts) if several else {}
    for ns, queues in seconds.items():
        places = list(merged([[item[:2] for item in queue] for queue in queues], known))
        step_ns = min(_STEP_NS, queues[0][0].entry.resolution // len(places))
        for later, (number, place) in enumerate(places):
            found[number][place] = parts[number][place]._replace(ns=ns + later * step_ns)
    return found


def is_coarse(entries: Sequence[Entry], zone: tzinfo | None) -> bool:
    """Whether records have no time but their platform's, in seconds."""
    seconds = [entry for entry in entries if entry.ns is not None and entry.resolution >= _COARSE_NS]
    return bool(seconds) and all(own_ms(entry.text.partition("\n")[0], zone) is None for entry in seconds)


def _queues(items: list[_Item], describe: Describe) -> list[list[_Item]]:
    """A file's records oldest first: one queue; or one a stream, if the file is in no order."""
    items.sort(key=lambda item: item.entry.number)
    times = [item.entry.ns for item in items if item.entry.ns is not None]
    newest_first = falling(times)
    if newest_first is False or len(set(times)) < 2:
        return [items]
    if newest_first and len(times) == len(items):
        by_entry = {id(item.entry): item for item in items}
        return [[by_entry[id(entry)] for entry in oldest_first([item.entry for item in items], describe)]]
    if newest_first:
        return [items[::-1]]
    streams: dict[int, list[_Item]] = defaultdict(list)
    for item in items:
        streams[item.part].append(item)
    return [sorted(own, key=lambda item: item.entry.order or 0) for own in streams.values()]


def _add_by_second(queue: Sequence[_Item], seconds: dict[int, list[list[_Item]]]) -> None:
    own: dict[int, list[_Item]] = defaultdict(list)
    for item in queue:
        if item.entry.ns is not None and item.entry.resolution >= _COARSE_NS:
            own[item.entry.ns].append(item)
    for ns, items in own.items():
        seconds[ns].append(items)


def _steps_in(part: Sequence[Entry], describe: Describe) -> list[tuple[int, Match]]:
    """What its records say of a group's generations, oldest first."""
    known = [(at, match) for at, entry in enumerate(part) for match in describe(entry.text) if match.kind in STEPS]
    if falling([entry.ns for entry in part if entry.ns is not None]):
        known.reverse()
    return known
