"""Who came and went: departures with what became of them, and joins of those who were not there before."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache

from groupsim.diagnosis.codes import GroupType
from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.incarnations import YOUNG
from groupsim.diagnosis.moves import Departure, Going, Join
from groupsim.incidents.logs.client_libraries import application_of, client_of
from groupsim.incidents.logs.row_kinds import RowKind

STARTS_WITHIN_MS = 30_000
RESTARTS_WITHIN_MS = 120_000
"""Longer than a container needs to stop (30 s of grace) and to start."""
_UPDATES_WITHIN_MS = 60_000
"""How long the old and the new process of one step of an update may overlap, or be apart."""
_NUMBER = re.compile(r"(?:[-_.][0-9a-z]*\d[0-9a-z]*){1,3}$")
UNNAMED = (GroupType.CONSUMER, GroupType.STREAMS, GroupType.SHARE)
"""Groups whose coordinator prints member ids in which no client id is."""
_ON_PURPOSE = (Going.CLOSED, Going.LEFT, Going.REPLACED)


@dataclass(slots=True)
class Membership:
    """`back`: closed or replaced, and came back. `emptied`: of these, those that left the group without any member.

    `gone`: closed and did not come back. `new`: joins into a group that was there, of somebody who had not gone.
    `first`: joins of the start: into an empty group, or in a client's own log.
    """

    back: list[tuple[Departure, Join]] = field(default_factory=list)
    emptied: list[tuple[Departure, Join]] = field(default_factory=list)
    gone: list[Departure] = field(default_factory=list)
    new: list[Join] = field(default_factory=list)
    first: list[Join] = field(default_factory=list)


class _Visitors:
    """Members that came and went while another one of their client id stayed.

    Then the name does not tell which of them comes next, and it was a guest rather than a part of the deployment.
    """

    def __init__(self, log: GroupLog) -> None:
        self._came = {join.member for join in log.joins if not join.empty}
        self._mentions, self._who = log.mentions, log.who
        self._begins: dict[str, list[int]] = defaultdict(list)
        self._ends: dict[str, list[int]] = defaultdict(list)
        for member, (begin, end) in log.mentions.items():
            if begin < end:
                self._begins[log.who(member)].append(begin)
                self._ends[log.who(member)].append(end)
        for lines in (*self._begins.values(), *self._ends.values()):
            lines.sort()

    def has(self, departure: Departure) -> bool:
        """Whether it is the departure of such a member."""
        if departure.member not in self._came or departure.member is None or not departure.by_broker:
            return False
        nth, who = departure.first.nth, departure.who
        there = bisect_left(self._begins.get(who, []), nth) - bisect_right(self._ends.get(who, []), nth)
        begin, end = self._mentions.get(departure.member, (nth, nth))
        return there > (begin < nth < end and self._who(departure.member) == who)


@lru_cache(maxsize=1)
def membership(log: GroupLog) -> Membership:
    """What became of each departure on purpose, and who is new. Kept, as several causes ask: only to be read."""
    found = Membership()
    taken: set[int] = set()
    visitors = _Visitors(log)
    empties = [line.nth for line in log.of(RowKind.GROUP_EMPTY, RowKind.GROUP_DEAD)]
    for departure in log.departures:
        join = None
        if not visitors.has(departure):
            join = log.came_back(departure) or _unnamed_return(log, departure, taken)
        if join is not None:
            taken.add(join.said.nth)
        if departure.going not in _ON_PURPOSE or (departure.too_long and join is not None):
            continue
        if join is None:
            found.gone.append(departure)
        elif _emptied(log, departure, join, empties):
            found.emptied.append((departure, join))
        elif _restarts(departure, join):
            found.back.append((departure, join))
        else:
            found.gone.append(departure)
            if join.said.client is None:
                found.new.append(join)
    _add_joins(log, found, taken)
    found.gone = [departure for departure in found.gone if not _seen_again(log, departure)]
    _pair_new_names(found)
    return found


def _seen_again(log: GroupLog, departure: Departure) -> bool:
    """Whether a later member has its client id, though no line shows that member's join (a broker before 2.4)."""
    if departure.member is None or any(join.who == departure.who for join in log.joins):
        return False
    return any(
        begin > departure.removed.nth and member != departure.member and log.who(member) == departure.who
        for member, (begin, _) in log.mentions.items()
    )


def _pair_new_names(found: Membership) -> None:
    """A rolling update of processes whose names change: each that goes has another of its kind that comes, or came,
    about then.
    """
    pairs: list[tuple[Departure, Join]] = []
    by_stem: dict[str, list[Join]] = defaultdict(list)
    for join in found.new:
        by_stem[_stem(join.who)].append(join)
    came = {join.who for join in found.new}
    for departure in found.gone:
        if departure.who in came:  # it had only just come itself: that is no update
            continue
        alike = by_stem[_stem(departure.who)]
        near = [join for join in alike if _apart_ms(departure, join) is not None]
        if near:
            join = min(near, key=lambda join: _apart_ms(departure, join) or 0)
            alike.remove(join)
            pairs.append((departure, join))
    came_for = {id(join) for _, join in pairs}
    left = [join for join in found.new if id(join) not in came_for]
    if len(pairs) >= 2 and 2 * len(pairs) >= len(found.gone) + len(left):
        found.back += pairs
        gone = {id(departure) for departure, _ in pairs}
        found.gone = [departure for departure in found.gone if id(departure) not in gone]
        found.new = left


def _stem(name: str) -> str:
    """A name without what numbers it: `orders-7d9f8-x2k4p` and `orders-1` are `orders`."""
    return _NUMBER.sub("", application_of(name))


def _apart_ms(departure: Departure, join: Join) -> int | None:
    """How far apart both are; None if too far for one update."""
    if departure.at is None or join.said.at is None:
        return abs(departure.first.nth - join.said.nth) * 1_000
    apart = abs(departure.at - join.said.at)
    return apart if apart < _UPDATES_WITHIN_MS else None


def _add_joins(log: GroupLog, found: Membership, taken: set[int]) -> None:
    """The joins that end no departure: those of the start, and those of somebody new."""
    went = min((d.first.nth for d in log.departures), default=len(log.said) + 10**9)
    starting = log.joins[0] if log.joins and _is_young(log) else None
    stable = [rebalance.stable.nth for rebalance in log.rebalances if rebalance.stable is not None]
    expired: dict[str, list[Departure]] = defaultdict(list)
    for departure in log.departures:
        if departure.going is Going.EXPIRED and departure.by_broker:
            expired[departure.who].append(departure)
    for join in log.joins:
        if join.said.nth in taken or join.static:
            continue
        own = join.said.client is not None and not log.has_broker
        if (
            own
            or (join.empty and join.said.nth < went)
            or (starting is not None and join.said.nth < went and _soon(starting, join))
        ):
            found.first.append(join)
            starting = join
        elif not join.empty and not _replaces_expired(join, expired, stable):
            found.new.append(join)


def _replaces_expired(join: Join, expired: dict[str, list[Departure]], stable: list[int]) -> bool:
    """Whether another member of its client id was removed in the rebalance that it began: a process that was gone."""
    place = bisect_right(stable, join.said.nth)
    return place < len(stable) and any(
        d.member != join.member and join.said.nth < d.removed.nth <= stable[place] for d in expired[join.who]
    )


def _restarts(departure: Departure, join: Join) -> bool:
    """Whether it came back soon enough for a restart; who comes later is there for another reason."""
    at, back = departure.at, join.said.at
    return at is None or back is None or back - at < RESTARTS_WITHIN_MS


def _is_young(log: GroupLog) -> bool:
    """Whether the first generation or epoch in sight is one of the first: then who joins belongs to the start."""
    return _first_number(log, "generation", "epoch", "old_generation") < YOUNG


def is_new(log: GroupLog) -> bool:
    """Whether the group's first rebalance is in its log."""
    return _first_number(log, "old_generation", "generation", "epoch") == 0 or _first_number(log, "epoch") == 1


def _first_number(log: GroupLog, *names: str) -> int:
    """The first generation or epoch in sight."""
    numbers = (line.row.detail.get(name) for line in log.said for name in names)
    return next((number for number in numbers if isinstance(number, int) and number >= 0), YOUNG)


def _soon(before: Join, join: Join) -> bool:
    """Whether both are of one start: members of a deployment start within seconds of each other."""
    return before.said.at is None or join.said.at is None or join.said.at - before.said.at < STARTS_WITHIN_MS


def _unnamed_return(log: GroupLog, departure: Departure, taken: set[int]) -> Join | None:
    """Where a broker's log names no clients: who joins next after a leave may be the same."""
    if log.type not in UNNAMED or not departure.by_broker or departure.who in log.clients:
        return None
    return next(
        (
            join
            for join in log.joins
            if join.said.nth > departure.said[-1].nth and join.said.nth not in taken and client_of(join.who) is None
        ),
        None,
    )


def _emptied(log: GroupLog, departure: Departure, join: Join, empties: list[int]) -> bool:
    """Whether the group had no member in between. `empties`: the numbers of the lines that say so."""
    if join.empty and join.said.client is None:
        return True
    before = bisect_left(empties, departure.first.nth)
    if before < len(empties) and empties[before] <= join.said.nth:
        return True
    return not log.has_broker and only_member(log, departure.who)


def only_member(log: GroupLog, client: str) -> bool:
    """Whether a leader's plans show that the client was alone: all of them, and one in each generation that it joined.

    Who joins a generation and makes no plan follows another member, the leader.
    """
    own = [line.row for line in log.of(RowKind.LEADER_COMPUTED_ASSIGNMENT) if line.client == client]
    plans = [row.detail.get("assignment") for row in own]
    planned = {row.detail.get("generation") for row in own}
    joined = {line.row.detail.get("generation") for line in log.of(RowKind.JOINED) if line.client == client}
    led = None in planned | joined or joined <= planned
    return led and bool(plans) and all(isinstance(plan, dict) and len(plan) == 1 for plan in plans)
