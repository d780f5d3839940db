"""Rows of `__consumer_offsets` beside those of logs: what a log says is not said twice, and contradictions are named.

The topic has a generation when it is complete. Where clients' logs show that it began before, it begins there.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from groupsim.events.types import Partitions
from groupsim.incidents.facts.causes import announces_leave
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.typed_fields import int_in, partitions_in, text_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program, Row, is_broker
from groupsim.incidents.logs.times import iso
from groupsim.incidents.offsets_topic.signs_of_life import SignsOfLife
from groupsim.incidents.tolerances import ONE_STEP_MS, REBALANCE_MS

_BEGINS = frozenset([RowKind.HEARTBEAT_SAYS_REBALANCING, RowKind.LEAVE_SENT, RowKind.REJOIN_REQUESTED])
_UNSETTLED = frozenset([RowKind.JOINING, RowKind.LOST, RowKind.REVOKED])
"""Whether these are signs of a rebalance, the next step of the client tells."""
_SETTLES = (
    _BEGINS | _UNSETTLED | {RowKind.ASSIGNED, RowKind.GENERATION_RESET, RowKind.JOINED, RowKind.MEMBER_ID_CREATED}
)
_STEPS = frozenset(
    [
        RowKind.ASSIGNMENT_RECEIVED,
        RowKind.GROUP_EMPTY,
        RowKind.GROUP_CONVERTED,
        RowKind.GROUP_CREATED,
        RowKind.GROUP_EPOCH_BUMPED,
        RowKind.MEMBER_RECONCILED,
    ]
)
"""Rows of the topic behind which what clients say is of a later rebalance."""
_Client = tuple[str, str | None]
"""File and client id."""
_REPLACED = RowKind.STATIC_MEMBER_REPLACED
_FILLED = ("held", "session_timeout_ms", "targets", "timeouts")
"""What no broker prints of a step, or only with topic ids."""
_GONE = frozenset([RowKind.MEMBER_FAILED, RowKind.MEMBER_LEFT, RowKind.MEMBER_GONE])
_NUMBERED = {
    RowKind.REBALANCE_START: ("old_generation", RowKind.REBALANCE_START),
    RowKind.STABILIZED: ("generation", RowKind.STABILIZED),
    RowKind.ASSIGNMENT_RECEIVED: ("generation", RowKind.ASSIGNMENT_RECEIVED),
    RowKind.GROUP_EMPTY: ("generation", RowKind.GROUP_EMPTY),
    RowKind.STORED_ASSIGNMENT: ("generation", RowKind.LEADER_COMPUTED_ASSIGNMENT),
    RowKind.GROUP_EPOCH_BUMPED: ("epoch", RowKind.GROUP_EPOCH_BUMPED),
    RowKind.TARGET_ASSIGNMENT: ("epoch", RowKind.TARGET_ASSIGNMENT),
    RowKind.GROUP_CONVERTED: ("to", RowKind.GROUP_CONVERTED),
}
"""Kinds of the topic's rows: the detail that tells two of them apart, and the kind that a log has for it."""


def merged(rows: list[TimedRow], notes: list[str], signs: SignsOfLife) -> tuple[list[TimedRow], list[str]]:
    """All rows with those of the topic that no log has, in order, and the notes with those on contradictions.

    `signs`: what the topic shows of members that ran.
    """
    if not any(timed.row.program is Program.OFFSETS_TOPIC for timed in rows):
        return rows, notes
    logs = _Logs([timed for timed in rows if timed.row.program is not Program.OFFSETS_TOPIC])
    begun = _Begun(rows, signs)
    found: list[TimedRow] = []
    contradictions: dict[str, None] = {}
    filled: dict[int, dict[str, object]] = {}
    for timed in rows:
        if timed.row.program is not Program.OFFSETS_TOPIC:
            found.append(timed)
            continue
        said = logs.same(timed)
        if said is None:
            found.append(begun.moved(timed))
            continue
        lacking = filled.setdefault(id(said.row), {})
        lacking.update((k, v) for k, v in timed.row.detail.items() if k in _FILLED)
        if timed.row.kind == said.row.kind == _REPLACED:
            lacking["member"] = timed.row.member
        for sentence in _contradictions(timed, said):
            contradictions.setdefault(sentence)
    complete = [_filled(timed, filled.get(id(timed.row))) for timed in found]
    return sorted(complete, key=lambda timed: timed.at), [*notes, *contradictions]


def _filled(timed: TimedRow, lacking: Mapping[str, object] | None) -> TimedRow:
    """The row with what no log says and the topic does."""
    if not lacking:
        return timed
    detail = {**timed.row.detail, **lacking}
    named = text_in(detail.pop("member", None))
    return TimedRow(timed.at, msgspec.structs.replace(timed.row, member=timed.row.member or named, detail=detail))


class _Logs:
    """The logs' rows, by what tells steps apart."""

    def __init__(self, rows: Sequence[TimedRow]) -> None:
        self._rows: dict[tuple[object, ...], list[TimedRow]] = defaultdict(list)
        kinds = {kind: name for name, kind in _NUMBERED.values()}
        for timed in rows:
            row = timed.row
            if (name := kinds.get(row.kind)) is not None:
                self._rows[row.group, row.kind, row.detail.get(name)].append(timed)
            elif is_broker(row) and row.kind in _GONE:
                self._rows[row.group, "gone", row.member].append(timed)
            elif is_broker(row):
                self._rows[row.group, row.kind, row.member].append(timed)
                if row.kind == _REPLACED:
                    self._rows[row.group, "old", row.detail.get("old_member")].append(timed)

    def same(self, timed: TimedRow) -> TimedRow | None:
        """The log's row that says the same as the topic's, if there is one near it."""
        row = timed.row
        keys: list[tuple[object, ...]] = [(row.group, "gone" if row.kind in _GONE else row.kind, row.member)]
        if row.kind in _NUMBERED:
            name, kind = _NUMBERED[row.kind]
            keys = [(row.group, kind, row.detail.get(name))]
        elif row.kind == RowKind.GROUP_CREATED:
            keys = [(row.group, RowKind.REBALANCE_START, 0)]
        elif row.kind == _REPLACED:  # or it was removed, and back before the next record
            keys += [(row.group, what, row.detail.get("old_member")) for what in ("old", "gone")]
        near = [other for key in keys for other in self._rows.get(key, ()) if abs(other.at - timed.at) <= ONE_STEP_MS]
        return min(near, key=lambda other: abs(other.at - timed.at), default=None)


class _Unsettled(NamedTuple):
    """A line of a client that may be a sign of a rebalance, and the generation that the topic had then."""

    at: int
    row: Row
    generation: int | None

    def was_none(self, following: Row) -> bool:
        """Whether it was none, by the client's next step: it left, or came into that generation."""
        if self.row.kind != RowKind.JOINING:
            return following.kind == RowKind.LEAVE_SENT
        return following.kind == RowKind.JOINED and int_in(following.detail.get("generation")) == self.generation


class _Begun:
    """Since when the clients of a group knew of the rebalance that ends with a generation, and when members left.

    What a client gives up when it closes is no sign of one, nor that a static member joins its present generation.
    """

    def __init__(self, rows: Sequence[TimedRow], ran: SignsOfLife) -> None:
        self._ran = ran
        self._signs: dict[str | None, list[int]] = defaultdict(list)
        self._stored: dict[str | None, list[int]] = defaultdict(list)
        self._left: dict[tuple[str | None, str | None], list[int]] = defaultdict(list)
        self._lines: dict[_Client, list[int]] = defaultdict(list)
        self._client: dict[str | None, _Client] = {}
        self._generation: dict[str | None, int] = {}
        self._unsettled: dict[_Client, _Unsettled] = {}
        for timed in rows:
            at, row = timed
            if row.program is Program.OFFSETS_TOPIC:
                if row.kind in _STEPS:
                    self._stored[row.group].append(at)
                    self._generation[row.group] = int_in(row.detail.get("generation")) or 0
            elif not is_broker(row):
                self._take(timed)
        for each in self._unsettled.values():
            self._signs[each.row.group].append(each.at)
        for signs in self._signs.values():
            signs.sort()

    def _take(self, timed: TimedRow) -> None:
        at, row = timed
        client = row.file, row.client
        self._lines[client].append(at)
        if row.member is not None:
            self._client[row.member] = client
        if row.kind == RowKind.LEAVE_SENT:
            self._left[row.group, row.member].append(at)
        if row.kind not in _SETTLES:
            return
        leaves = announces_leave(row.detail.get("reason"))
        before = self._unsettled.pop(client, None)
        if before is not None and not (leaves or before.was_none(row)):
            self._signs[before.row.group].append(before.at)
        if row.kind in _UNSETTLED:
            self._unsettled[client] = _Unsettled(at, row, self._generation.get(row.group))
        elif row.kind in _BEGINS and not leaves:
            self._signs[row.group].append(at)

    def moved(self, timed: TimedRow) -> TimedRow:
        """The row, earlier if it is of a classic rebalance that a client knew of before.

        A member that is gone by then (`until_ms`) may have been removed within the rebalance, too.
        """
        at, row = timed
        if row.kind not in (RowKind.REBALANCE_START, RowKind.MEMBER_GONE) or row.detail.get("converted"):
            return timed
        stored, signs = self._stored[row.group], self._signs[row.group]
        place = bisect_left(stored, at)
        if row.kind == RowKind.MEMBER_GONE and (place == len(stored) or not _of_generation(row)):
            return timed
        since = stored[place - 1] if place else 0
        first = bisect_right(signs, since)
        begun = min(at, signs[first]) if first < len(signs) else at
        if row.kind == RowKind.REBALANCE_START:
            return TimedRow(begun, row)
        heard = {"heard": True} if first < len(signs) and signs[first] <= at else {}
        detail = {**row.detail, **heard, "until_ms": at}
        return TimedRow(self._gone(row, since, begun, at), msgspec.structs.replace(row, detail=detail))

    def _gone(self, row: Row, since: int, begun: int, at: int) -> int:
        """When a member was gone: when it left by its log; else when the rebalance began, unless it wrote on."""
        left = [each for each in self._left[row.group, row.member] if since < each <= at]
        if left:
            return left[-1]
        lines = self._lines[self._client[row.member]] if row.member in self._client else []
        if bisect_right(lines, at) > bisect_right(lines, begun):
            return at
        ran = self._ran.last(row.group, [row.member], at) if row.group is not None and row.member is not None else None
        return max(begun, ran or 0)


def _of_generation(row: Row) -> bool:
    """A member of a classic group is known to be gone by the next generation; of others the topic has the time."""
    return row.detail.get("by") == "generation"


def _contradictions(timed: TimedRow, said: TimedRow) -> Iterator[str]:
    """Where the topic and a log do not say the same of one step."""
    row, other = timed.row, said.row
    where = f"{row.file}:{row.line} and {other.file}:{other.line}"
    number = row.detail.get("generation", row.detail.get("epoch"))
    if row.kind == RowKind.STABILIZED:
        here, there = int_in(row.detail.get("members")), int_in(other.detail.get("members"))
        if there is not None and here != there:
            yield f"{where} contradict each other: generation {number} has {here} members here and {there} there"
        if abs(timed.at - said.at) > REBALANCE_MS:
            yield (
                f"{where} contradict each other: generation {number} is of {iso(timed.at)} in the topic, of"
                f" {iso(said.at)} in the log; one of them has another clock or zone"
            )
    elif row.kind == RowKind.STORED_ASSIGNMENT:
        here_plan, there_plan = _plan(row), _plan(other)
        for member in sorted(here_plan.keys() | there_plan.keys()):
            if here_plan.get(member) != there_plan.get(member):
                yield f"{where} contradict each other: what {member} was assigned in generation {number} differs"
    elif row.kind == RowKind.ASSIGNMENT_RECEIVED:
        here_led, there_led = text_in(row.detail.get("leader")), text_in(other.detail.get("leader"))
        if here_led is not None and there_led is not None and here_led != there_led:
            yield f"{where} contradict each other: generation {number} was led by {here_led} or by {there_led}"


def _plan(row: Row) -> dict[str, Partitions]:
    printed = row.detail.get("assignment")
    return {str(m): partitions_in(names) for m, names in printed.items()} if isinstance(printed, Mapping) else {}
