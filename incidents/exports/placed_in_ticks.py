"""Records whose platform gives their times in ticks (minutes, seconds, tenths, hundredths), placed inside their tick.

Inside a file its own order holds, between streams too. Between files the protocol tells an order, also to records with
finer times: a client joins a generation after the broker completed it, for example. Everything else of one tick counts
as written at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from groupsim.incidents.exports.line_prefixes import falling
from groupsim.incidents.exports.order import Describe, Entry, oldest_first
from groupsim.incidents.logs.patterns import Match
from groupsim.incidents.logs.protocol_order import STEPS, Place, Step, merged, steps

_STEP_NS = 1_000_000


class Share(NamedTuple):
    """A stream's share of one file, and the tick of each record in nanoseconds; 0 where its time is exact."""

    entries: Sequence[Entry]
    ticks: Sequence[int]


class _Item(NamedTuple):
    """A record: the place of its share among all, its place there, the record, its tick."""

    share: int
    place: int
    entry: Entry
    tick: int

    def at(self, ns: int) -> int:
        """The time nearest to this one that is inside its tick."""
        first = self.entry.ns or 0
        return min(max(ns, first), first + max(self.tick - 1, 0))


def placed(shares: Sequence[Share], describe: Describe) -> list[list[Entry]]:
    """The entries of all shares, those of coarse times inside their ticks."""
    found = [list(share.entries) for share in shares]
    ticks = {tick for share in shares for tick in share.ticks if tick}
    if not ticks:
        return found
    finest, widest = min(ticks), max(ticks)
    spans = _spans(shares, widest, describe)
    several = any(len(queues) > 1 for queues in spans.values())
    known = steps(_steps_in(share.entries, describe) for share in shares) if several else {}
    for queues in spans.values():
        earliest = sorted(_earliest(queues, known), key=lambda each: each[0])
        for tick, together in groupby(earliest, key=lambda each: each[0] // finest):
            for item, ns in _apart([item for _, item in together], tick * finest, finest):
                found[item.share][item.place] = item.entry._replace(ns=ns)
    return found


def _spans(shares: Sequence[Share], widest: int, describe: Describe) -> dict[int, list[list[_Item]]]:
    """By the ticks of the widest: those records, oldest first, of which each list has an order of its own.

    Records of different ticks in one file say nothing of each other: it may be sorted by the times that it prints.
    """
    files: dict[tuple[str, int], list[_Item]] = defaultdict(list)
    exact: list[_Item] = []
    for number, share in enumerate(shares):
        tick = max(share.ticks, default=0)
        items = [_Item(number, place, *each) for place, each in enumerate(zip(share.entries, share.ticks, strict=True))]
        for item in items:
            (files[item.entry.file, tick] if tick else exact).append(item)
    spans: dict[int, list[list[_Item]]] = defaultdict(list)
    for items in files.values():
        for queue in _queues(items, describe):
            for span, own in _by_span(queue, widest).items():
                spans[span].append(own)
    exact.sort(key=lambda item: item.entry.ns or 0)
    for span, own in _by_span(exact, widest).items():
        if span in spans:
            spans[span].append(own)
    return {span: queues for span, queues in spans.items() if any(item.tick for queue in queues for item in queue)}


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
        streams[item.share].append(item)
    return [sorted(own, key=lambda item: (item.entry.ns or 0, item.entry.order or 0)) for own in streams.values()]


def _by_span(queue: Iterable[_Item], widest: int) -> dict[int, list[_Item]]:
    spans: dict[int, list[_Item]] = defaultdict(list)
    for item in queue:
        if item.entry.ns is not None:
            spans[item.entry.ns // widest].append(item)
    return spans


def _earliest(queues: Sequence[Sequence[_Item]], known: Mapping[Place, Step]) -> Iterator[tuple[int, _Item]]:
    """The records in an order that may be theirs, each with the earliest time that this order leaves it."""
    items = {item[:2]: (number, item) for number, queue in enumerate(queues) for item in queue}
    latest = [0] * len(queues)
    done: dict[Step, int] = {}
    for place in merged([[item[:2] for item in queue] for queue in queues], known):
        number, item = items[place]
        step = known.get(place)
        ns = item.at(max([latest[number], *(done.get(each, 0) for each in (step.after() if step else ()))]))
        latest[number] = ns
        for each in step.counted() if step else ():
            done[each] = max(ns, done.get(each, 0))
        yield ns, item


def _apart(items: Sequence[_Item], begin: int, tick: int) -> Iterator[tuple[_Item, int]]:
    """Those records of one of the finest ticks that may be moved, with times inside it, one after the other."""
    free: list[_Item] = []
    after = begin
    for item in items:
        if item.tick:
            free.append(item)
            continue
        exact = item.entry.ns or 0
        yield from _spread(free, after, exact)
        free, after = [], exact + 1
    yield from _spread(free, after, begin + tick)


def _spread(free: Sequence[_Item], begin: int, end: int) -> Iterator[tuple[_Item, int]]:
    step = min(_STEP_NS, max(end - begin, 0) // len(free)) if free else 0
    first = begin if begin % _STEP_NS == 0 or step < _STEP_NS else begin - 1 + step  # after an exact time: the next ms
    return ((item, min(first + later * step, max(end - 1, begin))) for later, item in enumerate(free))


def _steps_in(part: Sequence[Entry], describe: Describe) -> list[tuple[int, Match]]:
    """What its records say of a group's generations, oldest first."""
    known = [(at, match) for at, entry in enumerate(part) for match in describe(entry.text) if match.kind in STEPS]
    if falling([entry.ns for entry in part if entry.ns is not None]):
        known.reverse()
    return known
