"""When nobody in a group could take records, by a broker's lines: surely, and perhaps.

Between two assignments that the coordinator stores, a group stops when its members give up everything to rebalance, and
when the last of those that had a part is gone. One that died did so up to a session before the coordinator saw it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from groupsim.diagnosis.group_log import GroupLog
from groupsim.diagnosis.moves import Going
from groupsim.diagnosis.said import Said
from groupsim.incidents.account.spans import INF, Span, Spans, both, union
from groupsim.incidents.facts.typed_fields import int_in
from groupsim.incidents.logs.row_kinds import RowKind

_HANDOVER_MS = 400
"""From the stored assignment until a member has its part, and from what a member gives up until its leave is heard."""
_CONSUMER = (RowKind.GROUP_EPOCH_BUMPED, RowKind.TARGET_ASSIGNMENT, RowKind.MEMBER_JOINED)
_MOVED = frozenset([RowKind.GROUP_LOADED, RowKind.COORDINATOR_LIFECYCLE, RowKind.BROKER_LIFECYCLE])
"""A coordinator that takes a group over gives each member a whole session more."""
_UNSEEN = frozenset([Going.EXPIRED, Going.REPLACED, Going.CUT_OFF])
"""Ways to go of which the coordinator hears only later."""


class Stops(NamedTuple):
    """`seen`: from the broker's first line of the group to its last."""

    surely: Spans
    perhaps: Spans
    seen: Span


class _Gone(NamedTuple):
    """A member was removed `at`; it may have had nothing any more `since`."""

    at: int
    since: int


@dataclass(slots=True)
class _Stretch:
    """From one stored assignment to the next, or to the last line.

    `holders`: how many members have a part by the first, None if not known. `begun`, `joined`: the rebalance began, and
    has its members, of which there are `size`. `fresh`: members that came. `went`: members that had a part.
    """

    since: int
    holders: int | None
    begun: int | None = None
    joined: int | None = None
    size: int | None = None
    emptied: int | None = None
    fresh: int = 0
    went: list[_Gone] = field(default_factory=list)
    until: int = INF
    start_up: bool = False

    @property
    def all_gone(self) -> _Gone | None:
        """When the last of those that had a part was removed, and since when nobody may have had one."""
        since = max((gone.since for gone in self.went), default=self.since)
        if self.emptied is not None:
            return _Gone(self.emptied, min(since, self.emptied))
        if self.holders is not None and len(self.went) >= self.holders:
            return _Gone(max((gone.at for gone in self.went), default=self.since), since)
        return None

    @property
    def perhaps_gone(self) -> int | None:
        """Since when nobody may have had a part, where it is not known who had."""
        if (gone := self.all_gone) is not None:
            return gone.since
        stayed = self.size is not None and self.size > self.fresh
        if self.holders is not None or stayed or not self.went:
            return None
        return max(gone.since for gone in self.went)


def stops_by_broker(log: GroupLog, is_eager: bool | None) -> Stops | None:
    """None where no broker says who came and went. `is_eager`: whether members give up everything; None: not known."""
    timed = [(line.at, line) for line in log.broker if line.at is not None]
    if not timed:
        return None
    seen = timed[0][0], timed[-1][0]
    gone = _removals(log)
    if log.rebalances:
        stretches = list(_stretches(timed, gone, log))
        surely = both([seen], union(*(_surely(each, is_eager) for each in stretches)))
        return Stops(surely, union(*(_perhaps(each, is_eager) for each in stretches)), seen)
    if log.of(*_CONSUMER):
        return _of_consumers(log, timed, gone, seen)
    return Stops([], [], seen) if log.of(RowKind.STATIC_REJOIN_WITHOUT_REBALANCE) else None


def _surely(stretch: _Stretch, is_eager: bool | None) -> Iterator[Span]:
    since = [] if (gone := stretch.all_gone) is None else [gone.at]
    if is_eager and stretch.joined is not None:
        since.append(stretch.joined)
    if since and not stretch.start_up:
        yield min(since), stretch.until


def _perhaps(stretch: _Stretch, is_eager: bool | None) -> Iterator[Span]:
    since = [] if (gone := stretch.perhaps_gone) is None else [gone]
    rebalanced = stretch.begun is not None or stretch.joined is not None or stretch.until < INF
    if rebalanced and (is_eager is not False or stretch.start_up):  # that it began may not be in the log
        since.append(stretch.since if stretch.begun is None else stretch.begun)
    if since:
        yield min(since), stretch.until + (_HANDOVER_MS if stretch.until < INF else 0)


def _stretches(timed: Sequence[tuple[int, Said]], gone: dict[int, _Gone], log: GroupLog) -> Iterator[_Stretch]:
    """In order. `gone`: by the number of the line with which the coordinator removes a member."""
    came = {join.said.nth for join in log.joins if not join.static}
    stretch = _Stretch(timed[0][0], None)
    went_next: list[_Gone] = []
    young: set[str | None] = set()
    for at, line in timed:
        kind = line.row.kind
        if line.nth in came:
            stretch.fresh += 1
            young.add(line.row.member)
        if (removed := gone.get(line.nth)) is not None:
            if stretch.joined is not None:
                went_next.append(removed)
            if line.row.member in young:
                stretch.fresh -= stretch.joined is None
            else:
                stretch.went.append(removed)
        if kind is RowKind.REBALANCE_START:
            first = line.row.detail.get("old_generation") == 0
            stretch.start_up = stretch.start_up or (first and not stretch.went and stretch.emptied is None)
            if stretch.joined is not None:  # its assignment was never stored
                stretch.joined, stretch.size, went_next = None, None, []
            stretch.begun = at if stretch.begun is None else stretch.begun
        elif kind is RowKind.STABILIZED:
            stretch.joined, stretch.size = at, int_in(line.row.detail.get("members"))
            went_next = []
        elif kind in (RowKind.GROUP_EMPTY, RowKind.GROUP_DEAD):
            stretch.emptied = at if stretch.emptied is None else stretch.emptied
        elif kind is RowKind.ASSIGNMENT_RECEIVED:
            stretch.until = at
            yield stretch
            stretch = _Stretch(at, stretch.size, went=went_next)
            went_next, young = [], set()
    yield stretch


def _removals(log: GroupLog) -> dict[int, _Gone]:
    """By the number of the broker's line that says it."""
    moved = [line.at for line in log.of(*_MOVED) if line.at is not None]
    session_ms = max(
        (ms for line in log.lines if (ms := _session_ms(line)) is not None),
        default=None,
    )
    found: dict[int, _Gone] = {}
    for departure in log.departures:
        line = departure.removed
        if line.client is not None or line.at is None:
            continue
        if departure.going in _UNSEEN:
            own_ms = int_in(line.row.detail.get("session_timeout_ms")) or session_ms
            since = -INF if own_ms is None else line.at - own_ms - _HANDOVER_MS
            if any(since <= at <= line.at for at in moved):
                since = -INF
        else:
            since = line.at - _HANDOVER_MS
        found[line.nth] = _Gone(line.at, since)
    return found


def _session_ms(line: Said) -> int | None:
    settings = line.row.detail.get("settings")
    named = int_in(settings.get("session.timeout.ms")) if isinstance(settings, dict) else None
    return named if named is not None else int_in(line.row.detail.get("session_timeout_ms"))


def _of_consumers(
    log: GroupLog, timed: Sequence[tuple[int, Said]], gone: dict[int, _Gone], seen: Span
) -> Stops:
    """Nobody stops in a reconciliation; a group stops when its last member is gone, until the next one has its part."""
    whole = any(line.row.detail.get("epoch") == 1 for _, line in timed if line.row.kind is RowKind.GROUP_EPOCH_BUMPED)
    came = {join.said.nth for join in log.joins}
    members, last = 0, -INF
    emptied: int | None = None
    surely: list[Span] = []
    perhaps: list[Span] = []
    for at, line in timed:
        if (removed := gone.get(line.nth)) is not None:
            members, last = max(0, members - 1), max(last, removed.since)
            emptied = at if not members and emptied is None else emptied
        if line.nth in came:
            if emptied is not None and not members:
                surely += [(emptied, at)] if whole else []
                perhaps.append((last, at + _HANDOVER_MS))
                emptied, last = None, -INF
            members += 1
    return Stops(union(surely), union(perhaps), seen)
