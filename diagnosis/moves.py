"""Who went and who came, out of all lines: what two logs say of one departure becomes one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from groupsim.diagnosis.incarnations import Incarnation
from groupsim.diagnosis.said import Said, leaves, lost_membership, needs_an_id
from groupsim.events.types import LeaveCause
from groupsim.incidents.facts.causes import leave_cause
from groupsim.incidents.logs.row_kinds import RowKind

_MEMBER_IN_REASON = re.compile(
    r"(?:new member|removing member|[Uu]pdating metadata for (?:static )?member|[Mm]ember|[Ll]eader) (\S{3,400})"
)

NO_SYNC = "pending sync request expiration"
"""Why a member is removed that joined and never asked for its assignment (GroupCoordinator.onExpirePendingSync)."""


class Going(StrEnum):
    """How a member went."""

    CLOSED = "closed"
    LEFT = "left"
    POLL_TIMEOUT = "poll timeout"
    EXPIRED = "expired"
    NOT_RECONCILED = "not reconciled"
    REPLACED = "replaced"
    CUT_OFF = "its log ends"


_ITS_END = (Going.CLOSED, Going.CUT_OFF)


@dataclass(slots=True)
class Departure:
    """A member went: by its own word, by the coordinator's, or by both.

    `too_long`: it was to be back, but its session ended first.
    """

    who: str
    member: str | None
    going: Going
    said: list[Said]
    too_long: bool = False

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

    @property
    def kept_its_place(self) -> bool:
        """Whether it was a static member that came back before its session ended."""
        away = any(is_for_a_while(line) for line in self.said)
        return self.going is Going.REPLACED or (away and self.going is not Going.EXPIRED and not self.too_long)

    @property
    def removed(self) -> Said:
        """The line with which the coordinator removes it; without a broker's log the first that says that it went."""
        return next((s for s in self.said if s.client is None), self.first)


class Join(NamedTuple):
    """A member came: `empty`: into a group without members; `new`: its first one in this log."""

    who: str
    member: str | None
    said: Said
    empty: bool
    static: bool = False


class Moves:
    """Departures and joins out of all lines: what two logs say of one departure becomes one."""

    def __init__(
        self,
        said: Sequence[Said],
        incarnations: Mapping[str, Sequence[Incarnation]],
        who: Callable[[str | None, object], str],
    ) -> None:
        self._said = said
        self._has_broker = any(line.client is None for line in said)
        self._who = who
        self.departures: list[Departure] = []
        self.joins: list[Join] = []
        self._gone: dict[str, Departure] = {}
        self._gone_by_name: dict[str, Departure] = {}
        self._current: dict[str, str] = {}
        self._starts = {
            incarnation.said[0].nth: incarnation
            for each in incarnations.values()
            for incarnation in each
            if incarnation.begins
        }
        self._restarts = {
            incarnation.said[0].nth: before for each in incarnations.values() for before, incarnation in pairwise(each)
        }
        self._static: set[object] = set()
        self._members: set[str] = set()
        self._had: set[str] = set()
        self._empty = False

    def found(self) -> tuple[list[Departure], list[Join]]:
        """Both, in order."""
        for line in self._said:
            if line.client is None:
                self._broker(line)
            else:
                self._client(line)
        return self.departures, self.joins

    def _goes(self, line: Said, going: Going, member: str | None, who: str) -> None:
        """One departure, however many lines say it: of one member id, or of one name where a line has no id."""
        if member is None and line.client is not None:
            member = self._current.get(who)
        before = self._gone.get(member) if member is not None else self._gone_by_name.get(who)
        if before is None and (named := self._gone_by_name.get(who)) is not None and named.member is None:
            before, named.member = named, member
        stayed_away = before is not None and going is Going.EXPIRED and _only_away(before)
        if before is not None and stayed_away:
            before.too_long = True
        if before is None or stayed_away:
            departure = Departure(who, member, going, [line])
            self._gone_by_name[who] = departure
            if member is not None:
                self._gone[member] = departure
            self.departures.append(departure)
            return
        before.said.append(line)
        surer = (before.going, going) == (Going.LEFT, Going.CLOSED) or (
            before.going is Going.CUT_OFF or going is Going.REPLACED
        )
        if going is Going.POLL_TIMEOUT or surer:
            before.going = going

    def _comes(self, line: Said, member: str | None, who: str, *, empty: bool, static: bool = False) -> None:
        if member is not None:
            if member in self._members and member not in self._gone:
                return
            self._members.add(member)
            self._gone.pop(member, None)
        last = self._gone_by_name.pop(who, None)
        if last is None and any(
            a.who == who and _near(a.said, line) and (a.member is None or member is None) for a in self.joins[-8:]
        ):
            return
        self.joins.append(Join(who, member, line, empty, static))

    def _broker(self, line: Said) -> None:
        row, kind = line.row, line.row.kind
        instance = row.detail.get("instance")
        member = row.member
        who = self._who(member, instance)
        if kind is RowKind.MEMBER_FAILED:
            late = "transition" in line.reason
            self._goes(line, Going.NOT_RECONCILED if late else Going.EXPIRED, member, who)
        elif kind is RowKind.BROKER_SYNC_TIMEOUT:
            named = row.detail.get("members_named")
            for each in map(str, named if isinstance(named, list) else ()):
                self._goes(line._replace(reason=NO_SYNC), Going.EXPIRED, each, self._who(each, None))
        elif kind is RowKind.MEMBER_LEFT:
            timeout = leave_cause(line.reason) is LeaveCause.POLL_TIMEOUT
            going = Going.POLL_TIMEOUT if timeout else Going.CLOSED if line.reason else Going.LEFT
            self._goes(line, going, member, who)
        elif kind is RowKind.STATIC_MEMBER_REPLACED:
            old = str(row.detail.get("old_member"))
            name = self._who(old, instance)
            before = self._gone.get(old) or self._gone_by_name.get(name)
            if before is None or (before.going in _ITS_END and not before.by_broker):
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
        who = self._who(member, None)
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
        self._begins(line, who)
        if (instance := row.detail.get("instance")) is not None:
            self._static.add(instance)
        if kind is RowKind.POLL_TIMEOUT or (kind is RowKind.STATE_CHANGE and row.detail.get("to") == "STALE"):
            self._goes(line, Going.POLL_TIMEOUT, row.member, who)
        elif kind is RowKind.LEAVE_SENT:
            timeout = leave_cause(line.reason) is LeaveCause.POLL_TIMEOUT or "limit_ms" in row.detail
            self._goes(line, Going.POLL_TIMEOUT if timeout else Going.CLOSED, row.member, who)
        elif leaves(line):
            self._goes(line, Going.CLOSED, row.member, who)
        elif lost_membership(line) or (who in self._had and needs_an_id(line)):
            self._goes(line, Going.EXPIRED, row.member, who)
        elif kind is RowKind.JOINED or (kind is RowKind.STATE_CHANGE and row.detail.get("to") == "STABLE"):
            self._is_member(line, who)

        if kind in (RowKind.ASSIGNED, RowKind.REVOKED) or line.reason == "Unassignment done":
            self._had.add(who)

    def _begins(self, line: Said, who: str) -> None:
        """The first line of a process: what its former self left open ends here."""
        before = self._restarts.get(line.nth)
        if before is not None or line.nth in self._starts:
            self._had.discard(who)
        if before is not None:
            if who not in self._gone_by_name:
                last = before.said[-1]
                self._goes(last, Going.CLOSED if before.ends_closed else Going.CUT_OFF, last.row.member, who)
            self._comes(line, None, who, empty=False)
        elif line.nth in self._starts and (not self._has_broker or line.row.detail.get("instance") not in self._static):
            self._comes(line, None, who, empty=not self._has_broker)

    def _is_member(self, line: Said, who: str) -> None:
        member, gone = line.row.member, self._gone_by_name.get(who)
        if gone is not None and (gone.member != member or line.row.kind is RowKind.STATE_CHANGE):
            self._comes(line, member, who, empty=False)
        elif member is not None:
            self._members.add(member)
        if member is not None:
            self._current[who] = member


def _only_away(departure: Departure) -> bool:
    """Whether a member that was closed stays one: a static member does not leave, or leaves for a while (KIP-848)."""
    by_broker = [line for line in departure.said if line.client is None]
    if by_broker:
        return all(is_for_a_while(line) for line in by_broker)
    return departure.going is Going.CLOSED


def is_for_a_while(line: Said) -> bool:
    """Whether a static member says with it that it will be back: the coordinator keeps its place (KIP-848)."""
    return line.row.detail.get("what") == "temporarily left"


def _near(one: Said, other: Said) -> bool:
    """Whether two lines may be of one join."""
    if one.at is None or other.at is None:
        return other.nth - one.nth < 60
    return other.at - one.at < 5_000
