"""Steps that a client or a coordinator took although no line says so: later lines show that it did.

A library prints each step of a rebalance, and a client cannot skip one. Where a line shows that a step is over, and the
step's own line is not in the log, that line is lost, and the step was taken between the lines around it. REQUIRED is
the table of these steps. A row of the step is put between the rows of the process, so that all that reads them sees
it, and a doubt says that its time has bounds. COORDINATED is the table of the steps of a coordinator.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, takewhile
from typing import NamedTuple

from msgspec import structs

from groupsim.events.client import MemberPhase
from groupsim.events.types import Partitions, TopicPartition
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.lookups import JOINS, Index
from groupsim.incidents.facts.processes import ProcessLog
from groupsim.incidents.facts.typed_fields import int_in, pairs, partitions_in, text_in
from groupsim.incidents.facts.unnamed_clients import PlacedRow
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Program, Row, is_broker
from groupsim.incidents.logs.times import iso
from groupsim.incidents.tolerances import ONE_INSTANT_MS
from groupsim.storage.log_gaps import Doubt
from groupsim.wording.numbers import counted

NOT_LOGGED = "not_logged"
"""In the detail of a row that no line of the log says."""
_EAGER = frozenset(["range", "roundrobin", "sticky"])
"""Assignors whose members give up all that they have before they join again; Kafka: ConsumerPartitionAssignor."""
_ANSWERS = frozenset([RowKind.SYNCED, RowKind.CLIENT_NOTIFIED])
_JOIN_OVER = frozenset([RowKind.JOINED, RowKind.JOIN_FAILED, RowKind.REBALANCE_FAILED, RowKind.ASSIGNED])
_TAKES = frozenset([RowKind.ASSIGNED, RowKind.CLIENT_ADDED])
_JOINS = frozenset([RowKind.JOINING, RowKind.JOINED])
_GIVES_UP = frozenset([RowKind.REVOKED, RowKind.LOST])
_OUT = frozenset(
    [RowKind.LOST, RowKind.GENERATION_RESET, RowKind.CLIENT_CLOSED, RowKind.LEAVE_SENT, RowKind.REBALANCE_FAILED]
)
"""Kinds of rows after which a member may skip what was due."""
_HEARS = frozenset([RowKind.REJOIN_REQUESTED, RowKind.HEARTBEAT_SAYS_REBALANCING])
_MOVES = {RowKind.CLIENT_ADDED: "PARTITION_JOIN", RowKind.CLIENT_REMOVED: "PARTITION_LEAVE"}
"""By the row that says that librdkafka adds or removes a partition: the operation that it printed just before."""
_CALLS = {RowKind.ASSIGNED: "wait-assign-call", RowKind.REVOKED: "wait-unassign-call"}
"""By kind of callback: librdkafka's state while it waits for it."""


class Due(NamedTuple):
    """A step that comes next, if any: since which instant, behind which row, of which partitions (None: nobody says).

    `sure`: the client cannot go on without it.
    """

    since: int
    place: int
    partitions: Partitions | None = None
    sure: bool = False


class Steps:
    """What one client holds by its rows so far, and what it does next. `due`: by the kind of its row.

    `follows_targets`: its rows are of the consumer protocol (KIP-848); its library looks for offsets in another thread.
    """

    def __init__(self, process: ProcessLog, index: Index) -> None:
        self.view: set[TopicPartition] = set()
        self.eager = self.follows_targets = False
        self.due: dict[RowKind, Due] = {}
        self._process, self._index = process, index
        self._generation: int | None = None
        self._member = ""
        self._asks = self._joining = False
        self._left = 0
        self._reconciles: Due | None = None

    def given(self, at: int) -> Partitions | None:
        """What its generation gives it, by the leader's assignment; None: no log has that."""
        if self._generation is None:
            return None
        plan = self._index.plan(self._process.group, self._generation, at)
        return None if plan is None else plan.plan.get(self._member)

    def take(self, timed: TimedRow, place: int) -> None:
        """Go on behind a row, which is the one before `place`."""
        row, kind = timed.row, timed.row.kind
        named = partitions_in(row.detail.get("partitions"))
        self.follows_targets = self.follows_targets or kind == RowKind.STATE_CHANGE
        if kind in _OUT:
            self.due.clear()
        self.due.pop(RowKind.REVOKED if kind == RowKind.LOST else kind, None)
        self._asks = self._asks or kind == RowKind.JOINING
        self._joining = kind == RowKind.JOINING or (self._joining and kind not in _JOIN_OVER)
        if kind in _GIVES_UP or kind == RowKind.CLIENT_REMOVED:
            self.view.difference_update(named)
            if self.eager and self._asks and named:
                self.due[RowKind.JOINING] = Due(timed.at, place, named)
            self._later(RowKind.ASSIGNED, timed.at, place)
        elif kind == RowKind.WORKER_ASSIGNED:  # its own lines say what it stops and starts
            self.due.clear()
        elif kind in _TAKES:
            self.view.update(named)
            self._adds(timed, place, len(named))
        elif kind == RowKind.JOINED:
            self._member, self._generation = row.member or self._member, int_in(row.detail.get("generation"))
            self.eager = row.detail.get("protocol") in _EAGER
            self.due[RowKind.ASSIGNED] = Due(timed.at, place)
        elif kind in _ANSWERS and (RowKind.ASSIGNED in self.due or self._joining):  # else the line on joining is lost
            self.due[RowKind.ASSIGNED] = Due(timed.at, place, named or None, sure=True)
        elif kind in (RowKind.CLIENT_RECONCILING, RowKind.CLIENT_BLOCK):
            self._lists(timed, place)
        elif kind in _HEARS and (due := self.due.get(RowKind.REVOKED)) is not None and due.partitions is None:
            self.due[RowKind.REVOKED] = Due(timed.at, place, ())
        elif kind == RowKind.STATE_CHANGE and row.detail.get("to") == MemberPhase.RECONCILING:
            self._reconciles = Due(timed.at, place)
        elif _acknowledges(row) and self._reconciles is not None:  # the line on what it was given is lost
            self.due[RowKind.ASSIGNED] = self._reconciles
        elif kind == RowKind.CGRP_STATE:
            for step, state in _CALLS.items():
                if row.detail.get("to") == state:
                    self.due[step] = Due(timed.at, place, sure=True)
        if self.view and kind in (RowKind.ASSIGNED, RowKind.CLIENT_ADDED, *_JOINS):
            self.due.setdefault(RowKind.REVOKED, Due(timed.at, place))

    def _lists(self, timed: TimedRow, place: int) -> None:
        """A row says all that it gives up and takes next."""
        self._reconciles = None
        for step, key in ((RowKind.REVOKED, "revoked"), (RowKind.ASSIGNED, "added")):
            partitions = partitions_in(timed.row.detail.get(key))
            if partitions:
                self.due[step] = Due(timed.at, place, partitions, sure=True)
            elif timed.row.kind == RowKind.CLIENT_RECONCILING:
                self.due.pop(step, None)

    def _adds(self, timed: TimedRow, place: int, number: int) -> None:
        """A callback of librdkafka says how many partitions it is about, and then it adds each at once."""
        count = int_in(timed.row.detail.get("partition_count"))
        left = count if timed.row.kind == RowKind.ASSIGNED else self._left - number
        self._left = left or 0
        self.due.pop(RowKind.CLIENT_ADDED, None)
        if self._left > 0:
            self.due[RowKind.CLIENT_ADDED] = Due(timed.at, place)

    def _later(self, step: RowKind, at: int, place: int) -> None:
        """A step that was due comes behind this row."""
        due = self.due.get(step)
        if due is not None:
            self.due[step] = due._replace(since=at, place=place)


def _eager_gave_up(steps: Steps, row: Row, due: Due) -> Partitions:
    """An eager member has given up all that it had before it joins again."""
    return tuple(sorted(steps.view)) if steps.eager and row.kind in _JOINS else ()


def _gave_up(steps: Steps, row: Row, due: Due) -> Partitions:
    """A member gives up what it has to before it takes anything, joins again or acknowledges its target."""
    over = row.kind in (RowKind.ASSIGNED, *_JOINS) or _acknowledges(row)
    return tuple(tp for tp in due.partitions or () if tp in steps.view) if due.sure and over else ()


def _took(steps: Steps, row: Row, due: Due) -> Partitions:
    """A member takes what it is given before it looks for offsets, owns or gives that up, joins or acknowledges."""
    named = partitions_in(row.detail.get("partitions") or [row.detail.get("partition")])
    new = tuple(tp for tp in named if tp not in steps.view)
    if row.kind in (RowKind.CLIENT_RECONCILING, RowKind.CLIENT_BLOCK):
        return tuple(tp for tp in partitions_in(row.detail.get("owned")) if tp not in steps.view)
    looks = row.kind in (RowKind.CLIENT_POSITION, RowKind.CLIENT_NO_OFFSET) and not steps.follows_targets
    shows = new and (looks or row.kind in _GIVES_UP)
    over = due.sure and (row.kind == RowKind.JOINING or _acknowledges(row))
    if not shows and not over:
        return ()
    given = due.partitions or steps.given(due.since) or new
    return tuple(tp for tp in given if tp not in steps.view)


def _added(steps: Steps, row: Row, due: Due) -> Partitions:
    """librdkafka has added a partition before it removes it."""
    removes = row.kind == RowKind.CLIENT_REMOVED
    return tuple(tp for tp in partitions_in(row.detail.get("partitions")) if tp not in steps.view) if removes else ()


def _asked(steps: Steps, row: Row, due: Due) -> Partitions:
    """An eager member that gave up what it had asks to join before it has joined: its callback is over by then."""
    return due.partitions or () if row.kind == RowKind.JOINED else ()


def _acknowledges(row: Row) -> bool:
    """Whether it has followed its target (KIP-848)."""
    states = (row.detail.get("from"), row.detail.get("to"))
    return row.kind == RowKind.STATE_CHANGE and MemberPhase.ACKNOWLEDGING in states


class Required(NamedTuple):
    """A step that a client takes before another: the kind of its row, and `shows`, what it is about if a row shows
    that it is over (else nothing). `words`: what the client did. `source`: in Kafka."""

    step: RowKind
    shows: Callable[[Steps, Row, Due], Partitions]
    words: str
    source: str


REQUIRED = (
    Required(
        RowKind.REVOKED,
        _eager_gave_up,
        "gave up all that it had before it joined again",
        "ConsumerCoordinator.onJoinPrepare; rd_kafka_cgrp_rebalance",
    ),
    Required(
        RowKind.REVOKED,
        _gave_up,
        "gave up what it had to",
        "ConsumerCoordinator.onJoinComplete; AbstractMembershipManager.revokeAndAssign",
    ),
    Required(
        RowKind.CLIENT_ADDED,
        _added,
        "added what its callback was about",
        "rd_kafka_cgrp_partition_add, rd_kafka_cgrp_partition_del",
    ),
    Required(
        RowKind.JOINING,
        _asked,
        "asked to join again after it gave up what it had",
        "ConsumerCoordinator.onJoinPrepare; AbstractCoordinator.sendJoinGroupRequest",
    ),
    Required(
        RowKind.ASSIGNED,
        _took,
        "took what it was assigned",
        "ConsumerCoordinator.onJoinComplete; AbstractMembershipManager.revokeAndAssign",
    ),
)


def add_steps(process: ProcessLog, index: Index) -> list[Doubt]:
    """Put a row for each step that the log leaves out between the rows of a process; the doubts on when that was."""
    steps, rows, doubts = Steps(process, index), list[PlacedRow](), list[Doubt]()
    reads_operations = process.library is Program.LIBRDKAFKA
    closed = process.closed_row
    for number, placed in enumerate(process.rows):
        if number == process.closed_row:
            closed = len(rows)
        if reads_operations:
            for hidden in _of_librdkafka(steps, process.rows, number):
                rows.append((placed[0], TimedRow(placed[1].at, hidden)))
                steps.take(rows[-1][1], len(rows))
        for required in REQUIRED:
            due = steps.due.get(required.step)
            if due is None or not (partitions := required.shows(steps, placed[1].row, due)):
                continue
            unserved = tuple(sorted({*partitions, *steps.view}))  # a callback lets it serve nothing
            at, place = (due.since, due.place) if required.step in _TAKES else (placed[1].at, len(rows))
            row = _row(
                placed[1].row, required.step, {"partitions": [f"{tp.topic}-{tp.partition}" for tp in partitions]}
            )
            rows.insert(place, (rows[place - 1][0] if place < len(rows) else placed[0], TimedRow(at, row)))
            steps.take(rows[place][1], len(rows))
            if due.since < placed[1].at and required.step != RowKind.CLIENT_ADDED:
                doubts.append(_doubt(process, due.since, placed[1].at, partitions, unserved, required.words))
        rows.append(placed)
        steps.take(placed[1], len(rows))
    process.rows[:], process.closed_row = rows, closed
    return doubts


def _row(like: Row, kind: RowKind, detail: dict[str, object]) -> Row:
    return structs.replace(like, kind=kind, detail={**detail, NOT_LOGGED: True})


def _doubt(process: ProcessLog, since: int, at: int, partitions: Partitions, unserved: Partitions, words: str) -> Doubt:
    which = counted(len(partitions), "partition")
    why = (
        f"{process.file}: {process.name} {words}, {which}, between {iso(since)} and {iso(at)}, and its log has no line"
        " of it; export the log with all its lines"
    )
    return Doubt(process.group, since, at, pairs(unserved), why, inexact=True)


def _of_librdkafka(steps: Steps, rows: list[PlacedRow], number: int) -> Iterator[Row]:
    """What librdkafka printed just before a row, by its operations and states: no time passes between them."""
    row = rows[number][1].row
    before = rows[number - 1][1].row if number else None
    for kind, operation in _MOVES.items():
        if before is not None and before.detail.get("op") == operation:
            same = row.kind == kind and row.detail.get("partitions") == before.detail.get("partitions")
            if not same and "partitions" in before.detail:
                yield _row(before, kind, {"partitions": before.detail["partitions"]})
    for (step, state), moves in zip(_CALLS.items(), _MOVES, strict=True):
        due = steps.due.get(step)
        if due is None or row.kind == step or row.kind == RowKind.LOST:
            continue
        calls = state in (row.detail.get("join_state"), row.detail.get("from"))
        if (due.sure and calls) or row.kind == moves:
            yield _row(row, step, {"partition_count": len(_moved(rows, number, moves))})


def _moved(rows: list[PlacedRow], number: int, kind: RowKind) -> set[TopicPartition]:
    """The partitions that librdkafka adds or removes from a row on, up to the next callback."""
    moved: set[TopicPartition] = set()
    for _, timed in rows[number:]:
        row = timed.row
        if row.kind in (RowKind.ASSIGNED, RowKind.REVOKED, RowKind.JOINING):
            break
        if row.kind == kind or row.detail.get("op") == _MOVES[kind]:
            moved.update(partitions_in(row.detail.get("partitions")))
    return moved


_Numbered = tuple[str | None, int | None]
"""A group and the number of one of its generations."""
_ANSWERED = frozenset([RowKind.SYNCED, RowKind.CLIENT_NOTIFIED, RowKind.ASSIGNED])
_GONE = frozenset([RowKind.MEMBER_FAILED, RowKind.MEMBER_LEFT, RowKind.MEMBER_GONE])
_OF_CONSUMER_GROUPS = frozenset([RowKind.MEMBER_JOINED, RowKind.TARGET_ASSIGNMENT, RowKind.MEMBER_STATE])
_ARRIVES = JOINS | {RowKind.STATIC_MEMBER_REPLACED}
_Placed = tuple[int, TimedRow]
"""A row that stands before the row at a place."""


def _stored(rows: Sequence[TimedRow]) -> Iterator[_Placed]:
    """A client got its part: the assignment was stored before the first answer, and before the next rebalance."""
    logged = {numbered(row) for _, row in rows if is_broker(row) and row.kind == RowKind.ASSIGNMENT_RECEIVED}
    joined: dict[tuple[str, str | None], _Numbered] = {}
    last: dict[str | None, _Numbered] = {}
    completed: dict[_Numbered, tuple[Row, int | None]] = {}
    for place, (_, row) in enumerate(rows):
        client, number = (row.file, row.client), numbered(row)
        if is_broker(row) and row.kind == RowKind.STABILIZED:
            last[row.group], completed[number] = number, (row, None)
        elif is_broker(row) and row.kind == RowKind.REBALANCE_START and row.group in last:
            ended = last.pop(row.group)
            completed[ended] = completed[ended][0], place
        elif row.kind == RowKind.JOINED:
            joined[client] = number
        elif row.kind in _ANSWERED and (answered := joined.pop(client, None)) in completed and answered not in logged:
            logged.add(answered)
            like, before = completed[answered]
            before = place if before is None else before
            stored = _row(like, RowKind.ASSIGNMENT_RECEIVED, {"generation": answered[1]})
            yield before, TimedRow(rows[before].at, stored)


def _replaced(rows: Sequence[TimedRow]) -> Iterator[_Placed]:
    """A static member joined under another id than before, and nobody removed it: the new id replaced the old one."""
    native = {row.group for _, row in rows if row.kind in _OF_CONSUMER_GROUPS}
    brokers = {row.group: row for _, row in rows if row.program is Program.BROKER and row.group not in native}
    ids: dict[tuple[str | None, str], str | None] = {}
    gone: set[str | None] = set()
    for place, (at, row) in enumerate(rows):
        key = row.group, text_in(row.detail.get("instance")) or ""
        if row.kind in _GONE:
            gone.add(row.member)
        elif is_broker(row) and row.kind in _ARRIVES:
            ids.pop(key, None)
        elif row.kind == RowKind.JOINED and key[1] and row.member is not None and row.group in brokers:
            old = ids.get(key, row.member)
            ids[key] = row.member
            if old not in (row.member, None) and old not in gone and not _arrives_soon(rows, place, key[1]):
                detail: dict[str, object] = {"instance": key[1], "old_member": old}
                hidden = _row(brokers[row.group], RowKind.STATIC_MEMBER_REPLACED, detail)
                yield place, TimedRow(at, structs.replace(hidden, member=row.member))


def _arrives_soon(rows: Sequence[TimedRow], place: int, instance: str) -> bool:
    """Whether a broker says that a static member arrives, at once after a row: clocks may be off."""
    near = takewhile(lambda timed: timed.at - rows[place].at <= ONE_INSTANT_MS, islice(rows, place, None))
    return any(row.kind in _ARRIVES and is_broker(row) and row.detail.get("instance") == instance for _, row in near)


class Coordinated(NamedTuple):
    """A step of a classic group's coordinator that it always prints: the kind of its row, and `hidden`, those of its
    rows that are lost, each where it stands at the latest. `source`: in Kafka."""

    step: RowKind
    hidden: Callable[[Sequence[TimedRow]], Iterator[_Placed]]
    source: str


COORDINATED = (
    Coordinated(RowKind.ASSIGNMENT_RECEIVED, _stored, "GroupMetadataManager.classicGroupSync"),
    Coordinated(
        RowKind.STATIC_MEMBER_REPLACED, _replaced, "GroupMetadataManager.updateStaticMemberThenRebalanceOrCompleteJoin"
    ),
)


def with_coordinators_steps(rows: Sequence[TimedRow]) -> list[TimedRow]:
    """All rows, and one for each step of a coordinator that clients' lines show, and no broker's does.

    Not of groups of which `__consumer_offsets` is given: it has these steps.
    """
    recorded = {row.group for _, row in rows if row.program is Program.OFFSETS_TOPIC}
    before: dict[int, list[TimedRow]] = defaultdict(list)
    for coordinated in COORDINATED:
        for place, timed in coordinated.hidden(rows):
            if timed.row.group not in recorded:
                before[place].append(timed)
    return [each for place, timed in enumerate(rows) for each in (*before.get(place, ()), timed)]


def numbered(row: Row) -> _Numbered:
    """The group of a row, and the generation that it names."""
    return row.group, int_in(row.detail.get("generation"))
