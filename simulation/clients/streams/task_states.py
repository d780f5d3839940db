"""The state of an instance's tasks: how much of each is here, what restores, what runs.

A stream thread opens the stores of new tasks one after the other, and hands each over to the thread that restores. That
one takes all that it has been given, those of active tasks before standbys and warm-ups (Kafka: DefaultStateUpdater,
StoreChangelogReader), and what is restored runs from the stream thread's next turn on. What was restored is kept, and
only what others wrote meanwhile is read when a task comes back.

Why even an empty store costs time: a changelog that is read from its beginning is looked up first, over a connection on
which a fetch waits for records. That fetch ends with the first record that a task writes which has just been restored,
or after fetch.max.wait.ms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from groupsim.assignors.kafka.client_tasks import RUNNING, TaskId
from groupsim.events.types import Partitions
from groupsim.simulation.clients.process import Process, Script, Waiter
from groupsim.simulation.clients.streams.application import StreamsApplication
from groupsim.simulation.clients.streams.changelogs import Position
from groupsim.simulation.topics import Topics

FIRST_MS = 215
"""From an assignment to the first open store of a process (150 to 370 ms in recorded applications of Kafka 4.4.0)."""
FOUND_MS = 30
"""The same where it has found its stores on a disk: it opens them when it starts (20 to 70 ms recorded)."""
LATER_MS = 80
"""The same where it has opened stores before (50 to 140 ms recorded)."""
NEXT_MS = 20
"""From one open store to the next (18 to 77 ms recorded)."""
BEGINS_MS = 12
"""From the turn that finds a task restored to its first record, but for what was committed and what the network takes
(restored to running: 68 ms recorded on average, most between 10 and 110)."""
CLOSE_MS = 50
"""How long a closing process takes to commit and to close its tasks (24 to 174 ms recorded, with the end of a poll)."""
TURN_MS = 50
"""A turn of a stream thread: tasks are closed and made before it joins again (30 to 150 ms recorded)."""
ASSIGNS_FIRST_MS = 165
"""How long a process's first assignment takes: it loads code and connects (128 to 308 ms recorded, of ten leaders)."""
ASSIGNS_MS = 15
"""The same later (10 to 59 ms recorded, most often 24, with what the network takes)."""
POLL_MS = 100
"""How long a poll without records waits, of a stream thread and of the one that restores (Kafka: poll.ms)."""
ANSWER_MS = 15
"""Until a changelog is found, and until its first records are here (3 to 35 ms recorded)."""
CONNECT_MS = 70
"""How much longer the first look takes, which connects (about that recorded)."""
FETCH_MAX_WAIT_MS = 500
"""How long a fetch without records waits (Kafka: fetch.max.wait.ms)."""
WRITTEN_MS = 160
"""From a task that runs to its first record in a changelog (130 to 205 ms recorded, of which linger.ms is 100)."""


@dataclass(slots=True)
class Disk:
    """What instances of one name leave behind: how many records of each task's changelog were read; the process id."""

    records: dict[TaskId, int] = field(default_factory=dict)
    process: str | None = None


@dataclass(frozen=True, slots=True)
class _Reading:
    """Records `begin` to `end` of the changelog of `task` are read from `since_ms` on."""

    task: TaskId
    since_ms: int
    begin: int
    end: int


@dataclass(slots=True)
class _Fetch:
    """The fetch that is under way ends at `ends_ms`, and asks for the changelogs of `tasks`."""

    ends_ms: int = 0
    tasks: set[TaskId] = field(default_factory=set)


class TaskStates:
    """`process_id`: a UUID. `position`: what this instance reads next. `restored` is called with the partitions of each
    active task once it runs; `committed` asks what was committed there. `opened_ms`: when the stores of all its tasks
    are open."""

    def __init__(
        self,
        application: StreamsApplication,
        disk: Disk,
        process: Process,
        waiter: Waiter,
        topics: Topics,
        chance: Callable[[], float],
        position: Position,
        restored: Callable[[Partitions], None],
        committed: Callable[[Partitions, Callable[[], None]], None],
    ) -> None:
        self.process_id = disk.process or ""
        self._application, self._topics, self._chance = application, topics, chance
        self._process, self._waiter = process, waiter
        self._position, self._restored, self._committed = position, restored, committed
        self._disk = disk.records
        self._slow = 0.7 + chance()  # an instance that is slow once is slow again
        self._first_ms = FOUND_MS if disk.records else FIRST_MS
        self._assigns_ms = round(self._slow * ASSIGNS_FIRST_MS)
        self.opened_ms = 0
        self._own: dict[TaskId, int] = {}
        self._wanted: set[TaskId] = set()
        self._followed: set[TaskId] = set()
        self._target: tuple[set[TaskId], set[TaskId]] = set(), set()
        self._active: dict[TaskId, int] = {}
        self._standby: dict[TaskId, int] = {}
        self._runs: set[TaskId] = set()
        self._done: set[TaskId] = set()
        self._follows: set[TaskId] = set()
        self._reading: _Reading | None = None
        self._fetch = _Fetch()
        self._sought: set[TaskId] = set()
        self._connected = False

    def runs(self, task: TaskId) -> bool:
        """Whether it runs here."""
        return task in self._runs

    def offset_sums(self) -> dict[TaskId, int]:
        """What a subscription says of tasks with state (Kafka: TaskManager.taskOffsetSums)."""
        known = sorted({*self._disk, *self._own, *self._runs, *self._follows, *self._standby, *self._active})
        stateful = (task for task in known if self._application.store(task) is not None)
        return {task: RUNNING if task in self._runs else self._records(task) for task in stateful}

    def assigns_ms(self) -> int:
        """How long it takes as the leader to compute the next assignment."""
        takes_ms, self._assigns_ms = self._assigns_ms, ASSIGNS_MS
        return takes_ms

    # What changes its tasks:

    def assign(self, active: Iterable[TaskId], standby: Iterable[TaskId]) -> None:
        """These are its tasks from now on; what is no more among them is closed."""
        self._target = set(active), set(standby)
        self._become(*self._target)

    def hold(self, partitions: Partitions) -> None:
        """The active tasks are those that read these partitions: on the way to the target, or there."""
        wanted = set(self._application.tasks_of(partitions))
        active, standby = self._target
        self._become(wanted, standby | (self._followed & active) - wanted)

    def follow(self, active: Iterable[TaskId], standby: Iterable[TaskId]) -> None:
        """The target; standby tasks become others together with the active ones."""
        self._target = set(active), set(standby)
        if self._target[0] == self._wanted:
            self._become(*self._target)

    def close(self) -> None:
        """The process ends, or all is lost: every task is closed."""
        self.assign((), ())

    def end(self) -> None:
        """The process is gone: what its tasks have processed is known, and nothing is written to a disk any more."""
        self._stop(self._runs)

    def _become(self, wanted: set[TaskId], followed: set[TaskId]) -> None:
        if (wanted, followed) != (self._wanted, self._followed):
            self._wanted, self._followed = wanted, followed
            self._change(wanted, followed - wanted)

    def _change(self, wanted: set[TaskId], standby: set[TaskId]) -> None:
        if self._reading is not None:
            self._keep(self._reading.task)
            self._reading = None
        for task in sorted({*self._active, *self._standby} - wanted - standby):
            self._close(task)
        for task in sorted((self._active.keys() & standby) | (self._standby.keys() & wanted)):
            self._keep(task)
        self._stop(self._runs - wanted)
        self._done &= wanted
        self._follows &= standby
        open_ms = {**self._standby, **self._active}
        open_ms |= self._open([task for task in (*sorted(wanted), *sorted(standby)) if task not in open_ms])
        self._active = {task: open_ms[task] for task in sorted(wanted)}
        self._standby = {task: open_ms[task] for task in sorted(standby)}
        for task in sorted(wanted - self._runs):
            if self._application.store(task) is None:
                self._run((task,))
        self._waiter.notify()

    def _open(self, tasks: list[TaskId]) -> dict[TaskId, int]:
        """When their stores are open, one after the other, in any order (Kafka: Tasks.drainPendingTasksToInit)."""
        now, opened = self._process.now, {}
        usual_ms = self._first_ms
        for task in sorted(tasks, key=lambda _: self._chance()):
            opened[task] = now
            if self._application.store(task) is not None:
                self.opened_ms = opened[task] = max(now, self.opened_ms) + round(usual_ms * self._slow)
                usual_ms, self._first_ms = NEXT_MS, LATER_MS
        return opened

    def _run(self, tasks: Iterable[TaskId]) -> None:
        partitions = self._application.read(tasks)
        self._runs.update(tasks)
        self._application.changelogs.begin(partitions, self._position)
        self._restored(partitions)

    def _stop(self, tasks: Iterable[TaskId]) -> None:
        self._application.changelogs.end(self._application.read(tasks), self._position)
        self._runs = self._runs.difference(tasks)

    # The thread that restores (Kafka: DefaultStateUpdater):

    def restore(self) -> Script:
        """Restore what is to be restored, as long as the process lives."""
        while True:
            tasks = self._waiting(self._process.now)
            known = self._known(tasks)
            if known:
                yield from self._read(known)
            else:
                yield from self._process.wait(self._waiter.wait(self._fetch.ends_ms if tasks else self._next_ms()))

    def _known(self, tasks: list[TaskId]) -> list[TaskId]:
        """Those whose changelogs are found, so that they can be read.

        Nothing else is done while changelogs are looked up; what is opened meanwhile is for the next time.
        """
        now, fetch = self._process.now, self._fetch
        if found := [task for task in tasks if task in fetch.tasks]:
            return found
        if not self._sought and tasks and not (self._connected and all(map(self._found, tasks))):
            self._sought = set(tasks)
            fetch.ends_ms = max(fetch.ends_ms, now + ANSWER_MS + (0 if self._connected else CONNECT_MS))
            self._connected = True
        if self._sought:
            if now < fetch.ends_ms:
                return []
            self._fetch, self._sought = _Fetch(now, self._sought), set()
            return [task for task in tasks if task in self._fetch.tasks]
        if now >= fetch.ends_ms:
            self._fetch = _Fetch(now, set(tasks))
        return [task for task in tasks if task in self._fetch.tasks or self._complete(task)]

    def _found(self, task: TaskId) -> bool:
        return task in self._fetch.tasks or task in self._disk or task in self._own

    def _waiting(self, now: int) -> list[TaskId]:
        """The open tasks that are yet to be restored: active ones, else standbys.

        They are read in one order, whichever was opened first (Kafka: a set of partitions is assigned and fetched).
        """
        for tasks, there in ((self._active, self._runs | self._done), (self._standby, self._follows)):
            if waiting := sorted(task for task, at in tasks.items() if task not in there and at <= now):
                return waiting
        return []

    def _next_ms(self) -> int | None:
        """When the next task is open."""
        restored = self._runs | self._done | self._follows
        return min((at for task, at in {**self._standby, **self._active}.items() if task not in restored), default=None)

    def _first_active_ms(self) -> float:
        """When the next active task is open that has to be restored."""
        there = self._runs | self._done
        return min((at for task, at in self._active.items() if task not in there), default=math.inf)

    def _complete(self, task: TaskId) -> bool:
        """Its checkpoint says that nothing has to be read."""
        return (task in self._disk or task in self._own) and self._records(task) >= self._end(task)

    def _read(self, tasks: list[TaskId]) -> Script:
        """The first changelog that has records is read; where none has, a poll waits in vain."""
        now = self._process.now
        full = next((task for task in tasks if self._records(task) < self._end(task)), None)
        done = [task for task in tasks if task == full or self._records(task) >= self._end(task)]
        if full is None:
            reading, ends_ms = None, now + POLL_MS
        else:
            reading = self._reading = _Reading(full, now + ANSWER_MS, self._records(full), self._end(full))
            ends_ms = reading.since_ms + math.ceil(1_000 * (reading.end - reading.begin) / self._rate(full))
        until_ms = min(ends_ms, self._first_active_ms()) if full in self._standby else ends_ms
        while self._process.now < until_ms:
            yield from self._process.wait(self._waiter.wait(int(until_ms)))
            if reading is not self._reading:
                return
        if full is not None and until_ms < ends_ms:  # an active task comes first
            self._keep(full)
            self._reading = None
            return
        self._reading = None
        self._fetch.ends_ms = FETCH_MAX_WAIT_MS + (now if full is None else ends_ms)
        self._finish(done)

    def _finish(self, tasks: list[TaskId]) -> None:
        """These are restored, if they are still wanted."""
        active = [task for task in tasks if task in self._active]
        for task in tasks:
            if task in self._active or task in self._standby:
                (self._done if task in self._active else self._follows).add(task)
                self._keep(task, self._end(task))  # Kafka: StreamTask.completeRestoration writes a checkpoint
        if active:
            turn_ms = max(0, self.opened_ms - self._process.now) + BEGINS_MS + round(self._chance() * POLL_MS)
            self._process.thread(self._start(active, turn_ms))

    def _start(self, tasks: list[TaskId], turn_ms: int) -> Script:
        """What was committed is asked for before a task runs (Kafka: StreamTask.completeRestoration): while the broker
        holds back a JoinGroup of this connection, it does not answer."""
        yield from self._process.sleep(turn_ms)
        self._committed(self._application.read(tasks), lambda: self._run_restored(tasks))

    def _run_restored(self, tasks: list[TaskId]) -> None:
        ready = [task for task in tasks if task in self._done and task not in self._runs]
        written_ms = self._written_ms(ready)
        self._run(ready)
        if self._fetch.tasks.intersection(ready) and written_ms is not None and written_ms < self._fetch.ends_ms:
            self._fetch.ends_ms = written_ms
            self._waiter.notify()

    def _written_ms(self, tasks: list[TaskId]) -> int | None:
        """When the first record that these tasks process is in a changelog.

        None of an instance that reads already: it fetches theirs after what it has asked for, which is too late.
        """
        if self._runs:
            return None
        processed = self._application.changelogs.processed
        there = [self._topics.arrival_ms(p, processed(p)) for p in self._application.read(tasks)]
        arrived = [at_ms for at_ms in there if at_ms is not None]
        return max(self._process.now, min(arrived)) + WRITTEN_MS if arrived else None

    # How much of a state is here:

    def _close(self, task: TaskId) -> None:
        self._keep(task)
        store = self._application.store(task)
        if store is not None and not store.persistent:
            self._own.pop(task, None)

    def _keep(self, task: TaskId, records: int | None = None) -> None:
        """Write a checkpoint; there is none of a task whose changelog nobody has looked at."""
        store = self._application.store(task)
        here = self._records(task) if records is None else records
        if store is not None and (here or task in self._runs | self._done | self._follows):
            (self._disk if store.persistent else self._own)[task] = here

    def _records(self, task: TaskId) -> int:
        """How many records of its changelog are here."""
        if task in self._runs or task in self._follows:
            return self._end(task)
        reading = self._reading
        if reading is not None and reading.task == task:
            read = max(0, int((self._process.now - reading.since_ms) * self._rate(task) / 1_000))
            return min(reading.end, reading.begin + read)
        return self._disk.get(task, self._own.get(task, 0))

    def _end(self, task: TaskId) -> int:
        return self._application.end(task)

    def _rate(self, task: TaskId) -> float:
        store = self._application.store(task)
        return store.restore if store is not None and store.restore else math.inf


def ends(application: StreamsApplication, topics: Topics) -> Mapping[TaskId, int]:
    """How far the changelogs of all tasks with state reach."""
    tasks = application.all_tasks(topics.counts())
    return {task: application.end(task) for task in tasks if application.store(task) is not None}
