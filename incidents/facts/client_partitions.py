"""What a client process held, and when, by the lines around its rebalance callbacks (spec: 9.7)."""

from __future__ import annotations

from collections.abc import Iterator

from groupsim.events import client as c
from groupsim.events.base import Event, process_stream
from groupsim.events.types import Offsets, Partitions, TopicPartition
from groupsim.incidents.facts.builder import FactBuilder, number, parts
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.facts.index import Index
from groupsim.incidents.facts.processes import Process

_FETCH_MS = 500
_TOLERANCE_MS = 5
LOGGING_MS = 50
"""A line is taken to be printed within this of what it speaks of; what lasts longer is the application's doing."""
_OTHER_THREADS = frozenset(
    ["coordinator_lost", "poll_timeout", "session_expired", "heartbeat_says_rebalancing", "client_heartbeat_stale"]
)
_IN_CALLBACK = frozenset({"GET_REBALANCE_PROTOCOL", "ASSIGN"})
_GIVES_UP = frozenset({"revoked", "lost"})


class ClientView:
    """One process: its view of what it owns. `ClientStory` adds what it asked and was answered."""

    def __init__(self, process: Process, index: Index, draft: FactBuilder) -> None:
        self.process = process
        self._index = index
        self._draft = draft
        self._stream = process_stream(process.group, process.name)
        self._member = ""
        self._generation: int | None = None
        self._view: set[TopicPartition] = set()
        self._now = 0
        self._fetched = 0

    def tell(self) -> None:
        """Tell the whole life of the process, as far as its log goes."""
        rows = self.process.rows
        self._start()
        for self._now, (_, placed) in enumerate(rows):
            handler = getattr(self, f"_on_{placed.row.kind}", None)
            if handler is not None:
                handler(placed.row.detail)
        if self.process.closed:
            self._close()

    @property
    def holds(self) -> Partitions:
        """What it still holds when its log ends."""
        return tuple(sorted(self._view))

    @property
    def member(self) -> str:
        """The member id it last used."""
        return self._member

    def _tell(self, event: Event, later: int = 0, delay_ms: int = 0) -> None:
        """A fact at the current row, or at the row `later` rows on; `delay_ms` after that row."""
        place, placed = self.process.rows[self._now + later]
        if delay_ms:
            placed = TimedRow(placed.at + delay_ms, placed.row)
        self._draft.tell(place, placed, self._stream, event)

    def _gap(self, later: int) -> int:
        """Milliseconds from the current row to the one `later` rows on."""
        rows = self.process.rows
        return rows[self._now + later][1].at - rows[self._now][1].at

    def _start(self) -> None:
        """Its first row; what it gives up before it was assigned it must have held from before the log began."""
        process = self.process
        topics = next((p.row.detail.get("topics") for _, p in process.rows if p.row.kind == "client_subscribed"), None)
        names = tuple(sorted(map(str, topics))) if isinstance(topics, list) else ()
        self._tell(
            c.ProcessStarted(process=process.name, client_id=process.client, instance_id=process.instance, topics=names)
        )
        held: Partitions = ()
        for _, placed in process.rows:
            if placed.row.kind in _GIVES_UP or placed.row.kind in ("client_block", "client_reconciling"):
                held = parts(placed.row.detail.get("partitions", placed.row.detail.get("owned")))
                break
            if placed.row.kind == "assigned":
                held = parts(placed.row.detail.get("owned"))
                break
        if held:
            self._view = set(held)
            self._see()
            self._tell(c.PositionReady(process=process.name, offsets=_unknown(held)))
            self._draft.note(
                f"{process.name} held {len(held)} partitions before its log begins; it is shown with them"
                f" from its first line"
            )

    def _see(self, later: int = 0) -> None:
        self._tell(c.ViewChanged(process=self.process.name, partitions=tuple(sorted(self._view))), later)

    def _next(self, *, unless: frozenset[str] = frozenset(), kinds: frozenset[str] | None = None) -> int | None:
        """How many rows on the next row of these kinds (or of any but `unless`) stands."""
        for later, placed in self._following():
            kind = placed.row.kind
            if (kind in kinds) if kinds is not None else (kind not in unless and not _heartbeat(placed)):
                return later
        return None

    def _following(self) -> Iterator[tuple[int, TimedRow]]:
        """The rows behind the current one: how many rows on, and the row."""
        rows = self.process.rows
        for where in range(self._now + 1, len(rows)):
            yield where - self._now, rows[where][1]

    def shortest(self) -> int | None:
        """Milliseconds from the line of a callback that gives partitions up to the next line, where that is least."""
        found: list[int] = []
        for now, (_, placed) in enumerate(self.process.rows):
            self._now = now
            if placed.row.kind in _GIVES_UP and parts(placed.row.detail.get("partitions")):
                later = self._next(unless=_OTHER_THREADS)
                if later is not None and self.process.rows[self._now + later][1].row.kind != placed.row.kind:
                    found.append(self._gap(later))
        self._now = 0
        return min(found, default=None)

    # ---- what it held

    def _on_listener_assigned(self, detail: dict[str, object]) -> None:
        """Spring's own word for a callback: it counts only where the client's line is not in the log."""
        told = parts(detail.get("partitions"))
        if told and not self._view:
            self._view = set(told)
            self._see()
            self._tell(c.PositionReady(process=self.process.name, offsets=_unknown(told)))

    def _on_revoked(self, detail: dict[str, object]) -> None:
        if "partition_count" in detail:
            self._give_up("revoked", self._counted(detail, "client_removed"), self._called())
            return
        given_up = parts(detail.get("partitions"))
        later = self._next(kinds=frozenset({"revoked", "assigned", "lost", "joining"}))
        if later is not None:
            following = self.process.rows[self._now + later][1].row
            if following.kind == "revoked" and parts(following.detail.get("partitions")) == given_up:
                self._tell(c.RevocationPending(process=self.process.name, partitions=given_up))
                return
        self._give_up("revoked", given_up)

    def _on_lost(self, detail: dict[str, object]) -> None:
        self._give_up("lost", parts(detail.get("partitions")))

    def _counted(self, detail: dict[str, object], kind: str) -> Partitions:
        """librdkafka says how many partitions a callback is about, and names each as it takes it up or lets it go."""
        found: list[TopicPartition] = []
        for _, placed in self._following():
            if len(found) == detail["partition_count"] or (placed.row.kind in ("assigned", "revoked") and found):
                break
            if placed.row.kind == kind:
                found.extend(parts(placed.row.detail.get("partitions")))
        return tuple(sorted(found))

    def _called(self) -> int:
        """How many rows on librdkafka's application was seen inside the callback (it polls when it likes)."""
        for later, placed in self._following():
            if placed.row.kind in ("assigned", "revoked"):
                break
            if placed.row.detail.get("op") in _IN_CALLBACK:
                return later
        return 0

    def _give_up(self, kind: str, given_up: Partitions, begins: int = 0) -> None:
        if not given_up:
            return
        name = self.process.name
        later = begins or self._next(unless=_OTHER_THREADS) or 0
        delay = 0 if begins else self._before_callback(later)
        start = c.CallbackStart(process=name, kind=kind, partitions=given_up, generation=self._generation)
        self._tell(start, begins, delay)
        self._tell(c.CallbackEnd(process=name, kind=kind), later)
        self._view -= set(given_up)
        self._see(later)
        self._draft.note(
            "a log does not tell when a revoked or lost callback returned: it is taken to end at the"
            " process's next line"
        )

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
            return min(gap // 2, _TOLERANCE_MS)
        return gap - (min(gap, self._index.quickest.get(group, gap)) + 1) // 2

    def _on_assigned(self, detail: dict[str, object]) -> None:
        name, added = self.process.name, parts(detail.get("partitions"))
        if "partition_count" in detail:
            self._take_up(self._counted(detail, "client_added"))
            return
        if "owned" in detail:
            self._view = set(parts(detail["owned"])) - set(parts(detail.get("revoked")))
        self._view |= set(added)
        self._see()
        self._tell(c.CallbackStart(process=name, kind="assigned", partitions=added, generation=self._generation))
        ready = self._positions(added)
        later, delay = min(ready, default=0), 0
        if not ready and added and self._prints_offsets():
            later = self._next(unless=_OTHER_THREADS) or 0  # not even asked for offsets: the callback took that long
        elif later and self._gap(later) <= _FETCH_MS:
            later = 0
        elif later:
            delay = -self._fetched
        self._tell(c.CallbackEnd(process=name, kind="assigned"), later, delay if later else self._in_callback(ready))
        self._draft.note(
            "a log does not tell when an assigned callback returned: it is taken to return at once, or shortly before"
            f" the first offset line if that comes more than {_FETCH_MS} ms later"
        )
        unseen = set(added)
        for where, offsets in sorted(ready.items()):
            self._tell(c.PositionReady(process=name, offsets=offsets), max(where, later))
            unseen -= {TopicPartition(topic, partition) for topic, partition, _ in offsets}
        if unseen:
            self._tell(c.PositionReady(process=name, offsets=_unknown(tuple(sorted(unseen)))), later)
            self._draft.note("where a log has no offset line for a partition, its offset is unknown (-1)")

    def _in_callback(self, ready: dict[int, Offsets]) -> int:
        """How long after its line a quick assigned callback returned: before the next line, so halfway at most."""
        first = min(ready, default=0) or self._next(unless=_OTHER_THREADS) or 0
        gap = self._gap(first)
        if gap <= _FETCH_MS and ready:
            self._fetched = gap if not self._fetched else min(self._fetched, gap)
        return min(gap // 2, _TOLERANCE_MS) if gap <= _FETCH_MS else 0

    def _take_up(self, added: Partitions) -> None:
        """An assigned callback of librdkafka: when the application was inside it, its log tells."""
        name, later = self.process.name, self._called()
        self._view |= set(added)
        self._see()
        if added:
            self._tell(c.CallbackStart(process=name, kind="assigned", partitions=added, generation=self._generation))
            self._tell(c.CallbackEnd(process=name, kind="assigned"), later)
            self._tell(c.PositionReady(process=name, offsets=_unknown(added)), later)

    def _prints_offsets(self) -> bool:
        return any(placed.row.detail.get("committed") for _, placed in self.process.rows)

    def _positions(self, added: Partitions) -> dict[int, Offsets]:
        """The offset lines that follow, until the next assignment: rows on -> offsets of one instant."""
        found: dict[int, list[tuple[str, int, int]]] = {}
        wanted, at = set(added), -1
        for later, placed in self._following():
            if placed.row.kind in ("assigned", "revoked", "lost"):
                break
            named = parts([placed.row.detail.get("partition")]) if placed.row.kind == "client_position" else ()
            if named and named[0] in wanted:
                wanted.discard(named[0])
                if at < 0 or self.process.rows[self._now + at][1].at != placed.at:
                    at = later
                offset = number(placed.row.detail.get("offset"))
                found.setdefault(at, []).append((*named[0], -1 if offset is None else offset))
        return {later: tuple(sorted(offsets)) for later, offsets in found.items()}

    def _close(self) -> None:
        """close() gave the membership up: the process holds nothing from its last word on."""
        self._now = self.process.closed_row
        self._view = set()
        self._tell(c.Closed(process=self.process.name))


def _heartbeat(placed: TimedRow) -> bool:
    """A line that the heartbeat thread may have printed while the application was busy."""
    return placed.row.kind == "rejoin_requested" and "already rebalancing" in str(placed.row.detail.get("reason"))


def _unknown(partitions: Partitions) -> Offsets:
    return tuple((topic, partition, -1) for topic, partition in partitions)
