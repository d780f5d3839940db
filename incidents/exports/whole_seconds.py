"""Records whose platform gives their times in whole seconds, placed inside their second.

Inside a file its own order holds, between streams too. Between files the protocol tells an order: a client joins a
generation after the broker completed it, for example. Everything else of one second counts as written at once.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from datetime import tzinfo
from typing import NamedTuple

from groupsim.incidents.exports.heads import falling
from groupsim.incidents.exports.order import Describe, Entry, oldest_first
from groupsim.incidents.exports.plain_log import own_ms
from groupsim.incidents.logs.patterns import Match

_COARSE_NS = 500_000_000
"""Times as coarse as this say nothing about the order of records that are close to each other."""
_STEP_NS = 1_000_000
_AFTER = {
    "heartbeat_says_rebalancing": ("rebalance_start",),
    "stabilized": ("rebalance_start", "joining"),
    "joined": ("stabilized",),
    "assignment_received": ("joined",),
    "synced": ("assignment_received",),
    "assigned": ("assignment_received",),
}
"""Kinds of rows of one generation, and those that come before them, whoever writes them."""
_STEPS = frozenset([*_AFTER, *(kind for kinds in _AFTER.values() for kind in kinds)])
_BEFORE_JOINED = frozenset(["joining", "heartbeat_says_rebalancing"])
_ANSWERS = frozenset(["synced", "assigned"])


_Place = tuple[int, int]
"""The number of a part, and a record's place there."""


class Step(NamedTuple):
    """What a record is in the course of a group's generation; `member` where it names one, or only one counts."""

    group: str | None
    generation: int
    kind: str
    member: str | None

    def after(self) -> Iterator[Step]:
        """The steps that come before this one. The leader alone must have joined before its assignment comes."""
        member = self.member if self.kind == "assignment_received" else None
        return (self._replace(kind=kind, member=member) for kind in _AFTER.get(self.kind, ()))

    def counted(self) -> set[Step]:
        """As what it is looked for: as this member's, and as anybody's."""
        return {self, self._replace(member=None)}


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
    steps = _steps(parts, describe) if several else {}
    for ns, queues in seconds.items():
        merged = list(_merged(queues, steps))
        step_ns = min(_STEP_NS, merged[0].entry.resolution // len(merged))
        for later, item in enumerate(merged):
            found[item.part][item.place] = item.entry._replace(ns=ns + later * step_ns)
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


def _steps(parts: Sequence[Sequence[Entry]], describe: Describe) -> dict[_Place, Step]:
    """The steps in the records of all parts. One that names no group is of the only group, if there is but one."""
    found = {place: step for number, part in enumerate(parts) for place, step in _steps_of(number, part, describe)}
    groups = {step.group for step in found.values()} - {None}
    if len(groups) == 1:
        (group,) = groups
        found = {place: step._replace(group=group) for place, step in found.items()}
    return found


def _steps_of(number: int, part: Sequence[Entry], describe: Describe) -> Iterator[tuple[_Place, Step]]:
    """The steps in one part's records.

    A client's request belongs to the generation that it joins next, its assignment to the one that it joined last.
    """
    known = [(at, match) for at, entry in enumerate(part) for match in describe(entry.text) if match.kind in _STEPS]
    if falling([entry.ns for entry in part if entry.ns is not None]):
        known.reverse()
    asked: list[tuple[int, str]] = []
    joined: Step | None = None
    for at, match in known:
        generation = _generation(match)
        if match.kind in _BEFORE_JOINED:
            asked.append((at, match.kind))
        elif match.kind in _ANSWERS and joined is not None:
            yield (number, at), joined._replace(kind=match.kind, member=None)
        elif generation is not None:
            step = Step(match.group, generation, match.kind, match.member)
            yield (number, at), step
            if match.kind == "joined":
                joined = step
                yield from (((number, place), step._replace(kind=kind, member=None)) for place, kind in asked)
                asked.clear()


def _generation(match: Match) -> int | None:
    old, own = match.detail.get("old_generation"), match.detail.get("generation")
    return old + 1 if isinstance(old, int) else own if isinstance(own, int) else None


def _merged(queues: Sequence[Sequence[_Item]], steps: Mapping[_Place, Step]) -> Iterator[_Item]:
    """The records of one second: each queue in its order, and a step after those that come before it.

    Where that can't be, the first queue that is left goes on. Linear: a queue that waits is looked at again only when
    what it waits for is done.
    """
    own_steps = {item[:2]: steps[item[:2]] for queue in queues for item in queue if item[:2] in steps}
    left = Counter(each for step in own_steps.values() for each in step.counted())
    at = [0] * len(queues)
    ready = deque(range(len(queues)))
    waiting: dict[Step, list[int]] = defaultdict(list)
    unfinished = dict.fromkeys(range(len(queues)))
    while unfinished:
        forced = not ready
        number = next(iter(unfinished)) if forced else ready.popleft()
        while at[number] < len(queues[number]):
            item = queues[number][at[number]]
            step = own_steps.get(item[:2])
            missing = next((each for each in step.after() if left[each] > 0), None) if step and not forced else None
            if missing is not None:
                waiting[missing].append(number)
                break
            forced = False
            at[number] += 1
            yield item
            for each in step.counted() if step else ():
                left[each] -= 1
                if not left[each]:
                    ready.extend(waiting.pop(each, ()))
        else:
            unfinished.pop(number, None)
