"""A client process's rows as facts of its stream: which partitions it held, from the lines around its callbacks.

What it held before its log begins shows in what it gives up and says that it owns. When a callback of a Java member of
the consumer protocol returned no line shows, but its library waits for it: the library's thread reconciles, and the
application calls the listener, at its next poll each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property

from groupsim.events import client as c
from groupsim.events.client import MemberPhase
from groupsim.events.types import Offsets, Partitions, TopicPartition
from groupsim.incidents.account.evidence import shows_callback_over
from groupsim.incidents.facts.builder import FactBuilder
from groupsim.incidents.facts.lookups import Index
from groupsim.incidents.facts.process_facts import ProcessFacts
from groupsim.incidents.facts.processes import ProcessLog
from groupsim.incidents.facts.settings import settings_of
from groupsim.incidents.facts.steps_not_logged import NOT_LOGGED
from groupsim.incidents.facts.typed_fields import int_in, pairs, partitions_in
from groupsim.incidents.facts.unnamed_clients import PlacedRow
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.rows import Row
from groupsim.incidents.logs.times import iso
from groupsim.incidents.tolerances import FETCH_MS, LOGGING_MS, NEVER_MS, ONE_INSTANT_MS, THREADS_MS
from groupsim.storage.log_gaps import Doubt

_OWNED = frozenset({RowKind.CLIENT_BLOCK, RowKind.CLIENT_RECONCILING, RowKind.ASSIGNED})
"""Kinds of rows that may say all that a client owns."""


def held_before(rows: Sequence[PlacedRow]) -> Partitions:
    """What a client was not assigned in its log, and gave up there or owned all the same, up to the first full list.

    A cooperative member gives up a part of what it owns: the rest is in the next list only.
    """
    gained: set[TopicPartition] = set()
    gone: set[TopicPartition] = set()
    for _, timed in rows:
        kind, detail = timed.row.kind, timed.row.detail
        if kind in _OWNED and "owned" in detail:
            gone |= set(partitions_in(detail["owned"])) - gained
            break
        named = set(partitions_in(detail.get("partitions")))
        if kind == RowKind.ASSIGNED:
            gained |= named
        elif kind in (RowKind.REVOKED, RowKind.LOST):
            gone |= named - gained
            if kind == RowKind.LOST and named:
                break
    return tuple(sorted(gone))


_BEGINS = RowKind.CLIENT_RECONCILING
_CALLBACKS = frozenset([RowKind.ASSIGNED, RowKind.REVOKED, RowKind.LOST])
_HANDED = frozenset([RowKind.ASSIGNED, RowKind.REVOKED])
_STATE = RowKind.STATE_CHANGE


def acknowledged(rows: Sequence[PlacedRow], now: int) -> int:
    """How many rows behind row `now`, an assigned callback, the member goes on after it; 0: it has no such row.

    Its library's thread waits for the callback, the application for its next poll before it looks for offsets.
    A next callback without an acknowledgement begins when this one has ended.
    """
    if not any(timed.row.kind == _BEGINS for _, timed in rows[:now]):
        return 0
    for where in range(now + 1, len(rows)):
        row = rows[where][1].row
        acknowledges = row.kind == _STATE and MemberPhase.ACKNOWLEDGING in (
            row.detail.get("from"),
            row.detail.get("to"),
        )
        if acknowledges or row.kind == RowKind.CLIENT_RECONCILIATION_INTERRUPTED or row.kind in _CALLBACKS:
            return where - now
    return 0


def revoked_until(rows: Sequence[PlacedRow], now: int) -> tuple[int, int] | None:
    """When a revoked callback at row `now` returned: so many rows on, and so many ms before that row.

    What follows is the next callback, one poll after it, or if its line is lost, the next that shows this one over;
    0, 0: there is none. A poll took as long before this callback was called: since the reconciliation began. The rest
    of the time is the callback's; not if the log begins later. None: not in a reconciliation.
    """
    begins = _step_before(rows, now)
    while (
        begins is not None and rows[begins][1].row.kind == RowKind.REVOKED
    ):  # the library's own line on the same callback
        begins = begins - 1 if begins else None
    if begins is None:  # the log begins here: a classic member joins next
        tells = next(
            (timed.row.kind for _, timed in rows[now + 1 :] if timed.row.kind in (_STATE, RowKind.JOINING)), None
        )
        return (0, 0) if tells == _STATE else None
    if rows[begins][1].row.kind != _BEGINS:
        return None
    this = rows[now][1].row
    follows = next((at for at in range(now + 1, len(rows)) if shows_callback_over(rows[at][1].row, this)), None)
    if follows is None:
        return 0, 0
    polled_ms, until_ms = rows[now][1].at - rows[begins][1].at, rows[follows][1].at - rows[now][1].at
    return follows - now, min(polled_ms, until_ms)


def _step_before(rows: Sequence[PlacedRow], now: int) -> int | None:
    """The last row before row `now` that begins a reconciliation or a callback."""
    return next((at for at in range(now - 1, -1, -1) if rows[at][1].row.kind in (_BEGINS, *_CALLBACKS)), None)


def _same(one: Row, other: Row) -> bool:
    """Whether two rows are on one callback; the library lists the partitions in any order."""
    listed = (partitions_in(row.detail.get("partitions")) for row in (one, other))
    return one.kind == other.kind and len(set(listed)) == 1


_ON_THE_WAY = ("PREPARE_LEAVING", MemberPhase.LEAVING)


def closes(rows: Sequence[PlacedRow], now: int) -> bool:
    """Whether the callback at row `now` is the last before a member of the consumer protocol leaves for good.

    Its program closes it or unsubscribes. If its poll timer has run out, it takes the same steps in another thread, and
    is STALE then.
    """
    for _, timed in rows[now + 1 :]:
        row = timed.row
        if row.kind in _CALLBACKS or (row.kind == _STATE and row.detail.get("to") not in _ON_THE_WAY):
            return row.detail.get("to") == MemberPhase.UNSUBSCRIBED
    return False


_OTHER_THREADS = frozenset(
    [
        RowKind.CLIENT_HEARTBEAT_STALE,
        RowKind.CLIENT_NO_BROKER,
        RowKind.CLIENT_RECONCILIATION_INTERRUPTED,
        RowKind.CLIENT_SETTING,
        RowKind.CONSUMER_HEARTBEAT,
        RowKind.CONSUMER_HEARTBEAT_ANSWERED,
        RowKind.COORDINATOR_LOST,
        RowKind.HEARTBEAT_SAYS_REBALANCING,
        RowKind.HEARTBEAT_SENT,
        RowKind.POLL_TIMEOUT,
        RowKind.SESSION_EXPIRED,
    ]
)
_CALLBACK_OPS = frozenset({"GET_REBALANCE_PROTOCOL", "ASSIGN"})
_ASKED = _CALLBACK_OPS | {"NAME"}
"""What an application asks of librdkafka inside a callback: its member id, too."""
_OFFSET_KINDS = frozenset({RowKind.CLIENT_POSITION, RowKind.CLIENT_NO_OFFSET})
_LOSES = frozenset({RowKind.REVOKED, RowKind.LOST})


class PartitionFacts(ProcessFacts):
    """The partitions in the view of one process. `ClientFacts` adds its requests and their answers."""

    def __init__(self, process: ProcessLog, index: Index, builder: FactBuilder) -> None:
        super().__init__(process, index, builder)
        self._view: set[TopicPartition] = set()
        self._quickest_fetch_ms = 0
        self.doubts: list[Doubt] = []

    @property
    def held(self) -> Partitions:
        """What it still held when its log ends."""
        return tuple(sorted(self._view))

    def _start(self) -> None:
        """Its first row. What it gives up before it was assigned anything, it held before the log began."""
        process = self.process
        topics = next(
            (p.row.detail.get("topics") for _, p in process.rows if p.row.kind == RowKind.CLIENT_SUBSCRIBED), None
        )
        names = tuple(sorted(map(str, topics))) if isinstance(topics, list) else ()
        self._add(
            c.ProcessStarted(
                process=process.name,
                client_id=process.client,
                instance_id=process.instance,
                topics=names,
                library=process.library,
                config={**settings_of(process.rows), **self._of_group()},
            )
        )
        held = self._held_before()
        if held:
            self._view = set(held)
            self._write_view()
            self._add(c.PositionReady(process=process.name, offsets=unknown_offsets(held)))
            self._builder.note(
                f"{process.name} held {len(held)} partitions before its log begins; they count as its own from its"
                " first line"
            )

    def _held_before(self) -> Partitions:
        return held_before(self.process.rows)

    def _of_group(self) -> dict[str, int | str]:
        """Settings that are the group's, as far as its log shows them."""
        return {}

    def _write_view(self, later: int = 0) -> None:
        self._add(c.ViewChanged(process=self.process.name, partitions=tuple(sorted(self._view))), later)

    def shortest_callback_ms(self) -> int | None:
        """Milliseconds from the line of a callback that gives partitions up to the next line, where that is least."""
        found: list[int] = []
        for now, (_, timed) in enumerate(self.process.rows):
            self._current = now
            logged = NOT_LOGGED not in timed.row.detail
            if logged and timed.row.kind in _LOSES and partitions_in(timed.row.detail.get("partitions")):
                later = self._next(unless=_OTHER_THREADS)
                if later is not None and self.process.rows[self._current + later][1].row.kind != timed.row.kind:
                    found.append(self._gap(later))
        self._current = 0
        return min(found, default=None)

    def _on_listener_assigned(self, detail: dict[str, object]) -> None:
        """Spring's own line about a callback: it counts only where the client's line is not in the log."""
        named = partitions_in(detail.get("partitions"))
        if named and not self._view:
            self._view = set(named)
            self._write_view()
            self._add(c.PositionReady(process=self.process.name, offsets=unknown_offsets(named)))

    def _on_revoked(self, detail: dict[str, object]) -> None:
        if "partition_count" in detail:
            begins, ends = self._rows_to_callback(_ASKED), self._rows_to_callback()
            lost, count = self._counted(detail, RowKind.CLIENT_REMOVED), int_in(detail["partition_count"]) or 0
            self._lose("revoked", self.held if count >= len(self._view) else lost, begins, ends)
            return
        lost = partitions_in(detail.get("partitions"))
        later = self._next(kinds=frozenset({RowKind.REVOKED, RowKind.ASSIGNED, RowKind.LOST, RowKind.JOINING}))
        if later is not None:
            this, following = (self.process.rows[self._current + at][1].row for at in (0, later))
            if _same(this, following):
                self._add(c.RevocationPending(process=self.process.name, partitions=lost))
                return
        self._lose("revoked", lost)

    def _on_lost(self, detail: dict[str, object]) -> None:
        self._lose("lost", partitions_in(detail.get("partitions")))

    def _counted(self, detail: dict[str, object], kind: RowKind) -> Partitions:
        """librdkafka prints how many partitions a callback is about, and each of them when it adds or removes it."""
        found: list[TopicPartition] = []
        for _, timed in self._following():
            if len(found) == detail["partition_count"] or (
                timed.row.kind in (RowKind.ASSIGNED, RowKind.REVOKED) and found
            ):
                break
            if timed.row.kind == kind:
                found.extend(partitions_in(timed.row.detail.get("partitions")))
        return tuple(sorted(found))

    def _rows_to_callback(self, ops: frozenset[str] = _CALLBACK_OPS) -> int:
        """How many rows on librdkafka's application was inside the callback: that is at its next poll.

        It ends with one of `_CALLBACK_OPS`; anything else that it asks of the library shows that it has begun.
        """
        for later, timed in self._following():
            if timed.row.kind in (RowKind.ASSIGNED, RowKind.REVOKED):
                break
            if timed.row.detail.get("op") in ops:
                return later
        return 0

    def _lose(self, kind: str, lost: Partitions, begins: int = 0, ends: int = 0) -> None:
        if not lost:
            return
        name = self.process.name
        rows, now = self.process.rows, self._current
        closing = closes(rows, now)
        reconciled = revoked_until(rows, now) if kind == RowKind.REVOKED and not closing else None
        returned, poll_ms = reconciled or (0, 0)
        later = ends or begins or returned or self._next(unless=_OTHER_THREADS) or 0
        delay = 0 if begins else self._before_callback(later)
        start = c.CallbackStart(process=name, kind=kind, partitions=lost, generation=self._generation)
        self._add(start, begins, delay)
        self._add(c.CallbackEnd(process=name, kind=kind), later, -min(poll_ms, self._gap(later) - delay))
        self._view -= set(lost)
        self._write_view(later)
        if kind == RowKind.REVOKED:
            until_ms = min(self._gap(later), ONE_INSTANT_MS if closing else NEVER_MS)
            self._doubt_callback(until_ms, self._view if reconciled else set(), set(lost))
        self._builder.note(
            "logs do not show when a revoked or lost callback returned; the process's next line is taken as its end"
        )

    def _tells_once(self) -> bool:
        """Whether one of the two lines of a Java member of the consumer protocol on what it gives up is not in its log.

        It prints one before it commits, and one when it calls the callback, if it has a listener. One that closes
        prints the second alone, in the thread that calls the callback next (recorded: 65 ms later at most).
        """
        before, this = _step_before(self.process.rows, self._current), self.process.rows[self._current][1].row
        twice = before is not None and _same(self.process.rows[before][1].row, this)
        return not twice and self._kinds >= {_STATE, RowKind.ASSIGNED}

    @cached_property
    def _kinds(self) -> frozenset[RowKind]:
        """The kinds of all rows of the process."""
        return frozenset(timed.row.kind for _, timed in self.process.rows)

    def _doubt_callback(
        self, until_ms: int, kept: AbstractSet[TopicPartition], lost: AbstractSet[TopicPartition]
    ) -> None:
        """What it keeps was not served while it was inside the callback: any part of the time to the next callback.

        Of what it gives up no line shows until when it served that, if it tells so once.
        """
        at = self.process.rows[self._current][1].at
        unsure = pairs(tuple(sorted(kept | lost if self._tells_once() else kept)))
        if unsure and until_ms > LOGGING_MS:
            why = f"{self.process.name} was inside a revoked callback from {iso(at)} on; no log shows when it returned"
            self.doubts.append(Doubt(self.process.group, at, at + until_ms, unsure, why, inexact=True))

    def _doubt_return(self, until_ms: int) -> None:
        """What it has was not served in an assigned callback: only one line, if it is lost, showed that it returned."""
        at, view = self.process.rows[self._current][1].at, pairs(tuple(sorted(self._view)))
        if until_ms > FETCH_MS:
            why = f"{self.process.name} was inside an assigned callback from {iso(at)} on, or looked for an offset then"
            self.doubts.append(Doubt(self.process.group, at, at + until_ms, view, why, inexact=True))

    def _before_callback(self, later: int) -> int:
        """How long after its line a callback that gives partitions up was called.

        The line comes before the call, and the process's next line at once after the return. So of a short gap only as
        much is the callback's as the group's quickest callback needed, and the call is halfway into that; of a long
        one, all. A KIP-848 consumer's next line is another thread's, so there the call is halfway at most.
        """
        gap, group = self._gap(later), self.process.group
        if gap > LOGGING_MS:
            return 0
        if group in self._index.consumer_groups:
            return min(gap // 2, THREADS_MS)
        return gap - (min(gap, self._index.shortest_callback_ms.get(group, gap)) + 1) // 2

    def _on_assigned(self, detail: dict[str, object]) -> None:
        name, added = self.process.name, partitions_in(detail.get("partitions"))
        if "partition_count" in detail:
            self._add_librdkafka(self._counted(detail, RowKind.CLIENT_ADDED))
            return
        if "owned" in detail:
            self._view = set(partitions_in(detail["owned"])) - set(partitions_in(detail.get("revoked")))
        self._view |= set(added)
        self._write_view()
        self._add(c.CallbackStart(process=name, kind="assigned", partitions=added, generation=self._generation))
        ready = self._positions(added)
        later, delay = self._first_offset(added), 0
        if reconciled := acknowledged(self.process.rows, self._current):
            later = reconciled if self._gap(reconciled) > FETCH_MS else 0
            if self.process.rows[self._current + reconciled][1].row.kind in _HANDED:  # it did acknowledge before
                self._doubt_return(self._gap(reconciled))
        elif not later and added and self._prints_offsets():
            # offsets were not even requested, so the callback took that long; or the only line on them is lost
            later = self._next(unless=_OTHER_THREADS) or 0
            if len(added) == 1 or not later:
                self._doubt_return(self._gap(later) if later else NEVER_MS)
        elif later and self._gap(later) <= FETCH_MS:
            later = 0
        elif later:
            delay = -self._quickest_fetch_ms
        self._add(c.CallbackEnd(process=name, kind="assigned"), later, delay if later else self._in_callback(added))
        self._builder.note(
            "logs do not show when an assigned callback returned; it counts as quick, or as returning shortly before"
            f" the first offset line if that comes more than {FETCH_MS} ms later"
        )
        unseen = set(added)
        for where, offsets in sorted(ready.items()):
            self._add(c.PositionReady(process=name, offsets=offsets), max(where, later))
            unseen -= {TopicPartition(topic, partition) for topic, partition, _ in offsets}
        if unseen:
            self._add(c.PositionReady(process=name, offsets=unknown_offsets(tuple(sorted(unseen)))), later)
            self._builder.note("partitions without an offset line have an unknown offset (-1)")

    def _in_callback(self, added: Partitions) -> int:
        """How long after its line a quick assigned callback returned: before the next line, so halfway at most."""
        offset = self._first_offset(added)
        gap = self._gap(offset or self._next(unless=_OTHER_THREADS) or 0)
        if gap <= FETCH_MS and offset:
            self._quickest_fetch_ms = gap if not self._quickest_fetch_ms else min(self._quickest_fetch_ms, gap)
        return min(gap // 2, THREADS_MS) if gap <= FETCH_MS else 0

    def _add_librdkafka(self, added: Partitions) -> None:
        """An assigned callback of librdkafka, whose log shows when the application was inside it."""
        name, later = self.process.name, self._rows_to_callback()
        self._view |= set(added)
        self._write_view()
        if added:
            self._add(c.CallbackStart(process=name, kind="assigned", partitions=added, generation=self._generation))
            self._add(c.CallbackEnd(process=name, kind="assigned"), later)
            self._add(c.PositionReady(process=name, offsets=unknown_offsets(added)), later)

    def _prints_offsets(self) -> bool:
        return any(timed.row.detail.get("committed") for _, timed in self.process.rows)

    def _first_offset(self, added: Partitions) -> int:
        """How many rows on the first line about an offset of these is, before the next assignment; 0: there is none."""
        for later, timed in self._following():
            if timed.row.kind in (RowKind.ASSIGNED, RowKind.REVOKED, RowKind.LOST):
                break
            if timed.row.kind in _OFFSET_KINDS and set(partitions_in([timed.row.detail.get("partition")])) & set(added):
                return later
        return 0

    def _positions(self, added: Partitions) -> dict[int, Offsets]:
        """The offset lines that follow, until the next assignment: rows on -> offsets of one instant.

        A Java consumer looks for no offset while a rebalance runs, and after it at once (Kafka:
        ClassicKafkaConsumer.updateAssignmentMetadataIfNeeded), so that the next one may be over before.
        """
        found: dict[int, list[tuple[str, int, int]]] = {}
        wanted, at, until = set(added), -1, NEVER_MS
        for later, timed in self._following():
            if timed.row.kind in (RowKind.ASSIGNED, RowKind.REVOKED, RowKind.LOST):
                named = partitions_in(timed.row.detail.get("partitions"))
                if not wanted.isdisjoint(named) or "partition_count" in timed.row.detail:
                    break
                until = timed.at + FETCH_MS
            if timed.at > until:
                break
            named = (
                partitions_in([timed.row.detail.get("partition")]) if timed.row.kind == RowKind.CLIENT_POSITION else ()
            )
            if named and named[0] in wanted:
                wanted.discard(named[0])
                if at < 0 or self.process.rows[self._current + at][1].at != timed.at:
                    at = later
                offset = int_in(timed.row.detail.get("offset"))
                found.setdefault(at, []).append((named[0].topic, named[0].partition, -1 if offset is None else offset))
        return {later: tuple(sorted(offsets)) for later, offsets in found.items()}

    def _close(self) -> None:
        """close() ended the membership: from that row on the process held nothing."""
        self._current = self.process.closed_row
        self._view = set()
        self._add(c.Closed(process=self.process.name))


def unknown_offsets(partitions: Partitions) -> Offsets:
    """Offsets of partitions that nothing tells: -1."""
    return tuple((topic, partition, -1) for topic, partition in partitions)
