"""The story of one group, from the lines that were read: who spoke in which order, who came and went, how it rebalanced.

A story needs no times: then the order of the lines in their file is all there is. It needs no whole log, either: a
process may be known by one line, and a departure may have no arrival before it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import PurePath
from typing import NamedTuple

from groupsim.diagnosis.codes import GroupType
from groupsim.diagnosis.finding import Place
from groupsim.events.types import LeaveCause
from groupsim.incidents.facts.causes import announces_leave, leave_cause
from groupsim.incidents.facts.logs_in_one_file import taken_apart
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program, Reading, Row, is_broker
from groupsim.incidents.logs.times import instant

_UUID = re.compile(r"-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$")
_KAFKA_UUID = re.compile(r"^[A-Za-z0-9_+-]{21,22}(?:==)?$")
_MEMBER_IN_REASON = re.compile(
    r"(?:new member|removing member|[Uu]pdating metadata for (?:static )?member|[Mm]ember|[Ll]eader) (\S{3,400})"
)
_CONSUMER_KINDS = frozenset(
    [
        RowKind.MEMBER_JOINED,
        RowKind.TARGET_ASSIGNMENT,
        RowKind.STATE_CHANGE,
        RowKind.CONSUMER_HEARTBEAT,
        RowKind.CLIENT_RECONCILING,
        RowKind.CONSUMER_HEARTBEAT_INTERVAL,
        RowKind.MEMBER_STATE,
    ]
)
_FORGOTTEN = frozenset(
    [RowKind.GROUP_DEAD, RowKind.GROUP_LOADED, RowKind.BROKER_LIFECYCLE, RowKind.COORDINATOR_LIFECYCLE]
)
"""A group of which only these are said had no member in these lines."""
_STARTS = frozenset([RowKind.CLIENT_CONFIGURED, RowKind.CLIENT_SUBSCRIBED])
_FINDS = frozenset([RowKind.COORDINATOR_FOUND, RowKind.JOINING])
_PROGRESS = frozenset(
    [RowKind.JOINED, RowKind.SYNCED, RowKind.ASSIGNED, RowKind.REVOKED, RowKind.LOST, RowKind.REJOIN_REQUESTED]
)
_PART = re.compile(r" \((?:lines \d+ to \d+|from line \d+)\)$")
"""What `taken_apart` adds to the name of a file that holds several logs."""
_BESIDE = frozenset(
    [
        RowKind.CLIENT_POSITION,
        RowKind.CLIENT_NO_OFFSET,
        RowKind.COMMIT_FAILED,
        RowKind.CLIENT_REMOVED,
        RowKind.CGRP_STATE,
    ]
)
"""Lines beside a membership: they say nothing of whether it ended."""
_UNKNOWN_MEMBER = re.compile(r"UNKNOWN_MEMBER_ID|[Uu]nknown member|not aware of this member|is unknown|UnknownMemberId")
_FENCED_EPOCH = re.compile(r"FENCED_MEMBER_EPOCH|ILLEGAL_GENERATION|old generation")


class Said(NamedTuple):
    """One recognised line: its place in the story, its UTC instant if it has one, and which client said it."""

    nth: int
    at: int | None
    row: Row
    client: str | None

    @property
    def place(self) -> Place:
        """Where it stands."""
        return Place(_PART.sub("", self.row.file), self.row.line)

    @property
    def reason(self) -> str:
        """The reason or the error that the line gives; "" if none."""
        return str(self.row.detail.get("reason") or self.row.detail.get("error") or "")


class Going(StrEnum):
    """How a member went."""

    CLOSED = "closed"
    LEFT = "left"
    POLL_TIMEOUT = "poll timeout"
    EXPIRED = "expired"
    NOT_RECONCILED = "not reconciled"
    REPLACED = "replaced"
    CUT_OFF = "its log ends"


@dataclass(slots=True)
class Departure:
    """A member went: by its own word, by the coordinator's, or by both."""

    who: str
    member: str | None
    going: Going
    said: list[Said]

    @property
    def first(self) -> Said:
        """The line that says it first."""
        return self.said[0]

    @property
    def at(self) -> int | None:
        """When, UTC ms."""
        return next((s.at for s in self.said if s.at is not None), None)

    @property
    def by_broker(self) -> bool:
        """Whether a broker says it."""
        return any(s.client is None for s in self.said)


class Arrival(NamedTuple):
    """A member came: `empty`: into a group without members; `new`: its first one in this story."""

    who: str
    member: str | None
    said: Said
    empty: bool
    static: bool = False


@dataclass(slots=True)
class Life:
    """One process of a client, as its own log shows it: from a start to a close, or to where the log ends."""

    client: str
    said: list[Said] = field(default_factory=list)
    closed: bool = False
    begins: bool = False
    """Whether its start is in the log."""

    def of(self, *kinds: RowKind) -> list[Said]:
        """Its lines of these kinds."""
        return [s for s in self.said if s.row.kind in kinds]

    @property
    def ends_closed(self) -> bool:
        """Whether it was closed: it says so, or the last that it did was to give up what it had."""
        if self.closed:
            return True
        last = next((s for s in reversed(self.said) if s.row.kind not in _BESIDE), None)
        return last is not None and last.row.kind is RowKind.REVOKED and bool(last.row.detail.get("partitions"))

    @property
    def went_on(self) -> bool:
        """Whether it ever was a member."""
        return any(s.row.kind in _PROGRESS for s in self.said)


@dataclass(slots=True)
class Rebalance:
    """A rebalance of a classic group as its broker prints it; any of the three lines may be missing."""

    start: Said | None = None
    stable: Said | None = None
    stored: Said | None = None
    members: int | None = None
    first: bool = False
    """Whether it is the group's first, of an empty group."""

    @property
    def reason(self) -> str:
        """Why it began, as the broker says it."""
        return self.start.reason if self.start is not None else ""

    @property
    def waited_ms(self) -> int | None:
        """From its start until all had joined."""
        if self.start is None or self.stable is None or self.start.at is None or self.stable.at is None:
            return None
        return self.stable.at - self.start.at

    @property
    def said(self) -> list[Said]:
        """Its lines."""
        return [line for line in (self.start, self.stable, self.stored) if line is not None]


def client_of(member: str | None) -> str | None:
    """The client id in a classic member's id, which is followed by a UUID; None for an id that has none in it."""
    if member is None:
        return None
    client = _UUID.sub("", member)
    return client if client != member else None if _KAFKA_UUID.match(member) else member


class Story:
    """All lines about one group, and what follows from them."""

    def __init__(self, group: str | None, said: Sequence[Said], end: int | None = None) -> None:
        self.group = group
        self.said = said
        self.broker = [s for s in said if s.client is None]
        self.clients: dict[str, list[Said]] = {}
        for line in said:
            if line.client is not None:
                self.clients.setdefault(line.client, []).append(line)
        self.end = max((s.at for s in said if s.at is not None), default=None) if end is None else end

    def of(self, *kinds: RowKind) -> list[Said]:
        """The lines of these kinds, in order."""
        return [s for s in self.said if s.row.kind in kinds]

    @cached_property
    def begin(self) -> int | None:
        """The first instant, UTC ms."""
        return min((s.at for s in self.said if s.at is not None), default=None)

    @cached_property
    def has_broker(self) -> bool:
        """Whether a coordinator's lines about members or rebalances are among them."""
        return bool(self.broker)

    @cached_property
    def type(self) -> GroupType:
        """What kind of group it is."""
        kinds = Counter(s.row.kind for s in self.said)
        names = [*self.clients, *(s.row.member or "" for s in self.said)]
        if kinds[RowKind.WORKER_ASSIGNED] or any(n.startswith("connect-") for n in names):
            return GroupType.CONNECT
        if any(n.startswith("sr-") for n in names):
            return GroupType.SCHEMA_REGISTRY
        if any("-StreamThread-" in n for n in names):
            return GroupType.STREAMS
        if any(kinds[kind] for kind in _CONSUMER_KINDS):
            return GroupType.CONSUMER
        if any(kinds[kind] for kind in (RowKind.JOINED, RowKind.STABILIZED, RowKind.REBALANCE_START)):
            return GroupType.CLASSIC
        return GroupType.UNKNOWN

    @cached_property
    def names(self) -> dict[str, str]:
        """Client ids by member id, where client logs or the id itself show it."""
        names: dict[str, str] = {}
        for line in self.said:
            member = line.row.member
            if member is None:
                continue
            if line.client is not None:
                names[member] = line.client
            elif (client := client_of(member)) is not None:
                names.setdefault(member, client)
        return names

    @cached_property
    def _of_instance(self) -> dict[str, str]:
        """Client ids by instance id, where a client's own lines show both."""
        found: dict[str, str] = {}
        for line in self.said:
            if line.client is not None:
                for instance in (line.row.detail.get("instance"), client_of(line.row.member)):
                    if instance and instance != line.client:
                        found[str(instance)] = line.client
        return found

    def who(self, member: str | None, instance: object = None) -> str:
        """A member as people know it: its client id, or its instance id, else its member id."""
        name = self.names.get(member) if member is not None else None
        name = name or (str(instance) if instance else member or "a member")
        return self._of_instance.get(name, name)

    @cached_property
    def lives(self) -> dict[str, list[Life]]:
        """The processes of each client that has a log."""
        return {client: list(_lives(client, said)) for client, said in self.clients.items()}

    @cached_property
    def moves(self) -> tuple[list[Departure], list[Arrival]]:
        """Who went and who came, in order."""
        return _Moves(self).found()

    @property
    def departures(self) -> list[Departure]:
        """Who went."""
        return self.moves[0]

    @property
    def arrivals(self) -> list[Arrival]:
        """Who came."""
        return self.moves[1]

    @cached_property
    def rebalances(self) -> list[Rebalance]:
        """The rebalances of a classic group, as its broker prints them."""
        return list(_rebalances(self.broker))

    @cached_property
    def _returns(self) -> dict[int, Arrival]:
        """By the number of a departure's first line: the arrival that ends it. Each arrival ends one."""
        found: dict[int, Arrival] = {}
        open_: dict[str, list[Departure]] = defaultdict(list)
        waiting = sorted(self.departures, key=lambda d: d.said[-1].nth)
        for arrival in self.arrivals:
            nth = arrival.said.nth
            while waiting and waiting[0].first.nth < nth + arrival.static:
                departure = waiting.pop(0)
                open_[departure.who].append(departure)
            if open_[arrival.who]:
                found[open_[arrival.who].pop(0).first.nth] = arrival
        return found

    def came_back(self, departure: Departure) -> Arrival | None:
        """The next arrival of the same client after it went."""
        return self._returns.get(departure.first.nth)


def _lives(client: str, said: Sequence[Said]) -> Iterator[Life]:
    life = Life(client)
    for number, line in enumerate(said):
        kind, detail = line.row.kind, line.row.detail
        fresh = (kind in _STARTS and _starts(said, number, life)) or (
            kind is RowKind.STATE_CHANGE and detail.get("from") == "UNSUBSCRIBED" and detail.get("to") == "JOINING"
        )
        fresh = fresh or (
            kind is RowKind.CGRP_STATE and detail.get("from") == "init" and detail.get("to") == "query-coord"
        )
        if (fresh and (life.went_on or life.closed)) or (life.closed and kind is RowKind.COORDINATOR_FOUND):
            yield life
            life = Life(client)
        life.begins = life.begins or fresh
        life.said.append(line)
        if kind in (RowKind.CLIENT_CLOSED, RowKind.CLIENT_CLOSING):
            life.closed = True
        elif kind is RowKind.LEAVE_SENT and leave_cause(line.reason) is not LeaveCause.POLL_TIMEOUT:
            life.closed = "limit_ms" not in detail
        elif kind is RowKind.STATE_CHANGE and detail.get("to") == "LEAVING":
            life.closed = True
        elif kind is RowKind.GENERATION_RESET and announces_leave(line.reason):
            life.closed = life.closed or not any(s.row.kind is RowKind.POLL_TIMEOUT for s in life.said[-3:])
        elif kind in (RowKind.JOINED, RowKind.JOINING):
            life.closed = False
    if life.said:
        yield life


def _starts(said: Sequence[Said], number: int, life: Life) -> bool:
    """Whether a subscription is that of a new process: a process that subscribes again has found its coordinator."""
    if not life.went_on or life.ends_closed or said[number].row.kind is RowKind.CLIENT_CONFIGURED:
        return True
    after = (line.row.kind for line in said[number + 1 : number + 40])
    return next((kind for kind in after if kind in _PROGRESS or kind in _FINDS), None) is RowKind.COORDINATOR_FOUND


class _Moves:
    """Departures and arrivals out of all lines: what two logs say of one departure becomes one."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.departures: list[Departure] = []
        self.arrivals: list[Arrival] = []
        self._gone: dict[str, Departure] = {}
        self._gone_by_name: dict[str, Departure] = {}
        self._current: dict[str, str] = {}
        self._starts = {
            life.said[0].nth: life for lives in story.lives.values() for life in lives if life.begins or life.closed
        }
        self._restarts = {
            life.said[0].nth: before
            for lives in story.lives.values()
            for before, life in zip(lives, lives[1:], strict=False)
        }
        self._members: set[str] = set()
        self._empty = False

    def found(self) -> tuple[list[Departure], list[Arrival]]:
        """Both, in order."""
        for line in self.story.said:
            if line.client is None:
                self._broker(line)
            else:
                self._client(line)
        return self.departures, self.arrivals

    def _goes(self, line: Said, going: Going, member: str | None, who: str) -> None:
        """One departure, however many lines say it: of one member id, or of one name where a line has no id."""
        if member is None and line.client is not None:
            member = self._current.get(who)
        before = self._gone.get(member) if member is not None else self._gone_by_name.get(who)
        if before is None and (named := self._gone_by_name.get(who)) is not None and named.member is None:
            before, named.member = named, member
        stayed_away = before is not None and before.going is Going.CLOSED and going is Going.EXPIRED
        if before is None or (stayed_away and not before.by_broker):  # a static member that is closed does not leave
            departure = Departure(who, member, going, [line])
            self._gone_by_name[who] = departure
            if member is not None:
                self._gone[member] = departure
            self.departures.append(departure)
            return
        before.said.append(line)
        if going is Going.POLL_TIMEOUT or (going is Going.CLOSED and before.going is Going.LEFT):
            before.going = going

    def _comes(self, line: Said, member: str | None, who: str, *, empty: bool, static: bool = False) -> None:
        if member is not None:
            if member in self._members and member not in self._gone:
                return
            self._members.add(member)
            self._gone.pop(member, None)
        last = self._gone_by_name.pop(who, None)
        if last is None and any(
            a.who == who and _near(a.said, line) and (a.member is None or member is None) for a in self.arrivals[-8:]
        ):
            return
        self.arrivals.append(Arrival(who, member, line, empty, static))

    def _broker(self, line: Said) -> None:
        row, kind = line.row, line.row.kind
        instance = row.detail.get("instance")
        member = row.member
        who = self.story.who(member, instance)
        if kind is RowKind.MEMBER_FAILED:
            late = "transition" in line.reason
            self._goes(line, Going.NOT_RECONCILED if late else Going.EXPIRED, member, who)
        elif kind is RowKind.MEMBER_LEFT:
            timeout = leave_cause(line.reason) is LeaveCause.POLL_TIMEOUT
            going = Going.POLL_TIMEOUT if timeout else Going.CLOSED if line.reason else Going.LEFT
            self._goes(line, going, member, who)
        elif kind is RowKind.STATIC_MEMBER_REPLACED:
            old = str(row.detail.get("old_member"))
            name = self.story.who(old, instance)
            if old not in self._gone and name not in self._gone_by_name:
                self._goes(line, Going.REPLACED, old, name)
            self._comes(line, member, name, empty=False, static=True)
        elif kind is RowKind.REBALANCE_START:
            self._started(line)
        elif kind in (RowKind.MEMBER_ID_CREATED, RowKind.PENDING_MEMBER_JOINS, RowKind.MEMBER_JOINED):
            state = str(row.detail.get("group_state") or "")
            self._comes(line, member, who, empty=state == "Empty" or (not state and self._empty))
            self._empty = False
        elif kind in (RowKind.GROUP_EMPTY, RowKind.GROUP_DEAD):
            self._empty = True

    def _started(self, line: Said) -> None:
        """A rebalance's reason names who came or went, where no other line does."""
        reason = line.reason
        named = _MEMBER_IN_REASON.search(reason)
        member = line.row.member or (named[1] if named else None)
        if member is None:
            return
        who = self.story.who(member)
        if "new member" in reason:
            self._comes(line, member, who, empty=line.row.detail.get("old_generation") == 0 or self._empty)
            self._empty = False
        elif "heartbeat expiration" in reason:
            self._goes(line, Going.EXPIRED, member, who)
        elif "LeaveGroup" in reason or "removing member" in reason.lower():
            timeout = leave_cause(reason) is LeaveCause.POLL_TIMEOUT
            self._goes(line, Going.POLL_TIMEOUT if timeout else Going.LEFT, member, who)

    def _client(self, line: Said) -> None:
        row, kind, who = line.row, line.row.kind, str(line.client)
        restarted = self._restarts.get(line.nth)
        if restarted is not None:
            if who not in self._gone_by_name:
                last = restarted.said[-1]
                self._goes(last, Going.CLOSED if restarted.ends_closed else Going.CUT_OFF, last.row.member, who)
            self._comes(line, None, who, empty=False)
        elif line.nth in self._starts and self._starts[line.nth].begins:
            self._comes(line, None, who, empty=True)
        if kind is RowKind.POLL_TIMEOUT or (kind is RowKind.STATE_CHANGE and row.detail.get("to") == "STALE"):
            self._goes(line, Going.POLL_TIMEOUT, row.member, who)
        elif kind is RowKind.LEAVE_SENT:
            timeout = leave_cause(line.reason) is LeaveCause.POLL_TIMEOUT or "limit_ms" in row.detail
            self._goes(line, Going.POLL_TIMEOUT if timeout else Going.CLOSED, row.member, who)
        elif (kind is RowKind.STATE_CHANGE and row.detail.get("to") == "LEAVING") or (kind is RowKind.GENERATION_RESET and announces_leave(line.reason)):
            self._goes(line, Going.CLOSED, row.member, who)
        elif lost_membership(line):
            self._goes(line, Going.EXPIRED, row.member, who)
        elif kind is RowKind.JOINED or (kind is RowKind.STATE_CHANGE and row.detail.get("to") == "STABLE"):
            if (who in self._gone_by_name and self._gone_by_name[who].member != row.member) or (who in self._gone_by_name and kind is RowKind.STATE_CHANGE):
                self._comes(line, row.member, who, empty=False)
            elif row.member is not None:
                self._members.add(row.member)
            if row.member is not None:
                self._current[who] = row.member


def _near(one: Said, other: Said) -> bool:
    """Whether two lines may be of one join."""
    if one.at is None or other.at is None:
        return other.nth - one.nth < 60
    return other.at - one.at < 5_000


def lost_membership(line: Said) -> bool:
    """Whether a client's line says that the coordinator had removed it, or that its session ended."""
    kind, reason = line.row.kind, line.reason
    if kind is RowKind.SESSION_EXPIRED:
        return True
    if kind is RowKind.COORDINATOR_LOST:
        return "session timed out" in reason or "session expired" in reason
    if kind is RowKind.STATE_CHANGE:
        return line.row.detail.get("to") == "FENCED"
    if kind in (RowKind.GENERATION_RESET, RowKind.CLIENT_HEARTBEAT_REFUSED, RowKind.COMMIT_FAILED, RowKind.JOIN_FAILED):
        return _UNKNOWN_MEMBER.search(reason) is not None
    return False


def _rebalances(broker: Sequence[Said]) -> Iterator[Rebalance]:
    current: Rebalance | None = None
    for line in broker:
        kind = line.row.kind
        if kind is RowKind.REBALANCE_START:
            if current is not None:
                yield current
            current = Rebalance(start=line, first=line.row.detail.get("old_generation") == 0)
        elif kind is RowKind.STABILIZED:
            if current is None or current.stable is not None:
                if current is not None:
                    yield current
                current = Rebalance()
            current.stable = line
            members = line.row.detail.get("members")
            current.members = members if isinstance(members, int) else None
        elif kind is RowKind.ASSIGNMENT_RECEIVED:
            if current is None or current.stored is not None:
                if current is not None:
                    yield current
                current = Rebalance()
            current.stored = line
        elif kind in (RowKind.GROUP_EMPTY, RowKind.GROUP_DEAD) and current is not None:
            yield current
            current = None
    if current is not None:
        yield current


def stories(reading: Reading) -> list[Story]:
    """One story a group, the one with the most lines first; lines that name no group are of the only one there is."""
    rows = _in_order(taken_apart(reading))
    placed = _with_groups(rows)
    by_group: dict[str | None, list[Said]] = defaultdict(list)
    for nth, (row, at, group) in enumerate(placed):
        by_group[group].append(Said(nth, at, row, _speaker(row)))
    ends = [instant(at) for at in reading.ends.values() if at is not None]
    found = [Story(group, _named(said), max(ends, default=None)) for group, said in by_group.items()]
    found = [story for story in found if any(line.row.kind not in _FORGOTTEN for line in story.said)] or found
    return sorted(found, key=lambda story: (story.group is None, -len(story.said)))


def _in_order(reading: Reading) -> list[tuple[Row, int | None]]:
    """All rows: by their times where there are any, else in the order of their files; a row without a time stays
    behind the one before it."""
    files = {name: number for number, name in enumerate(reading.files)}
    rows = sorted(
        [*reading.rows, *reading.context],
        key=lambda row: (files.get(row.file, len(files)), row.order if row.order is not None else row.line),
    )
    placed: list[tuple[int, int, Row, int | None]] = []
    last: dict[str, int] = {}
    for number, row in enumerate(rows):
        at = instant(row.at) if row.at is not None else None
        if at is not None:
            last[row.file] = max(at, last.get(row.file, at)) if at > last.get(row.file, at) - 60_000 else at
        placed.append((last.get(row.file, 0), number, row, at))
    several = len({row.file for row in rows}) > 1 and all(row.file in last for row in rows)
    if several:
        placed.sort(key=lambda entry: entry[:2])
    return [(row, at) for _, _, row, at in placed]


def _with_groups(rows: Iterable[tuple[Row, int | None]]) -> list[tuple[Row, int | None, str | None]]:
    """The rows with their groups: a row that names none is of its client's group, else of its file's only one."""
    rows = list(rows)
    of_client: dict[tuple[str, str | None], set[str]] = defaultdict(set)
    of_file: dict[str, set[str]] = defaultdict(set)
    for row, _ in rows:
        if row.group is not None:
            of_client[row.file, row.client].add(row.group)
            of_file[row.file].add(row.group)
    every = {group for groups in of_file.values() for group in groups}
    found: list[tuple[Row, int | None, str | None]] = []
    for row, at in rows:
        group = row.group
        if group is None:
            for groups in (
                of_client.get((row.file, row.client), set()) if row.client else set(),
                of_file[row.file],
                every,
            ):
                if len(groups) == 1:
                    (group,) = groups
                    break
        if group is None and every and is_broker(row):
            found += [(row, at, each) for each in sorted(every)]
        else:
            found.append((row, at, group))
    return found


def _speaker(row: Row) -> str | None:
    """Which client says it; None for a broker."""
    if is_broker(row) or row.kind in (RowKind.BROKER_LIFECYCLE, RowKind.COORDINATOR_LIFECYCLE):
        return None
    if row.client is not None:
        return row.client
    if row.program is Program.BROKER:
        return None
    return client_of(row.member) or ""


def _named(said: Sequence[Said]) -> list[Said]:
    """The lines with a name for who says nothing of itself: the only client of its file, else the file."""
    clients: dict[str, Counter[str]] = defaultdict(Counter)
    for line in said:
        if line.client:
            clients[line.row.file][line.client] += 1
    named = []
    for line in said:
        if line.client == "":
            only = clients[line.row.file]
            name = next(iter(only)) if len(only) == 1 else _file_name(line.row.file)
            line = line._replace(client=name)
        named.append(line)
    return named


def _file_name(file: str) -> str:
    return PurePath(file).name.split(".")[0] or file
