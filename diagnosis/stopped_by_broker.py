"""When nobody in a group could take records, by a broker's lines: surely, and perhaps.

Between two assignments that the coordinator stores, a group stops when its members give up everything to rebalance, and
when the last of those that had a part is gone. One that died did so up to a session before the coordinator saw it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.moves import Going, is_for_a_while
from groupsim.diagnosis.said import Said
from groupsim.incidents.account.spans import INF, Span, Spans, both, union
from groupsim.incidents.facts.group_kinds import OF_CLASSIC_GROUPS
from groupsim.incidents.facts.typed_fields import int_in, text_in
from groupsim.incidents.logs.row_kinds import RowKind

_HANDOVER_MS = 400
"""From the stored assignment until a member has its part, and from what a member gives up until its leave is heard."""
_HEARTBEAT_MS = 5_000
"""The default of group.consumer.heartbeat.interval.ms, after which a member hears of what others gave up."""
_NEW = (RowKind.MEMBER_ID_CREATED, RowKind.PENDING_MEMBER_JOINS)
_SETTLED = 3
"""Heartbeats until a new member has its part: another one hears of it, says that it gave it up, and this one hears."""
_UNSYNCED = re.compile(r"^[Rr]emoving (.+) on pending sync")
"""Kafka: GroupMetadataManager.expirePendingSync."""
_CONSUMER = (RowKind.GROUP_EPOCH_BUMPED, RowKind.TARGET_ASSIGNMENT, RowKind.MEMBER_JOINED)
_MOVED = frozenset([RowKind.GROUP_LOADED, RowKind.COORDINATOR_LIFECYCLE, RowKind.BROKER_LIFECYCLE])
"""A coordinator that takes a group over gives each member a whole session more."""
_UNSEEN = frozenset([Going.EXPIRED, Going.NOT_RECONCILED, Going.REPLACED, Going.CUT_OFF])
"""Ways to go of which the coordinator hears only later."""


class Stops(NamedTuple):
    """`seen`: from the broker's first line of the group, or ever if the group began with it, to the log's end."""

    surely: Spans
    perhaps: Spans
    seen: Span


class _Gone(NamedTuple):
    """A member that had a part may have been gone `since`; the coordinator saw it `at`.

    `back`: another process took its place then, with its part (KIP-345). `unsynced`: so many members were removed for
    a SyncGroup that did not come: they may be gone, or be late.
    """

    at: int
    since: int
    back: bool = False
    unsynced: int = 0


@dataclass(slots=True)
class _Stretch:
    """From one stored assignment to the next, or to the last line.

    `holders`: how many members have a part by the first, None if not known; `waiting`: how many of these may have to
    wait for it. `begun`, `joined`: the rebalance began, and has its members, of which there are `size`. `fresh`:
    members that came; `added`: those for which a rebalance began. `all_new`: since when all its members are such.
    `went`: members that had a part. `unsent`: since when the leader of a rebalance may be gone: it
    sent no assignment, and may have had all. `first`: it begins with the first assignment of all.
    """

    since: int
    holders: int | None
    waiting: int = 0
    begun: int | None = None
    joined: int | None = None
    size: int | None = None
    emptied: int | None = None
    all_new: int | None = None
    fresh: set[str | None] = field(default_factory=set)
    added: set[str | None] = field(default_factory=set)
    went: list[_Gone] = field(default_factory=list)
    unsent: int | None = None
    until: int = INF
    start_up: bool = False
    first: bool = False

    def starts_up(self, *, first: bool) -> None:
        """`first`: it leads to the first generation. Where a member went before, the coordinator forgot the group."""
        self.start_up = self.start_up or (first and not self.went and self.emptied is None)

    def completes(self, at: int, *, stores: bool) -> None:
        """A generation has its members: if all of them are new, none has a part until an assignment is stored."""
        if stores and self.all_new is None and self.size and len(self.added) >= self.size:
            self.all_new = at

    def sent_nothing(self, *, stores: bool) -> None:
        """All have joined, and no assignment was stored; `stores`: the log would show it."""
        if stores and self.unsent is None and self.joined is not None:
            self.unsent = self.since if self.begun is None else self.begun

    @property
    def all_gone(self) -> Spans:
        """When none of those that had a part is left."""
        since = [at for at in (self.emptied, self.all_new) if at is not None]
        spans = [(min(since), self.until)] if since else []
        gone = sorted(each.at for each in self.went if not each.back and not each.unsynced)
        if self.holders is not None and len(gone) >= self.holders > 0:
            spans.append((gone[self.holders - 1], self.until))
        return union(spans)

    def perhaps_gone(self, is_eager: bool | None) -> Spans:
        """When none of them may have been left: of each nobody knows when it went, only when that was seen.

        Where the log does not show who came before, those that stayed may have had nothing yet (KIP-429).
        """
        until = _handed_over(self.until)
        went = [each for each in self.went for _ in range(each.unsynced or 1)]
        away = [(each.since, _handed_over(each.at) if each.back else until) for each in went]
        spans = [] if self.emptied is None else [(max([self.since, *(a for a, _ in away)]), until)]
        stayed = bool(is_eager) and self.size is not None and self.size > len(self.fresh)
        if self.holders is not None or not stayed:
            spans += _at_once(away, max(1, (self.holders or 1) - self.waiting))
        return union(spans)


def _handed_over(at: int) -> int:
    return at if at == INF else at + _HANDOVER_MS


def _at_once(spans: Sequence[Span], number: int) -> Iterator[Span]:
    """When at least so many of them run."""
    level = 0
    steps = sorted([*((begin, 1) for begin, _ in spans), *((end, -1) for _, end in spans)])
    for (at, step), (following, _) in pairwise(steps):
        level += step
        if level >= number and at < following:
            yield at, following


def stops_by_broker(log: GroupLog, is_eager: bool | None) -> Stops | None:
    """None where no broker says who came and went. `is_eager`: whether members give up everything; None: not known."""
    timed = [(line.at, line) for line in log.broker if line.at is not None]
    if not timed:
        return None
    seen = -INF if _begins(log) else timed[0][0], end_of_broker(log)
    gone = _removals(log)
    if of_both_protocols(log):
        return Stops([], [seen], seen)
    if log.rebalances:
        stretches = list(_stretches(timed, gone, is_eager, stores=bool(log.of(RowKind.ASSIGNMENT_RECEIVED))))
        surely = both([seen], union(*(_surely(each, is_eager) for each in stretches)))
        stored = timed[0][1].row.kind is RowKind.ASSIGNMENT_RECEIVED  # what was before is not in the log
        handed_over = [(timed[0][0], _handed_over(timed[0][0]))] if stored else []
        return Stops(surely, union(handed_over, *(_perhaps(each, is_eager) for each in stretches)), seen)
    if log.of(*_CONSUMER):
        return _of_consumers(log, timed, gone, seen)
    return Stops([], [], seen) if log.of(RowKind.STATIC_REJOIN_WITHOUT_REBALANCE) else None


def of_both_protocols(log: GroupLog) -> bool:
    """Whether its members speak the classic and the consumer protocol, at once or one after the other."""
    return bool(log.of(*_CONSUMER) and log.of(*OF_CLASSIC_GROUPS))


def _begins(log: GroupLog) -> bool:
    """Whether the broker's log shows the group from its first member on."""
    first = next((line for line in log.broker if line.row.kind is RowKind.REBALANCE_START), None)
    return is_whole(log) or (first is not None and first.row.detail.get("old_generation") == 0)


def end_of_broker(log: GroupLog) -> int:
    """The last instant of a broker's log."""
    return max(log.ends.get(line.row.file, -INF if line.at is None else line.at) for line in log.broker)


def is_whole(log: GroupLog) -> bool:
    """Whether a broker's log shows a consumer group from its first member on.

    That bumps the epoch to 1, or to 2 where a group begins with 1: brokers since then print the metadata's hash.
    """
    bumped = next((line.row.detail for line in log.of(RowKind.GROUP_EPOCH_BUMPED) if line.client is None), {})
    joins = bool(log.broker) and log.broker[0].row.kind is RowKind.MEMBER_JOINED
    return joins and bumped.get("epoch") == (2 if bumped.get("metadata_hash") else 1)


def _surely(stretch: _Stretch, is_eager: bool | None) -> Spans:
    at_once = stretch.begun is not None and stretch.begun < _handed_over(stretch.since)
    if stretch.start_up or (stretch.first and at_once):  # then nobody may have had its first part yet
        return []
    joined = [(stretch.joined, stretch.until)] if is_eager and stretch.joined is not None else []
    return union(stretch.all_gone, joined)


def _perhaps(stretch: _Stretch, is_eager: bool | None) -> Spans:
    rebalanced = stretch.begun is not None or stretch.joined is not None or stretch.until < INF
    if not rebalanced or (is_eager is False and not stretch.start_up):
        unsent = [] if stretch.unsent is None else [(stretch.unsent, _handed_over(stretch.until))]
        return union(stretch.perhaps_gone(is_eager), unsent)
    begun = stretch.since if stretch.begun is None else stretch.begun  # that it began may not be in the log
    return union(stretch.perhaps_gone(is_eager), [(begun, _handed_over(stretch.until))])


def _stretches(
    timed: Sequence[tuple[int, Said]], gone: dict[int, _Gone], is_eager: bool | None, *, stores: bool
) -> Iterator[_Stretch]:
    """In order. `gone`: by the number of the line with which the coordinator removes a member. `stores`: whether the
    log has lines of stored assignments, so that one without such a line was not stored.
    """
    stretch = _Stretch(timed[0][0], None)
    went_next: list[_Gone] = []
    waits = _waits_for_its_first(timed)
    for at, line in timed:
        kind, member = line.row.kind, line.row.member
        adds = kind is RowKind.REBALANCE_START and "new member" in line.reason
        if adds or kind in _NEW:
            stretch.fresh.add(member)
        if adds:
            stretch.added.add(member)
        if (removed := gone.get(line.nth)) is not None:
            stretch.added.discard(member)
            if stretch.joined is not None:
                went_next.append(removed)
            if member not in stretch.fresh:
                stretch.went.append(removed)
            elif stretch.joined is None:
                stretch.fresh.discard(member)
        if kind is RowKind.REBALANCE_START:
            stretch.starts_up(first=line.row.detail.get("old_generation") == 0 or line.nth == waits)
            if stretch.joined is not None:  # its assignment was never stored
                stretch.sent_nothing(stores=stores)
                stretch.joined, stretch.size, went_next = None, None, []
            stretch.begun = at if stretch.begun is None else stretch.begun
        elif kind is RowKind.STABILIZED:
            stretch.joined, stretch.size = at, int_in(line.row.detail.get("members"))
            stretch.completes(at, stores=stores)
            stretch.starts_up(first=line.row.detail.get("generation") == 1)
            went_next = []
        elif kind in (RowKind.GROUP_EMPTY, RowKind.GROUP_DEAD):
            stretch.emptied = at if stretch.emptied is None else stretch.emptied
        elif kind is RowKind.ASSIGNMENT_RECEIVED:
            stretch.until = at
            yield stretch
            # others give up first what those that came are to have (KIP-429)
            waiting = len(stretch.fresh) if not is_eager and len(stretch.fresh) < (stretch.size or 0) else 0
            stretch = _Stretch(at, stretch.size, waiting, went=went_next, first=stretch.start_up)
            went_next = []
    stretch.sent_nothing(stores=stores)
    yield stretch


def _waits_for_its_first(timed: Sequence[tuple[int, Said]]) -> int | None:
    """The number of the line that begins a rebalance while generation 1 still waits for its assignment, the first."""
    state: object = None
    for _, line in timed:
        state = line.row.detail.get("group_state", state)
        if line.row.kind is RowKind.REBALANCE_START:
            waits = line.row.detail.get("old_generation") == 1 and state == "CompletingRebalance"
            return line.nth if waits else None
        if line.row.kind is RowKind.ASSIGNMENT_RECEIVED:
            return None
    return None


def _removals(log: GroupLog) -> dict[int, _Gone]:
    """By the number of the broker's line that says it."""
    moved = sorted(line.at for line in log.of(*_MOVED) if line.at is not None)
    session_ms = max(
        (ms for line in log.lines if (ms := _session_ms(line)) is not None),
        default=None,
    )
    found: dict[int, _Gone] = {}
    ends = _ends_of_rebalances(log)

    def since(line: Said, at: int) -> int:
        """When one that the coordinator missed later may have gone at the earliest."""
        own_ms = int_in(line.row.detail.get("session_timeout_ms")) or session_ms
        begin = -INF if own_ms is None else at - own_ms - _HANDOVER_MS
        if bisect_left(moved, begin) < bisect_right(moved, at):
            return -INF
        if begin > -INF:  # one that waits for the end of a rebalance begins its session anew then
            within = ends[bisect_left(ends, (begin, -INF)) : bisect_right(ends, (at, INF))]
            begin = min([begin, *(begun for _, begun in within)])
        return begin

    for departure in log.departures:
        line = departure.removed
        if line.client is not None or line.at is None:
            continue
        unseen = departure.going in _UNSEEN
        left = min(said.at for said in departure.said if said.at is not None) - _HANDOVER_MS
        found[line.nth] = _Gone(line.at, since(line, line.at) if unseen else left, departure.going is Going.REPLACED)
    for line in log.of(RowKind.REBALANCE_START):
        missed = _UNSYNCED.search(line.reason)
        if missed is not None and line.at is not None:
            found[line.nth] = _Gone(line.at, since(line, line.at), unsynced=missed[1].count(",") + 1)
    return found


def _ends_of_rebalances(log: GroupLog) -> list[Span]:
    """When all had joined, and when the assignment was stored, in order; beside each when that rebalance began."""
    ends: list[Span] = []
    for rebalance in log.rebalances:
        begun = -INF if rebalance.start is None or rebalance.start.at is None else rebalance.start.at
        ends += [(line.at, begun) for line in (rebalance.stable, rebalance.stored) if line and line.at is not None]
    return sorted(ends)


def _session_ms(line: Said) -> int | None:
    settings = line.row.detail.get("settings")
    named = int_in(settings.get("session.timeout.ms")) if isinstance(settings, dict) else None
    return named if named is not None else int_in(line.row.detail.get("session_timeout_ms"))


def _of_consumers(log: GroupLog, timed: Sequence[tuple[int, Said]], gone: dict[int, _Gone], seen: Span) -> Stops:
    """Nobody stops in a reconciliation. A group stops when its last member is gone, or the last that has its part yet:
    until the next one has it.

    A member that comes back has its former id, but for a static one.
    """
    whole, heartbeat_ms = is_whole(log), _heartbeat_ms(log)
    members: dict[str | None, tuple[int, int]] = {}  # when each came, and had its part
    away: dict[str | None, int] = {}  # static members that left for a while, since when
    begin = last = emptied = timed[0][0]
    surely: list[Span] = []
    perhaps: list[Span] = []
    for at, line in timed:
        kind, member, before = line.row.kind, line.row.member, bool(members)
        came = begin
        if kind is RowKind.STATIC_MEMBER_REPLACED:
            came, _ = members.pop(text_in(line.row.detail.get("old_member")), (begin, begin))
        elif kind in (RowKind.MEMBER_LEFT, RowKind.MEMBER_FAILED):
            came, _ = members.pop(member, (begin, begin))
        if (removed := gone.get(line.nth)) is not None:
            since = max(removed.since, came)
            last = max(last, since)
            if not any(has <= since for _, has in members.values()):
                perhaps.append((since, at + heartbeat_ms + _HANDOVER_MS))
                if is_for_a_while(line):  # what it had waits until it is back, or its session ends
                    away[member] = since
        back = text_in(line.row.detail.get("old_member")) if kind is RowKind.STATIC_MEMBER_REPLACED else member
        if back in away and kind in (RowKind.STATIC_MEMBER_REPLACED, RowKind.MEMBER_JOINED, RowKind.MEMBER_FAILED):
            perhaps.append((away.pop(back), at + heartbeat_ms + _HANDOVER_MS))
        if before and not members:
            emptied = at
        if kind in (RowKind.MEMBER_JOINED, RowKind.STATIC_MEMBER_REPLACED):
            if not members:
                surely += [(emptied, at)] if whole and emptied > begin else []
                perhaps.append((last, at + _HANDOVER_MS))
                last = begin
            members[member] = at, at + _SETTLED * heartbeat_ms * (bool(members) or not whole)
    return Stops(union(surely), union(perhaps, ((since, INF) for since in away.values())), seen)


def _heartbeat_ms(log: GroupLog) -> int:
    shown = (int_in(line.row.detail.get("interval_ms")) for line in log.of(RowKind.CONSUMER_HEARTBEAT_INTERVAL))
    return max((ms for ms in shown if ms is not None), default=_HEARTBEAT_MS)
