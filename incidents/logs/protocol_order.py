"""The order that the protocol gives to lines whose times are equal: a member joins after the broker completed, say."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from groupsim.incidents.logs.patterns import Detail
from groupsim.incidents.logs.row_kinds import RowKind

_AFTER = {
    RowKind.HEARTBEAT_SAYS_REBALANCING: (RowKind.REBALANCE_START,),
    RowKind.STABILIZED: (RowKind.REBALANCE_START, RowKind.JOINING),
    RowKind.JOINED: (RowKind.STABILIZED, RowKind.JOINING),
    RowKind.ASSIGNMENT_RECEIVED: (RowKind.JOINED,),
    RowKind.SYNCED: (RowKind.ASSIGNMENT_RECEIVED,),
    RowKind.ASSIGNED: (RowKind.ASSIGNMENT_RECEIVED,),
    RowKind.MEMBER_LEFT: (RowKind.LEAVE_SENT,),
}
"""Kinds of rows of one generation, or of one member's end, and those that come before them, whoever writes them."""
STEPS = frozenset([*_AFTER, *(kind for kinds in _AFTER.values() for kind in kinds)])
_BEFORE_JOINED = frozenset([RowKind.JOINING, RowKind.HEARTBEAT_SAYS_REBALANCING])
_OF_ONE_MEMBER = frozenset([RowKind.ASSIGNMENT_RECEIVED, RowKind.MEMBER_LEFT])
_LEAVING = frozenset([RowKind.MEMBER_LEFT, RowKind.LEAVE_SENT])
_NO_GENERATION = -1
_ANSWERS = frozenset([RowKind.SYNCED, RowKind.ASSIGNED])

_Client = tuple[str | None, str | None]
Place = tuple[int, int]
"""The number of a log or a part of one, and a line's place there."""


class Described(Protocol):
    """What is read of a line: a `patterns.Match` or a `rows.Row`."""

    @property
    def kind(self) -> RowKind: ...
    @property
    def group(self) -> str | None: ...
    @property
    def member(self) -> str | None: ...
    @property
    def client(self) -> str | None: ...
    @property
    def detail(self) -> Detail: ...


class Step(NamedTuple):
    """What a line is in the course of a group's generation; `member` where it names one, or only one counts."""

    group: str | None
    generation: int
    kind: RowKind
    member: str | None

    def after(self) -> Iterator[Step]:
        """The steps that come before this one. The leader alone must have joined before its assignment comes."""
        member = self.member if self.kind in _OF_ONE_MEMBER else None
        return (self._replace(kind=kind, member=member) for kind in _AFTER.get(self.kind, ()))

    def counted(self) -> set[Step]:
        """As what it is looked for: as this member's, and as anybody's."""
        return {self, self._replace(member=None)}


def steps(parts: Iterable[Iterable[tuple[int, Described]]]) -> dict[Place, Step]:
    """The steps in all parts, oldest first: each is `(place, what is read there)`.

    One that names no group is of the only group, if there is but one.
    """
    found = {place: step for number, part in enumerate(parts) for place, step in _steps_of(number, part)}
    groups = {step.group for step in found.values()} - {None}
    if len(groups) == 1:
        (group,) = groups
        found = {place: step._replace(group=group) for place, step in found.items()}
    return found


def _steps_of(number: int, part: Iterable[tuple[int, Described]]) -> Iterator[tuple[Place, Step]]:
    """The steps in one part.

    A client's request belongs to the generation that it joins next, its assignment to the one that it joined last.
    """
    asked: dict[_Client, list[tuple[int, RowKind]]] = defaultdict(list)
    joined: dict[_Client, Step] = {}
    for at, read in part:
        if read.kind not in STEPS:
            continue
        client, generation = (read.client, read.group), _generation(read)
        if read.kind in _BEFORE_JOINED:
            asked[client].append((at, read.kind))
        elif read.kind in _ANSWERS and client in joined:
            yield (number, at), joined[client]._replace(kind=read.kind, member=None)
        elif read.kind in _LEAVING:
            if read.member is not None:
                yield (number, at), Step(read.group, _NO_GENERATION, read.kind, read.member)
        elif generation is not None:
            step = Step(read.group, generation, read.kind, read.member)
            yield (number, at), step
            if read.kind == RowKind.JOINED:
                joined[client] = step
                for place, kind in asked.pop(client, ()):
                    yield (number, place), step._replace(kind=kind, member=None)


def _generation(read: Described) -> int | None:
    old, own = read.detail.get("old_generation"), read.detail.get("generation")
    return old + 1 if isinstance(old, int) else own if isinstance(own, int) else None


def merged(queues: Sequence[Sequence[Place]], known: Mapping[Place, Step]) -> Iterator[Place]:
    """The lines of one time: each queue in its order, and a step after those that come before it.

    Where that can't be, the first queue that is left goes on. Linear: a queue that waits is looked at again only when
    what it waits for is done.
    """
    own_steps = {place: known[place] for queue in queues for place in queue if place in known}
    left = Counter(each for step in own_steps.values() for each in step.counted())
    at = [0] * len(queues)
    ready = deque(range(len(queues)))
    waiting: dict[Step, list[int]] = defaultdict(list)
    waits_for: dict[int, Step] = {}
    """Only the last thing that a queue waited for counts: it may have been forced to go on."""
    unfinished = dict.fromkeys(range(len(queues)))
    while unfinished:
        forced = not ready
        number = next(iter(unfinished)) if forced else ready.popleft()
        waits_for.pop(number, None)
        while at[number] < len(queues[number]):
            place = queues[number][at[number]]
            step = own_steps.get(place)
            missing = next((each for each in step.after() if left[each] > 0), None) if step and not forced else None
            if missing is not None:
                waiting[missing].append(number)
                waits_for[number] = missing
                break
            forced = False
            at[number] += 1
            yield place
            for each in step.counted() if step else ():
                left[each] -= 1
                if not left[each]:
                    freed = dict.fromkeys(waiting.pop(each, ()))
                    ready.extend(one for one in freed if waits_for.get(one) == each)
        else:
            unfinished.pop(number, None)
