"""How far a client's clock can be from its broker's, by the joins, epochs and ends of members that both of them log.

A broker's lines of static members that return to classic groups do not name the new member id: `static_joins` finds it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from groupsim.incidents.facts.causes import given_member_id
from groupsim.incidents.facts.clocks import rows_by_file
from groupsim.incidents.facts.typed_fields import client_id_in, int_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Reading, Row, is_broker
from groupsim.incidents.logs.times import instant
from groupsim.incidents.tolerances import NEVER_MS

_Key = tuple[str | None, str, str | int | None]
"""Group, which event, and of which member or epoch."""
_Event = tuple[Row, str, _Key]
"""A client's row, what it is, and the key of the broker's event that it is held against."""
_JOINED, _FIRST, _NAMED, _LEFT, _TARGET, _GIVEN = "joined", "first join", "named", "left", "target", "given"
_REQUESTS = (_JOINED, _FIRST, _LEFT)
_BY_BROKERS = {
    RowKind.MEMBER_ID_CREATED: _JOINED,
    RowKind.MEMBER_JOINED: _JOINED,
    RowKind.MEMBER_LEFT: _LEFT,
    RowKind.TARGET_ASSIGNMENT: _TARGET,
}
_ANSWERS = (RowKind.STATE_CHANGE, RowKind.CONSUMER_HEARTBEAT_ANSWERED)
_NAMES_MEMBER = (RowKind.JOINED, RowKind.MEMBER_ID_CREATED, RowKind.REJOIN_REQUESTED)


class Bounds(NamedTuple):
    """What is to be added to a client's time is at least `low` and at most `high`, milliseconds.

    Not `sure`: the join that the client's log has first need not be the one that the broker heard first.
    """

    low: int = -NEVER_MS
    high: int = NEVER_MS
    sure: bool = True

    def moved(self, ms: int) -> Bounds:
        """What is left to be added when `ms` is."""
        low = self.low if self.low == -NEVER_MS else self.low - ms
        return Bounds(low, self.high if self.high == NEVER_MS else self.high - ms, self.sure)

    @property
    def both(self) -> bool:
        """Whether it is bounded on both sides."""
        return self.low > -NEVER_MS and self.high < NEVER_MS


def member_bounds(reading: Reading) -> Iterator[tuple[str, Bounds]]:
    """(file, bounds), for each event that a client and the broker both log.

    A member asks to join, and says that it leaves, before the broker writes so. It learns its id, or is given its first
    epoch, after the broker wrote that it joined; and each epoch after the broker computed that epoch's target. What one
    side names more often than the other is left out.
    """
    said = _said_by_brokers(reading)
    events = [event for rows in rows_by_file(reading).values() for event in _said_by_clients(rows)]
    heard = _heard(said, events)
    asked: dict[_Key, int] = {}
    first: set[_Key] = set()

    lows: dict[str, int] = defaultdict(lambda: -NEVER_MS)
    repeated: list[tuple[str, int]] = []
    for row, kind, key in events:
        at = instant(row.at or "")
        if kind in _REQUESTS:
            if (broker := heard.get(id(row))) is None:
                continue
            if len(said[key]) > 1:
                repeated.append((row.file, broker - at))
                continue
            asked[key] = at
            if kind == _FIRST:
                first.add(key)
            yield row.file, Bounds(high=broker - at, sure=kind != _FIRST)
            continue
        joined = (row.group, _JOINED, _member(row)) if kind == _GIVEN else key
        begun = asked.pop(joined, None)
        for about, begun_at in ((key, None), (joined, begun)):
            if len(said.get(about, ())) == 1:
                (broker,) = said[about]
                lows[row.file] = max(lows[row.file], broker - at)
                high = NEVER_MS if begun_at is None else broker - begun_at
                yield row.file, Bounds(broker - at, high, begun_at is None or joined not in first)
    yield from ((file, Bounds(high=high)) for file, high in repeated if high >= lows[file])


def _heard(said: Mapping[_Key, Sequence[int]], events: Sequence[_Event]) -> dict[int, int]:
    """When the broker wrote what a client's request made it do, UTC ms, by the identity of the client's row.

    What both sides name more than once are the same in their order. It need not be so if logs begin or end apart, so
    `member_bounds` leaves out those that come too late.
    """
    asked: dict[_Key, list[Row]] = defaultdict(list)
    for row, kind, key in events:
        if kind in _REQUESTS:
            asked[key].append(row)
    pairs = (
        zip(sorted(rows, key=lambda row: row.at or ""), said[key], strict=True)
        for key, rows in asked.items()
        if len(rows) == len(said.get(key, ()))
    )
    return {id(row): broker for matched in pairs for row, broker in matched}


def _said_by_brokers(reading: Reading) -> Mapping[_Key, Sequence[int]]:
    """When a broker wrote each of these, UTC ms, in order."""
    found: dict[_Key, list[int]] = defaultdict(list)
    for row in reading.rows:
        kind = _BY_BROKERS.get(row.kind)
        if row.at is None or kind is None or not is_broker(row):
            continue
        what = int_in(row.detail.get("epoch")) if kind == _TARGET else _member(row)
        if what is not None:
            found[row.group, kind, what].append(instant(row.at))
    for group, member, at in static_joins(reading.rows):
        found[group, _JOINED, member].append(at)
    return {key: sorted(times) for key, times in found.items()}


class _Client:
    """A client's requests in one group, and what it was answered, from the rows of one log."""

    def __init__(self) -> None:
        self._begun: Row | None = None
        """When it first asked to join since it was last called by a member's id."""
        self._called: str | None = None
        self._unsent: Row | None = None
        """When it began to join before it knew its coordinator."""
        self._knows_coordinator = False
        self._given: set[_Key] = set()

    def events(self, row: Row) -> Iterator[_Event]:
        """The events in its next row."""
        epoch, member = int_in(row.detail.get("epoch")), _member(row)
        if row.kind == RowKind.COORDINATOR_FOUND:
            yield from self._sent(row)
            self._knows_coordinator = True
        elif row.kind == RowKind.JOINING:
            self._begun = self._begun or row
        elif row.kind in _NAMES_MEMBER and member is not None:
            yield from self._named(row, member)
        elif row.kind == RowKind.LEAVE_SENT and member is not None:
            yield row, _LEFT, (row.group, _LEFT, member)
        elif epoch is not None:
            yield from self._in_consumer_group(row, epoch, member)

    def _named(self, row: Row, member: str) -> Iterator[_Event]:
        """A classic member learns its id, or is called by it again."""
        begun, self._begun = self._begun, None
        if self._called != member:
            begins_late = self._called is None and not self._knows_coordinator
            kind, key = _FIRST if begins_late else _JOINED, (row.group, _JOINED, member)
            self._called = member
            yield from [] if begun is None else [(begun, kind, key)]
            yield row, _NAMED, key

    def _in_consumer_group(self, row: Row, epoch: int, member: str | None) -> Iterator[_Event]:
        """Java's states of a member, and librdkafka's heartbeats. Java's member may get its id after it began to join.

        The id stays when it joins again.
        """
        state, sent = row.detail.get("to"), row.kind == RowKind.CONSUMER_HEARTBEAT
        joins = state == "JOINING" or (sent and epoch == 0)
        if joins and row.detail.get("from") == "UNSUBSCRIBED" and not self._knows_coordinator:
            self._unsent = row
            return
        yield from self._sent(self._unsent)
        if member is None:
            self._begun = self._begun or (row if joins else None)
            return
        if self._begun is not None:
            yield self._begun, _JOINED, (row.group, _JOINED, member)
            self._begun = None
        if joins:
            yield row, _JOINED, (row.group, _JOINED, member)
        elif state == "LEAVING" or (sent and epoch < 0):
            yield row, _LEFT, (row.group, _LEFT, member)
        elif row.kind in _ANSWERS and epoch > 0:
            key = (row.group, _TARGET, epoch)
            if key not in self._given:
                self._given.add(key)
                yield row, _GIVEN, key

    def _sent(self, row: Row | None) -> Iterator[_Event]:
        """What waited for the coordinator is sent when it is known, in `row`."""
        unsent, self._unsent = self._unsent, None
        if unsent is None or row is None:
            return
        member = _member(unsent)
        if member is None:
            self._begun = row
        else:
            yield row, _JOINED, (unsent.group, _JOINED, member)


def _said_by_clients(rows: Iterable[Row]) -> Iterator[_Event]:
    """The events in one file's rows, in their order; of each epoch that a member is given the first row."""
    clients: dict[tuple[str | None, str | None], _Client] = defaultdict(_Client)
    for row in rows:
        if row.at is not None and not is_broker(row):
            yield from clients[row.client, row.group].events(row)


def _member(row: Row) -> str | None:
    named = row.member or row.detail.get("member") or given_member_id(str(row.detail.get("reason") or ""))
    return named if isinstance(named, str) else None


_Instance = tuple[str | None, str]
_REPLACED = RowKind.STATIC_MEMBER_REPLACED


def static_joins(rows: Sequence[Row]) -> Iterator[tuple[str | None, str, int]]:
    """(group, member id, UTC ms) of each static member that replaced one.

    Its id is the one that the next return replaces. Where none does, it is the only id that the clients of that
    instance name and the broker's joins do not, and that the broker otherwise names between this join and the next.
    """
    chains: dict[_Instance, list[Row]] = defaultdict(list)
    of_clients: dict[_Instance, set[str]] = defaultdict(set)
    named: dict[tuple[str | None, object], list[int]] = defaultdict(list)
    for row in rows:
        if row.at is None:
            continue
        instance = row.detail.get("instance")
        if is_broker(row):
            for member in {row.member, row.detail.get("leader")} - {None}:
                named[row.group, member].append(instant(row.at))
            if row.kind in (_REPLACED, RowKind.MEMBER_ID_CREATED) and isinstance(instance, str):
                chains[row.group, instance].append(row)
        elif row.kind == RowKind.JOINED and row.member is not None:
            named_by_id = client_id_in(row.member)  # a static member's id begins with its group.instance.id
            its_own = instance if isinstance(instance, str) else named_by_id
            of_clients[row.group, its_own or ""].add(row.member)
    for key, chain in chains.items():
        chain.sort(key=lambda row: row.at or "")
        others = of_clients[key] - {each for row in chain for each in (row.member, row.detail.get("old_member"))}
        for join, following in zip(chain, [*chain[1:], None], strict=True):
            if join.kind != _REPLACED:
                continue
            at, until = instant(join.at or ""), None if following is None else instant(following.at or "")
            fitting = [member for member in sorted(others) if _fits(named[key[0], member], at, until)]
            replaced = join.member or (None if following is None else following.detail.get("old_member"))
            its = replaced or (fitting[0] if len(fitting) == 1 else None)
            if isinstance(its, str):
                yield key[0], its, at


def _fits(named: Sequence[int], at: int, until: int | None) -> bool:
    """Whether a member that the broker names at these times can have joined then; one that is gone `until` is named."""
    if until is None:
        return all(time >= at for time in named)
    return bool(named) and at <= min(named) and max(named) <= until
