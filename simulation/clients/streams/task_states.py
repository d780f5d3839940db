"""The state of an instance's tasks under the classic protocol: how much of each is here, what restores, what runs.

States are restored one after the other, those of active tasks before standbys and warm-ups (Kafka: DefaultStateUpdater,
StoreChangelogReader). What was restored is kept, and only what others wrote meanwhile is read when a task comes back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from groupsim.assignors.kafka.client_tasks import RUNNING, TaskId
from groupsim.events.types import Partitions, TopicPartition
from groupsim.simulation.clients.process import Process, Script, Waiter
from groupsim.simulation.clients.streams.application import StreamsApplication, drawn
from groupsim.simulation.topics import Topics

FIRST_MS = 300
"""From an assignment to the first task whose state is open (120 to 770 ms in recorded classic groups of 4.4.0)."""
FIRST_ON_DISK_MS = 225
"""The same where its state was on the disk (230 to 330 ms recorded)."""
NEXT_MS = 120
"""From the first one until all others run that were on the disk (145 ms recorded)."""
TURN_MS = 50
"""A turn of a stream thread: tasks are closed and made before it joins again (30 to 150 ms recorded)."""


@dataclass(slots=True)
class Disk:
    """What instances of one name leave behind: partitions whose state is there (streams protocol), records of each
    task's changelog that were read (classic protocol), and the process id."""

    partitions: set[TopicPartition] = field(default_factory=set)
    records: dict[TaskId, int] = field(default_factory=dict)
    process: str | None = None


@dataclass(frozen=True, slots=True)
class _Reading:
    task: TaskId
    since_ms: int
    begin: int
    end: int


class TaskStates:
    """`process_id`: a UUID. `restored` is called with the partitions of each active task once it runs."""

    def __init__(
        self,
        application: StreamsApplication,
        disk: Disk,
        process: Process,
        waiter: Waiter,
        topics: Topics,
        chance: Callable[[], float],
        restored: Callable[[Partitions], None],
    ) -> None:
        self.process_id = disk.process or ""
        self._application, self._topics, self._chance = application, topics, chance
        self._process, self._waiter, self._restored = process, waiter, restored
        self._disk = disk.records
        self._own: dict[TaskId, int] = {}
        self._active: dict[TaskId, int] = {}
        self._standby: dict[TaskId, int] = {}
        self._runs: set[TaskId] = set()
        self._follows: set[TaskId] = set()
        self._reading: _Reading | None = None

    def runs(self, partition: TopicPartition) -> bool:
        """Whether the task that reads it runs here."""
        return self._application.task(partition) in self._runs

    def offset_sums(self) -> dict[TaskId, int]:
        """What a subscription says of tasks with state (Kafka: TaskManager.taskOffsetSums)."""
        known = sorted({*self._disk, *self._own, *self._runs, *self._follows, *self._standby, *self._active})
        stateful = (task for task in known if self._application.store(task) is not None)
        return {task: RUNNING if task in self._runs else self._records(task) for task in stateful}

    def assign(self, active: Iterable[TaskId], standby: Iterable[TaskId]) -> None:
        """These are its tasks from now on; what is no more among them is closed."""
        self._stop_reading()
        wanted, followed = set(active), set(standby)
        for task in sorted({*self._active, *self._standby} - wanted - followed):
            self._close(task)
        for task in sorted(self._active.keys() & followed - wanted):
            self._keep(task, self._records(task))
        for task in sorted(self._standby.keys() & wanted):
            self._keep(task, self._records(task))
        self._runs &= wanted
        self._follows &= followed
        self._active = {task: at for task, at in self._active.items() if task in wanted}
        self._standby = {task: self._standby.get(task, self._process.now) for task in sorted(followed)}
        self._open(sorted(wanted - self._active.keys()))
        self._waiter.notify()

    def close(self) -> None:
        """The process ends, or all is lost: every task is closed."""
        self.assign((), ())

    def restore(self) -> Script:
        """The thread that restores (Kafka: DefaultStateUpdater)."""
        while True:
            task, since_ms = self._next()
            if task is None or since_ms > self._process.now:
                yield from self._process.wait(self._waiter.wait(None if task is None else since_ms))
                continue
            reading = self._reading = _Reading(task, self._process.now, self._records(task), self._end(task))
            ends_ms = self._process.now + math.ceil(1_000 * (reading.end - reading.begin) / self._rate(task))
            yield from self._process.wait(self._waiter.wait(ends_ms))
            if self._reading is reading and self._process.now >= ends_ms:
                self._reading = None
                self._done(task)

    def _next(self) -> tuple[TaskId | None, int]:
        """What is to be restored next, and not before when."""
        for tasks, there in ((self._active, self._runs), (self._standby, self._follows)):
            waiting = sorted((at, task) for task, at in tasks.items() if task not in there)
            if waiting:
                return waiting[0][1], waiting[0][0]
        return None, 0

    def _open(self, tasks: list[TaskId]) -> None:
        """One is opened first; the others follow together, later where they have yet to be read from the beginning."""
        now = self._process.now
        there = any(task in self._disk for task in tasks)
        first_ms = now + drawn(FIRST_ON_DISK_MS if there else FIRST_MS, self._chance)
        more = self._chance()
        opened = False
        for task in tasks:
            store = self._application.store(task)
            if store is None:
                self._active[task] = now
                self._runs.add(task)
                self._restored(self._application.read((task,)))
                continue
            usual = NEXT_MS if task in self._disk else store.begins_ms
            self._active[task] = first_ms + (round(usual * (0.7 + more)) if opened else 0)
            opened = True

    def _done(self, task: TaskId) -> None:
        if task in self._active:
            self._runs.add(task)
            self._keep(task, self._end(task))  # Kafka: StreamTask.completeRestoration writes a checkpoint
            self._restored(self._application.read((task,)))
        else:
            self._follows.add(task)
            self._keep(task, self._end(task))

    def _stop_reading(self) -> None:
        if self._reading is not None:
            task = self._reading.task
            self._keep(task, self._records(task))
            self._reading = None

    def _close(self, task: TaskId) -> None:
        store = self._application.store(task)
        if store is None:
            return
        self._keep(task, self._records(task))
        if not store.persistent:
            self._own.pop(task, None)

    def _keep(self, task: TaskId, records: int) -> None:
        store = self._application.store(task)
        if store is not None:
            (self._disk if store.persistent else self._own)[task] = records

    def _records(self, task: TaskId) -> int:
        """How many records of its changelog are here."""
        if task in self._runs or task in self._follows:
            return self._end(task)
        reading = self._reading
        if reading is not None and reading.task == task:
            read = int((self._process.now - reading.since_ms) * self._rate(task) / 1_000)
            return min(reading.end, reading.begin + read)
        return self._disk.get(task, self._own.get(task, 0))

    def _end(self, task: TaskId) -> int:
        return self._application.end(task, self._topics, self._process.now)

    def _rate(self, task: TaskId) -> float:
        store = self._application.store(task)
        return store.restore if store is not None and store.restore else math.inf


def ends(application: StreamsApplication, topics: Topics, now_ms: int) -> Mapping[TaskId, int]:
    """How far the changelogs of all tasks with state reach."""
    tasks = application.all_tasks(topics.counts())
    return {task: application.end(task, topics, now_ms) for task in tasks if application.store(task) is not None}
