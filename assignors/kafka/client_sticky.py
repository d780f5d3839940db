"""StickyTaskAssignor: the other assignor that Kafka Streams ships for classic groups (task.assignor.class, KIP-924).

It looks at what clients had before, and not at how much of it they still have: there are no warm-ups.
"""

from __future__ import annotations

from collections.abc import Sequence

from groupsim.assignors.java.hash_order import hash_order, table_size
from groupsim.assignors.kafka.client_tasks import (
    ClientAnswer,
    ClientProblem,
    ClientTasks,
    TaskId,
    checked,
    task_hash,
    uuid_hash,
)


def client_sticky(problem: ClientProblem) -> ClientAnswer:
    """StickyTaskAssignor (org.apache.kafka.streams.processor.assignment.assignors) of Kafka 4.4.

    Kafka gives standbys in the order of a hash set of objects without a hash code of their own, so it leaves that
    order to chance; here it is that of the tasks' hash codes. BadSpec for an impossible problem.
    """
    ids = checked(problem)
    order = hash_order([uuid_hash(i) for i in ids])
    work = _Work(problem, order, [uuid_hash(ids[i]) for i in order])
    work.assign_active()
    work.assign_standbys()
    return ClientAnswer(
        {
            problem.clients[i].id: ClientTasks(tuple(sorted(active)), tuple(sorted(standby)))
            for i, active, standby in zip(order, work.active, work.standby, strict=True)
        }
    )


def _in_set_order(tasks: Sequence[TaskId], wanted: int = 16) -> list[TaskId]:
    """The tasks as a HashSet iterates that was made for `wanted` entries and filled in this order."""
    return [tasks[at] for at in hash_order([task_hash(task) for task in tasks], table_size(wanted))]


class _Work:
    """Clients by number, in the order of Kafka's maps; what they had, and what they have got so far."""

    def __init__(self, problem: ClientProblem, order: Sequence[int], hashes: Sequence[int]) -> None:
        self.hashes = hashes
        self.threads = [problem.clients[i].threads for i in order]
        self.replicas = problem.standbys
        self.tasks = _in_set_order(sorted(set(problem.tasks)))
        self.stateful = set(problem.stateful)
        self.active: list[set[TaskId]] = [set() for _ in order]
        self.standby: list[set[TaskId]] = [set() for _ in order]
        self.pairs: set[tuple[TaskId, TaskId]] = set()
        self.was_active: dict[TaskId, int] = {}
        self.was_standby: dict[TaskId, list[int]] = {}
        for client, i in enumerate(order):
            for task in sorted(set(problem.clients[i].active)):
                self.was_active[task] = client
            for task in sorted(set(problem.clients[i].standby)):
                self.was_standby.setdefault(task, []).append(client)

    def assign_active(self) -> None:
        """Who ran a task keeps it up to its share; then who had it as a standby; the rest one by one."""
        total = sum(self.threads)
        room = [-(-len(self.tasks) * threads // total) for threads in self.threads]
        known = set(self.tasks)
        open_tasks = _in_set_order(self.tasks, max(int(len(self.tasks) / 0.75) + 1, 16))
        for task in _in_set_order(list(self.was_active)):
            client = self.was_active[task]
            if task in known and len(self.active[client]) < room[client]:
                self._give(task, client, self.active)
                known.remove(task)
        for task in open_tasks:
            if task not in known:
                continue
            for client in self._in_set(self.was_standby.get(task, [])):
                if len(self.active[client]) < room[client]:
                    self._give(task, client, self.active)
                    known.remove(task)
                    break
        everybody = list(range(len(self.threads)))
        for task in sorted(known):
            self._give(task, self._best(task, everybody), self.active)

    def assign_standbys(self) -> None:
        """Each replica to the best client that does not have the task."""
        for task in _in_set_order([task for task in self.tasks if task in self.stateful]):
            for _ in range(self.replicas):
                free = [i for i in range(len(self.threads)) if task not in self.active[i] | self.standby[i]]
                if not free:
                    break
                self._give(task, self._best(task, self._in_set(free)), self.standby)

    def _in_set(self, clients: Sequence[int], wanted: int = 16) -> list[int]:
        return [clients[at] for at in hash_order([self.hashes[client] for client in clients], table_size(wanted))]

    def _give(self, task: TaskId, client: int, to: Sequence[set[TaskId]]) -> None:
        for other in self.active[client] | self.standby[client]:
            self.pairs.add((task, other) if task < other else (other, task))
        to[client].add(task)

    def _load(self, client: int) -> float:
        return (len(self.active[client]) + len(self.standby[client])) / self.threads[client]

    def _best(self, task: TaskId, among: Sequence[int]) -> int:
        """findBestClientForTask: who had it, unless that one is full and others are emptier."""
        if len(among) == 1:
            return among[0]
        had = self.was_active.get(task)
        if had is None or had not in among:
            had = self._had_as_standby(task, among)
        if had is not None and self._too_full(had):
            had = self._had_as_standby(task, among)
            if had is not None and self._too_full(had):
                had = None
        if had is None:
            had = self._least_loaded(task, among)
        assert had is not None
        return had

    def _had_as_standby(self, task: TaskId, among: Sequence[int]) -> int | None:
        """The least loaded of those that had it as a standby, from a copy of the set of them all."""
        before = self._in_set(self.was_standby.get(task, []))
        copied = self._in_set(before, max(int(len(before) / 0.75) + 1, 16))
        return self._least_loaded(task, [client for client in copied if client in among])

    def _too_full(self, client: int) -> bool:
        """shouldBalanceLoad: it has a task per thread or more, and somebody has less."""
        load = self._load(client)
        return load >= 1 and any(self._load(other) < load for other in range(len(self.threads)))

    def _least_loaded(self, task: TaskId, among: Sequence[int]) -> int | None:
        """findLeastLoadedClient: the first empty one; else the least loaded whose tasks make a new pair with it."""
        most = len(self.tasks) * (len(self.tasks) - 1) // 2
        for only_new_pairs in (True, False):
            found = None
            for client in among:
                load = self._load(client)
                if load == 0 and only_new_pairs:
                    return client
                if found is not None and load >= self._load(found):
                    continue
                if only_new_pairs and (len(self.pairs) == most or not self._makes_new_pair(task, client)):
                    continue
                found = client
            if found is not None:
                return found
        return None

    def _makes_new_pair(self, task: TaskId, client: int) -> bool:
        return any(
            ((task, other) if task < other else (other, task)) not in self.pairs
            for other in self.active[client] | self.standby[client]
        )
