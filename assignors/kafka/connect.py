"""Connect's assignors: eager, and incremental cooperative with its delay (KIP-415), run by the leader of the workers.

A leader remembers what it gave last, so the incremental one is a function from (problem, memory) to (answer, memory).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log
from typing import NamedTuple, TypeVar

from groupsim.assignors.errors import BadSpec
from groupsim.assignors.java.hash_order import MASK, hash_order, java_sorted, string_hash, string_order, table_size

FIRST_BACKOFF_MS = 1
BACKOFF_FACTOR = 40


class ConnectorTask(NamedTuple):
    """A task of a connector, written `name-0` (Kafka: ConnectorTaskId)."""

    connector: str
    task: int

    def __str__(self) -> str:
        return f"{self.connector}-{self.task}"


Item = TypeVar("Item", str, ConnectorTask)


@dataclass(frozen=True, slots=True)
class Load:
    """Connectors and tasks, each once, in an order (Kafka: ConnectorsAndTasks)."""

    connectors: tuple[str, ...] = ()
    tasks: tuple[ConnectorTask, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.connectors or self.tasks)


@dataclass(frozen=True, slots=True)
class WorkerAnswer:
    """What one worker is to start and to stop, and all that it has then."""

    assigned: Load = Load()
    revoked: Load = Load()
    all: Load = Load()


@dataclass(frozen=True, slots=True)
class ConnectProblem:
    """`connectors`: how many tasks each configured connector has. `workers`: what each member reports to run.

    Workers stand in the order in which the leader got them. `max_delay_ms`: scheduled.rebalance.max.delay.ms.
    `generation`: that of this rebalance; `last_generation`: the last one whose assignment arrived.
    """

    connectors: Mapping[str, int]
    workers: Mapping[str, Load]
    now_ms: int = 0
    max_delay_ms: int = 300_000
    generation: int = 1
    last_generation: int = 0


@dataclass(frozen=True, slots=True)
class ConnectMemory:
    """What the leader keeps from call to call (Kafka: fields of IncrementalCooperativeAssignor).

    `given`: what was given last, with what was lost and still waits; `revoked`: what was taken away then.
    `scheduled_ms`: when the delay ends, 0 without one; `candidates`: workers that came with nothing meanwhile.
    """

    given: Load = Load()
    revoked: Load = Load()
    revoked_before: bool = False
    candidates: tuple[str, ...] = ()
    scheduled_ms: int = 0
    delay_ms: int = 0
    generation: int = -1
    workers: frozenset[str] = field(default_factory=frozenset)
    revoking_in_a_row: int = 0


@dataclass(frozen=True, slots=True)
class ConnectAnswer:
    """By worker; `delay_ms`: after how long the workers are to rejoin, 0: they need not."""

    workers: Mapping[str, WorkerAnswer]
    delay_ms: int = 0


def connect_eager(problem: ConnectProblem) -> ConnectAnswer:
    """EagerAssignor (org.apache.kafka.connect.runtime.distributed): everything round robin, connectors first."""
    _check(problem)
    names = java_sorted(problem.workers)
    connectors: dict[str, list[str]] = {name: [] for name in names}
    tasks: dict[str, list[ConnectorTask]] = {name: [] for name in names}
    configured = java_sorted(problem.connectors)
    for i, connector in enumerate(configured):
        connectors[names[i % len(names)]].append(connector)
    each = (ConnectorTask(connector, n) for connector in configured for n in range(problem.connectors[connector]))
    for i, task in enumerate(each, start=len(configured)):
        tasks[names[i % len(names)]].append(task)
    loads = {name: Load(tuple(connectors[name]), tuple(tasks[name])) for name in names}
    return ConnectAnswer({name: WorkerAnswer(load, Load(), load) for name, load in loads.items()})


def connect_incremental(
    problem: ConnectProblem, memory: ConnectMemory = ConnectMemory()
) -> tuple[ConnectAnswer, ConnectMemory]:
    """IncrementalCooperativeAssignor (org.apache.kafka.connect.runtime.distributed) of Kafka 4.4, and what it keeps.

    What a worker that left had is given to others only after the delay. To even out, something is revoked in one
    rebalance and given away in the next; where that repeats itself, after a delay that grows. BadSpec: no worker.
    """
    _check(problem)
    return _Round(problem, memory).answer()


def _check(problem: ConnectProblem) -> None:
    if not problem.workers:
        raise BadSpec("there are no workers")


def _task_key(task: ConnectorTask) -> tuple[bytes, int]:
    return task.connector.encode("utf-16-be", "surrogatepass"), task.task


def _sorted(connectors: Iterable[str], tasks: Iterable[ConnectorTask]) -> Load:
    """As the TreeSets of IncrementalCooperativeAssignor.diff are."""
    return Load(tuple(java_sorted(connectors)), tuple(sorted(tasks, key=_task_key)))


def _without(load: Load, *others: Load) -> Load:
    connectors = set(load.connectors).difference(*(other.connectors for other in others))
    tasks = set(load.tasks).difference(*(other.tasks for other in others))
    return _sorted(connectors, tasks)


def _in_set_order(items: Sequence[Item], hash_of: Callable[[Item], int]) -> list[Item]:
    """As `new HashSet<>(items)` iterates."""
    wanted = max(int(len(items) / 0.75) + 1, 16)
    return [items[at] for at in hash_order([hash_of(item) for item in items], table_size(wanted))]


def _task_hash(task: ConnectorTask) -> int:
    """`ConnectorTaskId.hashCode` as an unsigned number."""
    return 31 * string_hash(task.connector) + task.task & MASK


class _Worker:
    """A worker and what it will have (Kafka: WorkerLoad); dicts stand for sets that keep their order."""

    def __init__(self, name: str, load: Load) -> None:
        self.name = name
        self.key = name.encode("utf-16-be", "surrogatepass")
        self.had = load
        self.connectors = dict.fromkeys(load.connectors)
        self.tasks = dict.fromkeys(load.tasks)
        self.revoked_connectors: dict[str, None] = {}
        self.revoked_tasks: dict[ConnectorTask, None] = {}

    def is_empty(self) -> bool:
        return not self.connectors and not self.tasks

    def revoke(self, connectors: Iterable[str], tasks: Iterable[ConnectorTask]) -> None:
        for connector in connectors:
            self.revoked_connectors[connector] = None
            self.connectors.pop(connector, None)
        for task in tasks:
            self.revoked_tasks[task] = None
            self.tasks.pop(task, None)

    def answer(self, deleted: Load) -> WorkerAnswer:
        """New is what it did not have; what was deleted from the configuration does not count as had."""
        had = _without(self.had, deleted)
        new = Load(
            tuple(c for c in self.connectors if c not in had.connectors),
            tuple(t for t in self.tasks if t not in had.tasks),
        )
        revoked = Load(tuple(self.revoked_connectors), tuple(self.revoked_tasks))
        everything = Load(
            tuple(c for c in self.connectors if c not in self.revoked_connectors),
            tuple(t for t in self.tasks if t not in self.revoked_tasks),
        )
        return WorkerAnswer(new, revoked, everything)


class _Round:
    """One call of performTaskAssignment; `memory` is replaced as Java changes its fields."""

    def __init__(self, problem: ConnectProblem, memory: ConnectMemory) -> None:
        self.problem = problem
        names = list(problem.workers)
        in_order = [names[at] for at in string_order(names)]
        self.workers = [_Worker(name, problem.workers[name]) for name in in_order]
        if memory.generation != problem.last_generation:
            memory = replace(memory, given=Load())
        self.configured = Load(
            tuple(java_sorted(problem.connectors)),
            tuple(ConnectorTask(name, n) for name, count in problem.connectors.items() for n in range(count)),
        )
        loads = problem.workers.values()
        self.active = _sorted({c for load in loads for c in load.connectors}, {t for load in loads for t in load.tasks})
        taken_back = set(memory.revoked.connectors).intersection(self.active.connectors)
        if taken_back or set(memory.revoked.tasks).intersection(self.active.tasks):
            memory = replace(memory, given=self.active)
        self.memory = memory

    def answer(self) -> tuple[ConnectAnswer, ConnectMemory]:
        """The steps of performTaskAssignment in their order."""
        given = self.memory.given
        deleted = _without(given, self.configured)
        lost = _without(given, self.active, deleted)
        created = _without(self.configured, given, self.active)
        for load in (deleted, self._duplicated()):
            for worker, (connectors, tasks) in [(w, self._of(w, load)) for w in self.workers]:
                worker.revoke(connectors, tasks)
        again = self._lost(lost)
        self._even_out()
        self._deal(
            dict.fromkeys((*created.connectors, *again.connectors)), dict.fromkeys((*created.tasks, *again.tasks))
        )
        answers = {worker.name: worker.answer(deleted) for worker in self.workers}
        revoked = _sorted(
            {c for one in answers.values() for c in one.revoked.connectors},
            {t for one in answers.values() for t in one.revoked.tasks},
        )
        everything = Load(
            tuple(c for worker in self.workers for c in worker.connectors),
            tuple(t for worker in self.workers for t in worker.tasks),
        )
        kept = _without(everything, revoked)
        memory = replace(
            self.memory,
            given=_sorted({*kept.connectors, *lost.connectors}, {*kept.tasks, *lost.tasks}),
            revoked=revoked,
            generation=self.problem.generation,
            workers=frozenset(answers),
        )
        return ConnectAnswer(answers, memory.delay_ms), memory

    def _duplicated(self) -> Load:
        """What more than one worker reports."""
        connectors = [c for load in self.problem.workers.values() for c in load.connectors]
        tasks = [t for load in self.problem.workers.values() for t in load.tasks]
        return Load(
            tuple({c for c in connectors if connectors.count(c) > 1}), tuple({t for t in tasks if tasks.count(t) > 1})
        )

    def _of(self, worker: _Worker, load: Load) -> tuple[list[str], list[ConnectorTask]]:
        """What the worker reported of it, in the order of a hash set."""
        connectors = _in_set_order(worker.had.connectors, string_hash)
        tasks = _in_set_order(worker.had.tasks, _task_hash)
        return [c for c in connectors if c in load.connectors], [t for t in tasks if t in load.tasks]

    def _no_delay(self) -> None:
        self.memory = replace(self.memory, candidates=(), scheduled_ms=0, delay_ms=0)

    def _lost(self, lost: Load) -> Load:
        """handleLostAssignments: what of it is to be given away as if it were new; the rest waits, or has its place."""
        memory, now = self.memory, self.problem.now_ms
        if not lost and not memory.revoked_before:
            self._no_delay()
            return Load()
        names = {worker.name for worker in self.workers}
        if (memory.scheduled_ms <= 0 and names >= memory.workers) or self.problem.max_delay_ms == 0:
            return lost
        if 0 < memory.scheduled_ms <= now:
            candidates = [worker for name in memory.candidates for worker in self.workers if worker.name == name]
            for i, connector in enumerate(lost.connectors if candidates else ()):
                candidates[i % len(candidates)].connectors[connector] = None
            for i, task in enumerate(lost.tasks if candidates else ()):
                candidates[i % len(candidates)].tasks[task] = None
            self._no_delay()
            self.memory = replace(self.memory, revoked_before=False)
            return Load() if candidates else lost
        empty = [worker.name for worker in self.workers if worker.is_empty()]
        empty = [empty[at] for at in string_order(empty)]
        delay = self.problem.max_delay_ms
        if now < memory.scheduled_ms:
            delay = min(memory.scheduled_ms - now, delay)
        candidates_now = tuple(dict.fromkeys((*memory.candidates, *empty)))
        self.memory = replace(memory, candidates=candidates_now, delay_ms=delay, scheduled_ms=now + delay)
        return Load()

    def _even_out(self) -> None:
        """Load-balancing revocations; none while a delay runs, and with a delay where they follow each other."""
        memory = self.memory
        if memory.delay_ms:
            self.memory = replace(memory, revoked_before=False)
            return
        revocations = self._revocations()
        if not revocations:
            if memory.revoked_before:
                self.memory = replace(memory, revoked_before=False, revoking_in_a_row=0)
            return
        if memory.revoked_before:
            times = memory.revoking_in_a_row + 1
            delay = _backoff(times, self.problem.max_delay_ms)
            self.memory = replace(memory, revoking_in_a_row=times, delay_ms=delay)
            if delay:
                self.memory = replace(self.memory, scheduled_ms=self.problem.now_ms + delay)
                return
        else:
            self.memory = replace(memory, revoked_before=True)
        for worker, connectors, tasks in revocations:
            worker.revoke(connectors, tasks)

    def _revocations(self) -> list[tuple[_Worker, list[str], list[ConnectorTask]]]:
        """performLoadBalancingRevocations: who has to give up what, so that everybody has nearly the same."""
        if all(worker.is_empty() for worker in self.workers) or not self.configured:
            return []
        connectors = _too_many([list(worker.connectors) for worker in self.workers], len(self.configured.connectors))
        tasks = _too_many([list(worker.tasks) for worker in self.workers], len(self.configured.tasks))
        touched = [i for i in range(len(self.workers)) if i in connectors or i in tasks]
        return [(self.workers[i], connectors.get(i, []), tasks.get(i, [])) for i in touched]

    def _deal(self, connectors: Iterable[str], tasks: Iterable[ConnectorTask]) -> None:
        """assignConnectors, assignTasks: to those that have the fewest, filled up level by level."""
        self.workers.sort(key=lambda worker: (len(worker.connectors), worker.key))
        _fill([worker.connectors for worker in self.workers], connectors)
        self.workers.sort(key=lambda worker: (len(worker.tasks), worker.key))
        _fill([worker.tasks for worker in self.workers], tasks)


def _fill(loads: Sequence[dict[Item, None]], items: Iterable[Item]) -> None:
    waiting = list(items)
    while waiting:
        least = len(loads[0])
        full = next((i for i, load in enumerate(loads) if len(load) > least), len(loads))
        for load in loads[:full]:
            if waiting:
                load[waiting.pop(0)] = None


def _too_many(loads: Sequence[Sequence[Item]], total: int) -> dict[int, list[Item]]:
    """loadBalancingRevocations: by worker, the first ones of what it has beyond its share of `total`."""
    least, more = divmod(total, len(loads))
    sizes = [len(load) for load in loads]
    if sizes.count(least + 1) == more and sizes.count(least) + more == len(loads):
        return {}
    result: dict[int, list[Item]] = {}
    extras = 0
    for i, load in enumerate(loads):
        if len(load) <= least:
            continue
        most = least
        if extras < more:
            extras += 1
            most = least + 1
            if len(load) == most:
                continue
        result[i] = list(load[: len(load) - most])
    return result


def _backoff(times: int, longest_ms: int) -> int:
    """ExponentialBackoff(1, 40, longest_ms, jitter 0).backoff: the delay after so many revoking rebalances, in ms."""
    if longest_ms <= FIRST_BACKOFF_MS:
        return longest_ms
    exponent = min(float(times), log(longest_ms / FIRST_BACKOFF_MS) / log(BACKOFF_FACTOR))
    return min(int(FIRST_BACKOFF_MS * BACKOFF_FACTOR**exponent), longest_ms)
