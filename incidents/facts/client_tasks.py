"""The tasks that a stream thread runs, as facts: a partition is served while a task that reads it runs (Kafka Streams).

The consumer gets partitions at once. Its task is created, restores its state, says `Restored and ready to run`, and
ends with `Suspended` and `Closed` (Kafka: StreamTask.completeRestoration, suspend, closeClean): what is between counts
as RESTORING, so no callback of the consumer and no offset is looked at. A thread is RUNNING once all its tasks are
(Kafka: StreamThread.initializeAndRestorePhase): if the line of one is lost, it began to run at the latest then.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from groupsim.events import client as c
from groupsim.events.types import Partitions, TopicPartition
from groupsim.incidents.facts.client_partitions import PartitionFacts
from groupsim.incidents.facts.task_partitions import TASK_KINDS
from groupsim.incidents.facts.typed_fields import pairs, partitions_in
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.logs.times import iso
from groupsim.storage.log_gaps import Doubt


class TaskFacts(PartitionFacts):
    """The partitions of one process, by its tasks if its log has lines about them, else by its consumer's callbacks."""

    @cached_property
    def _read_by_tasks(self) -> frozenset[str]:
        """The topics that its tasks read; empty: its log says nothing of tasks."""
        rows = (timed.row for _, timed in self.process.rows if timed.row.kind in TASK_KINDS)
        return frozenset(tp.topic for row in rows for tp in partitions_in(row.detail.get("partitions")))

    @cached_property
    def _suspended(self) -> set[TopicPartition]:
        return set()

    @cached_property
    def _restoring(self) -> dict[TopicPartition, int]:
        """What no task serves yet, and since when."""
        return {}

    @cached_property
    def _revoked(self) -> set[TopicPartition]:
        """What the consumer has given up, while the task that reads it still runs."""
        return set()

    def _on_assigned(self, detail: dict[str, object]) -> None:
        if not self._read_by_tasks:
            super()._on_assigned(detail)
        else:
            self._take(set(partitions_in(detail.get("partitions"))))

    def _take(self, partitions: set[TopicPartition]) -> None:
        """They are its own from here on; those that tasks read are served once these run."""
        added = tuple(sorted(partitions - self._view))
        if not added:
            return
        name = self.process.name
        self._view |= set(added)
        self._suspended -= set(added)
        self._write_view()
        restored = tuple(tp for tp in added if tp.topic in self._read_by_tasks)
        if restored:
            self._restoring |= dict.fromkeys(restored, self._now)
            self._add(c.RestoreStart(process=name, partitions=restored))
        known = {(topic, number): at for offsets in self._positions(added).values() for topic, number, at in offsets}
        offsets = tuple((tp.topic, tp.partition, known.get((tp.topic, tp.partition), -1)) for tp in added)
        self._add(c.PositionReady(process=name, offsets=offsets))

    def _on_task_created(self, detail: dict[str, object]) -> None:
        self._take(set(partitions_in(detail.get("partitions"))))

    def _on_task_running(self, detail: dict[str, object]) -> None:
        partitions = partitions_in(detail.get("partitions"))
        if not partitions:
            return
        if again := self._suspended & set(partitions):  # an eager rebalance gave it back
            self._give_up(again)
        self._take(set(partitions))
        self._serve(partitions)

    def _on_tasks_running(self, detail: dict[str, object]) -> None:
        self._ran_before(set(self._restoring))

    def _serve(self, partitions: Partitions) -> None:
        for partition in partitions:
            self._restoring.pop(partition, None)
        self._add(c.RestoreEnd(process=self.process.name, partitions=partitions))

    def _ran_before(self, partitions: set[TopicPartition]) -> None:
        """Tasks run, and the lines that say since when are lost: at some time since they were given."""
        if not (late := tuple(sorted(partitions & self._restoring.keys()))):
            return
        since = min(self._restoring[partition] for partition in late)
        why = f"no line shows when tasks of {self.process.name} began to run after {iso(since)}"
        self.doubts.append(Doubt(self.process.group, since, self._now, pairs(late), why, inexact=True))
        self._serve(late)

    def cut_while_restoring(self, log_ends: int, ended: int) -> Iterator[Doubt]:
        """What its tasks had yet to restore when its log ends: nobody's log shows when they ran. Times in UTC ms."""
        if (late := tuple(sorted(self._restoring))) and not self.process.closed and log_ends < ended:
            why = (
                f"{self.process.file}: its log ends at {iso(log_ends)}, while tasks of {self.process.name} restored"
                " their state, so when they ran is not known; export it to its end"
            )
            yield Doubt(self.process.group, log_ends, ended, pairs(late), why)

    @property
    def _now(self) -> int:
        return self.process.rows[self._current][1].at

    def _on_task_suspended(self, detail: dict[str, object]) -> None:
        partitions = set(partitions_in(detail.get("partitions"))) & self._view
        if str(detail.get("from")).upper() == "RUNNING":
            self._ran_before(partitions)
        self._give_up(partitions & self._revoked)
        if kept := tuple(sorted(partitions - self._revoked)):
            self._suspended |= set(kept)
            self._add(c.RevocationPending(process=self.process.name, partitions=kept))

    def _on_task_closed(self, detail: dict[str, object]) -> None:
        self._give_up(set(partitions_in(detail.get("partitions"))))

    def _on_revoked(self, detail: dict[str, object]) -> None:
        """The line comes before the callback, in which the tasks are suspended; when it closes, they are already."""
        if not self._read_by_tasks:
            super()._on_revoked(detail)
            return
        lost = set(partitions_in(detail.get("partitions"))) & self._view
        runs = {tp for tp in lost - self._suspended if tp in self._suspended_later}
        self._revoked |= runs
        self._give_up(lost - runs)

    def _on_lost(self, detail: dict[str, object]) -> None:
        if not self._read_by_tasks:
            super()._on_lost(detail)
        elif "partitions" in detail:
            self._on_revoked(detail)
        else:
            self._give_up(set(self._view))

    @property
    def _suspended_later(self) -> set[TopicPartition]:
        """What is suspended before the next assignment."""
        found: set[TopicPartition] = set()
        for _, timed in self._following():
            if timed.row.kind == RowKind.ASSIGNED:
                break
            if timed.row.kind in (RowKind.TASK_SUSPENDED, RowKind.TASK_CLOSED):
                found |= set(partitions_in(timed.row.detail.get("partitions")))
        return found

    def _give_up(self, partitions: set[TopicPartition]) -> None:
        """They are not its own any more."""
        self._revoked -= partitions
        self._suspended -= partitions
        for partition in partitions:
            self._restoring.pop(partition, None)
        if partitions & self._view:
            self._view -= partitions
            self._write_view()
