"""What a Connect worker runs, as facts: a connector or task serves from when the worker has started it.

The worker is given all that it is to run, stops what is gone, and starts what is new: what it was given and has not
started counts as RESTORING (Kafka: DistributedHerder.startWork, ExtendedAssignment). `task finished initialization and
start` is a task's own word; after `Stopping task` it still runs, until its poll returns (Kafka: WorkerSourceTask).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from groupsim.events import client as c
from groupsim.events.types import Partitions, TopicPartition
from groupsim.incidents.facts.client_tasks import TaskFacts
from groupsim.incidents.facts.typed_fields import pairs, partitions_in
from groupsim.incidents.facts.unnamed_clients import PlacedRow
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.times import iso
from groupsim.incidents.tolerances import LOGGING_MS
from groupsim.storage.log_gaps import Doubt

_ASSIGNED = RowKind.WORKER_ASSIGNED
_STARTS = frozenset([RowKind.TASK_CREATED, RowKind.TASK_RUNNING])
_STOPPED = frozenset([RowKind.TASK_CLOSED])
_STOPS = _STOPPED | {RowKind.TASK_SUSPENDED}
_ALL_STOPPED = frozenset([RowKind.TASKS_STOPPED, RowKind.JOINING, RowKind.LEAVE_SENT])
"""Kinds of rows before which all has stopped that had to (Kafka: DistributedHerder.RebalanceListener, halt)."""
_BEGINS = frozenset([RowKind.CLIENT_CONFIGURED, RowKind.WORKER_STARTED])


class WorkerFacts(TaskFacts):
    """The connectors and tasks of one process, if it is a worker; else what `TaskFacts` says."""

    @cached_property
    def _is_worker(self) -> bool:
        return any(timed.row.kind == _ASSIGNED for _, timed in self.process.rows)

    @cached_property
    def _says_starts(self) -> bool:
        """Whether its log has lines about single connectors and tasks that run."""
        return any(timed.row.kind == RowKind.TASK_RUNNING for _, timed in self.process.rows)

    def _held_before(self) -> Partitions:
        """A worker whose log begins later ran what it stops, or is given, without having started it."""
        rows = self.process.rows
        if not self._is_worker or any(timed.row.kind in _BEGINS for _, timed in rows):
            return super()._held_before()
        started, held = set[TopicPartition](), set[TopicPartition]()
        assigned = [now for now, (_, timed) in enumerate(rows) if timed.row.kind == _ASSIGNED]
        first = assigned[0]
        until = assigned[1] if len(assigned) > 1 else len(rows)
        for now, (_, timed) in enumerate(rows[:until]):
            named = set(partitions_in(timed.row.detail.get("partitions")))
            if timed.row.kind in _STARTS:
                started |= named
            elif timed.row.kind in _STOPS and now < first:
                held |= named - started
        given = set(partitions_in(rows[first][1].row.detail.get("assigned")))
        eager = rows[first][1].row.detail.get("delay_ms") is None and held
        return tuple(sorted(held if eager else held | (given - started)))

    def _on_worker_assigned(self, detail: dict[str, object]) -> None:
        """All that it is to run from here on."""
        if "assigned" not in detail:
            return
        given = set(partitions_in(detail["assigned"]))
        rows = self._until_the_next()
        if not any(timed.row.kind == RowKind.SYNCED for _, timed in self._since_joined()):
            self._answered(tuple(sorted(given)))
        self._give_up(self._view - given - _named(rows, _STOPS))
        self._ended &= given
        new = given - self._view - self._ended
        self._take(new)
        runs = tuple(sorted(new - _named(rows, _STARTS)))
        if runs:
            self._runs_unseen(runs)

    def _runs_unseen(self, runs: Partitions) -> None:
        """It runs what it was given, and no line says since when: at the latest since it finished to start."""
        if not self._says_starts:
            self._unseen = runs
            return
        self._serve(runs)

    _unseen: Partitions = ()

    @cached_property
    def _ended(self) -> set[TopicPartition]:
        """What it was given and what ended by itself: the worker starts it again only if somebody asks it to."""
        return set()

    @cached_property
    def _stopping(self) -> set[TopicPartition]:
        """What it has begun to stop."""
        return set()

    def _on_task_created(self, detail: dict[str, object]) -> None:
        self._ended -= set(partitions_in(detail.get("partitions")))
        super()._on_task_created(detail)

    def _on_task_closed(self, detail: dict[str, object]) -> None:
        """It has stopped: because its worker stopped it, or it is a task that failed (Kafka: WorkerTask.doRun)."""
        closed = set(partitions_in(detail.get("partitions")))
        if self._is_worker:
            self._ended |= (closed & self._view) - self._stopping
            self._stopping -= closed
        super()._on_task_closed(detail)

    def _on_tasks_running(self, detail: dict[str, object]) -> None:
        if not self._is_worker:
            super()._on_tasks_running(detail)
        elif self._unseen:
            self._ran_before(set(self._unseen))
            self._unseen = ()

    def _on_task_suspended(self, detail: dict[str, object]) -> None:
        """It has to stop, and does after its poll; without a line of that before all have stopped."""
        if not self._is_worker:
            super()._on_task_suspended(detail)
            return
        stopping = set(partitions_in(detail.get("partitions"))) & self._view
        self._ran_before(stopping)
        later = self._next(kinds=_ALL_STOPPED)
        unseen = tuple(sorted(stopping - _named(self._rows_up_to(later), _STOPPED)))
        if unseen and later is not None and self._gap(later) > LOGGING_MS:
            until = self._now + self._gap(later)
            why = f"{self.process.name} stopped connectors or tasks between {iso(self._now)} and {iso(until)}"
            self.doubts.append(Doubt(self.process.group, self._now, until, pairs(unseen), why, inexact=True))
        self._stopping |= stopping - set(unseen)
        self._give_up(set(unseen))

    def cut_while_restoring(self, log_ends: int, ended: int) -> Iterator[Doubt]:
        """What a worker was given and does not say to run when its log ends: it may run, and the line may be lost."""
        yield from super().cut_while_restoring(log_ends, ended)
        if self._is_worker and self._restoring and not self.process.closed:
            since = min(self._restoring.values())
            why = f"no line shows that these run since {iso(since)}, which {self.process.name} was to start then"
            late = pairs(tuple(sorted(self._restoring)))
            yield Doubt(self.process.group, since, log_ends, late, why, inexact=True)

    def _rows_up_to(self, later: int | None) -> list[PlacedRow]:
        return self.process.rows[self._current + 1 : None if later is None else self._current + later]

    def _on_worker_revoked_itself(self, _: dict[str, object]) -> None:
        """It found no coordinator, and stops all that it runs (Kafka: WorkerCoordinator.poll)."""
        self._give_up(self._view - _named(self._until_the_next(), _STOPS))

    def _answered(self, given: Partitions) -> None:
        known = self._generation if self._generation is not None else -1
        self._add(c.SyncOk(process=self.process.name, member=self._member, generation=known, assignment=given))

    def _until_the_next(self) -> list[PlacedRow]:
        """The rows behind the current one, up to the next assignment."""
        found = []
        for later, timed in self._following():
            if timed.row.kind == _ASSIGNED:
                break
            found.append(self.process.rows[self._current + later])
        return found

    def _since_joined(self) -> list[PlacedRow]:
        """The rows before the current one, back to when it joined."""
        found = []
        for placed in reversed(self.process.rows[: self._current]):
            if placed[1].row.kind in (RowKind.JOINED, _ASSIGNED):
                break
            found.append(placed)
        return found


def _named(rows: Sequence[PlacedRow], kinds: frozenset[RowKind]) -> set[TopicPartition]:
    """What rows of these kinds name."""
    found: set[TopicPartition] = set()
    for _, timed in rows:
        if timed.row.kind in kinds:
            found |= set(partitions_in(timed.row.detail.get("partitions")))
    return found
