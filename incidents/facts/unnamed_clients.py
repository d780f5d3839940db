"""Which lines of a log are of one process, where several clients wrote into it and their lines name no client.

What such lines do name are member ids (who joined, who left) and partitions (what is revoked is what was assigned).
From one to the other lead a client's own steps: it revokes, joins, gets its member id, has joined, is assigned.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, auto

from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.logs.row_kinds import RowKind

PlacedRow = tuple[int, TimedRow]
"""A row with its position in the common order."""
_STARTS = frozenset([RowKind.CLIENT_CONFIGURED, RowKind.CLIENT_SUBSCRIBED, RowKind.COORDINATOR_FOUND])
_REVOKING = frozenset([RowKind.REVOKED, RowKind.LOST])
_TROUBLE = frozenset(
    [
        RowKind.POLL_TIMEOUT,
        RowKind.SESSION_EXPIRED,
        RowKind.COORDINATOR_LOST,
        RowKind.COMMIT_FAILED,
        RowKind.HEARTBEAT_THREAD_STOPPED,
    ]
)
_MOST = 1_000
"""More processes than this are not separated."""
_NEAR = 12
"""A client in trouble says who it is, by its member id or its partitions, within so many lines."""
_MUST_BE_PLACED = frozenset(
    [RowKind.JOINING, RowKind.JOINED, RowKind.ASSIGNED, RowKind.REVOKED, RowKind.LOST, RowKind.MEMBER_ID_CREATED]
)


class _Step(StrEnum):
    """What a process does next."""

    REVOKE = auto()
    JOIN = auto()
    WAIT = auto()
    TAKE = auto()
    WORK = auto()
    END = auto()


class _Fate(StrEnum):
    """What becomes of a member, or of the partitions that it was assigned."""

    REJOINS = auto()
    LEAVES = auto()
    LOSES = auto()
    SILENT = auto()


@dataclass(slots=True, eq=False)
class _Process:
    """One process so far. `held`: what it was last assigned; `since`: at which row it came to its step."""

    step: _Step
    since: int
    member: str | None = None
    held: frozenset[str] | None = None
    asked: bool = False
    lost_coordinator: bool = False
    rows: list[PlacedRow] = field(default_factory=list)


def share_a_log(rows: Sequence[PlacedRow]) -> bool:
    """Whether members took turns: one joined, then another one, and then the first again or in the same generation."""
    joined = [timed.row for _, timed in rows if timed.row.kind == RowKind.JOINED and timed.row.member is not None]
    members: dict[object, set[str | None]] = defaultdict(set)
    for row in joined:
        members[row.group, row.detail.get("generation")].add(row.member)
    turns = [row.member for row, before in zip(joined, [None, *joined], strict=False) if before != row]
    changes = [m for m, before in zip(turns, [None, *turns], strict=False) if m != before]
    return any(len(each) > 1 for each in members.values()) or len(changes) > len(set(changes))


def separated(rows: Sequence[PlacedRow]) -> tuple[list[list[PlacedRow]], int]:
    """The rows of each process, and how many lines about members and partitions may be of another one."""
    found = _Separation(rows)
    for at in range(len(rows)):
        found.place(at)
        if len(found.processes) > _MOST:
            return [list(rows)], len(rows)
    return [process.rows for process in found.processes], found.doubts


class _Separation:
    def __init__(self, rows: Sequence[PlacedRow]) -> None:
        self._rows = rows
        self.processes: list[_Process] = []
        self.doubts = 0
        self._takers: dict[int, _Process] = {}
        self._assigned: list[int] = []
        self._given: dict[frozenset[str], list[int]] = defaultdict(list)
        self._of_member: dict[str, list[int]] = defaultdict(list)
        for at, (_, timed) in enumerate(rows):
            kind, member = timed.row.kind, timed.row.member
            if kind == RowKind.ASSIGNED:
                self._assigned.append(at)
            elif kind in _REVOKING:
                self._given[_partitions(timed.row.detail)].append(at)
            elif member is not None and kind in (RowKind.JOINED, RowKind.LEAVE_SENT):
                self._of_member[member].append(at)

    def place(self, at: int) -> None:
        """Give a row to its process; one whose process is not known is left out."""
        item = self._rows[at]
        row = item[1].row
        process = self._owner(at)
        if process is None:
            self.doubts += row.kind in _MUST_BE_PLACED
            return
        process.rows.append(item)
        self._advance(process, at)

    def _owner(self, at: int) -> _Process | None:
        row = self._rows[at][1].row
        if row.kind in _STARTS:
            return self._starting(at)
        if row.kind in _REVOKING:
            return self._giver(at)
        if row.kind == RowKind.JOINING:
            return self._first(_Step.JOIN) or self._only(_Step.WAIT) or self._only(_Step.WORK)
        if row.kind == RowKind.ASSIGNED:
            if at not in self._takers:
                self._match(at)
            return self._takers.get(at)
        if row.member is not None:
            known = next((p for p in reversed(self.processes) if p.member == row.member), None)
            if known is not None or row.kind not in (RowKind.JOINED, RowKind.MEMBER_ID_CREATED):
                self.doubts += known is not None and row.kind == RowKind.JOINED and known.step is not _Step.WAIT
                return known
            return next((p for p in self._at(_Step.WAIT) if p.member is None), None)
        if row.kind == RowKind.HEARTBEAT_SAYS_REBALANCING:
            asked = [p for p in self._at(_Step.WORK) if not p.asked]
            return min(asked, key=lambda p: self._revocation(p.held, at) or len(self._rows), default=None)
        if row.kind in _TROUBLE:
            return self._in_trouble(at)
        if (partition := row.detail.get("partition")) is not None:
            return next((p for p in self.processes if p.held and partition in p.held), None)
        return max(self.processes, key=lambda p: p.rows[-1][0] if p.rows else -1, default=None)

    def _advance(self, process: _Process, at: int) -> None:
        row = self._rows[at][1].row
        step = process.step
        if row.kind in _REVOKING:
            step, process.held = _Step.JOIN, None
            process.member = None if row.kind == RowKind.LOST else process.member
        elif row.kind == RowKind.JOINING:
            step = _Step.WAIT
        elif row.kind == RowKind.MEMBER_ID_CREATED:
            step, process.member = _Step.JOIN, row.member
        elif row.kind == RowKind.JOINED:
            step, process.member = _Step.TAKE, row.member
        elif row.kind == RowKind.ASSIGNED:
            step, process.held, process.asked = _Step.WORK, _partitions(row.detail), False
        elif row.kind == RowKind.LEAVE_SENT and process.held is None:
            step = _Step.END
        elif row.kind == RowKind.HEARTBEAT_SAYS_REBALANCING:
            process.asked = True
        process.lost_coordinator = row.kind in (RowKind.COORDINATOR_LOST, RowKind.SESSION_EXPIRED)
        if step is not process.step or row.kind in _STARTS:
            process.step, process.since = step, at

    def _starting(self, at: int) -> _Process:
        lost = next((p for p in self.processes if p.lost_coordinator), None)
        begun = next((p for p in self._at(_Step.REVOKE) if self._kind(p.since) != RowKind.COORDINATOR_FOUND), None)
        process = lost or begun
        if process is None:
            process = _Process(_Step.REVOKE, at)
            self.processes.append(process)
        return process

    def _giver(self, at: int) -> _Process | None:
        given = _partitions(self._rows[at][1].row.detail)
        if not given and (fresh := self._first(_Step.REVOKE)) is not None:
            return fresh
        return next((p for p in self._at(_Step.WORK) if p.held == given), None)

    def _in_trouble(self, at: int) -> _Process | None:
        for later in range(at + 1, min(at + _NEAR, len(self._rows))):
            row = self._rows[later][1].row
            if row.kind == RowKind.LEAVE_SENT and row.member is not None:
                return next((p for p in self.processes if p.member == row.member), None)
            if row.kind == RowKind.LOST:
                return self._giver(later)
        return None

    def _match(self, at: int) -> None:
        """Give the assignments from this one on to the processes that wait for one, by what becomes of both."""
        waiting = sorted(self._at(_Step.TAKE), key=lambda p: p.since)
        lines = list(self._next_assigned(at, len(waiting)))
        fates = {line: self._fate_of_partitions(line) for line in lines}
        for line in list(fates):  # who says that it leaves has just revoked what it held
            fate, member = fates[line]
            owner = next((p for p in waiting if fate is _Fate.LEAVES and p.member == member), None)
            if owner is not None:
                self._takers[line] = owner
                waiting.remove(owner)
                del fates[line]
        members = {process: self._fate_of_member(process.member, at) for process in waiting}
        for fate in (_Fate.REJOINS, _Fate.LOSES, _Fate.SILENT):
            alike = [line for line in fates if fates[line][0] is fate and line not in self._takers]
            takers = [p for p in waiting if members[p] is fate]
            self._takers.update(zip(alike, takers, strict=False))
            waiting = [p for p in waiting if p not in takers[: len(alike)]]
        left = [line for line in fates if line not in self._takers]
        self.doubts += len(left) > 1
        self._takers.update(zip(left, waiting, strict=False))

    def _next_assigned(self, at: int, most: int) -> Iterator[int]:
        """The assignments from this one on that can be of one generation: no partition twice."""
        seen: set[str] = set()
        first = bisect_left(self._assigned, at)
        for later in self._assigned[first : first + most]:
            held = _partitions(self._rows[later][1].row.detail)
            if not held.isdisjoint(seen):
                return
            seen |= held
            yield later

    def _fate_of_partitions(self, at: int) -> tuple[_Fate, str | None]:
        later = self._revocation(_partitions(self._rows[at][1].row.detail), at)
        if later is None:
            return _Fate.SILENT, None
        if self._kind(later) == RowKind.LOST:
            return _Fate.LOSES, None
        following = self._rows[later + 1][1].row if later + 1 < len(self._rows) else None
        if following is not None and following.kind == RowKind.LEAVE_SENT:
            return _Fate.LEAVES, following.member
        return _Fate.REJOINS, None

    def _fate_of_member(self, member: str | None, at: int) -> _Fate:
        later = self._of_member.get(member or "", [])
        place = bisect_left(later, at)
        if place == len(later):
            return _Fate.SILENT
        return _Fate.REJOINS if self._kind(later[place]) == RowKind.JOINED else _Fate.LOSES

    def _revocation(self, held: frozenset[str] | None, at: int) -> int | None:
        """The next row that revokes just these partitions."""
        later = self._given.get(held or frozenset(), [])
        for each in later[bisect_right(later, at) :]:
            if held or self._kind(each - 1) not in _STARTS:
                return each
        return None

    def _kind(self, at: int) -> str:
        return self._rows[at][1].row.kind

    def _at(self, step: _Step) -> list[_Process]:
        return sorted((p for p in self.processes if p.step is step), key=lambda p: p.since)

    def _first(self, step: _Step) -> _Process | None:
        return next(iter(self._at(step)), None)

    def _only(self, step: _Step) -> _Process | None:
        found = self._at(step)
        return found[0] if len(found) == 1 else None


def _partitions(detail: dict[str, object]) -> frozenset[str]:
    listed = detail.get("partitions")
    return frozenset(map(str, listed)) if isinstance(listed, list) else frozenset()
