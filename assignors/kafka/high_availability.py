"""HighAvailabilityTaskAssignor: Kafka Streams' default in classic groups (KIP-441).

Active tasks are spread evenly; one that is not caught up where it shall run stays, or goes, where it is, and is warmed
up at its place as a standby, a few at a time. A probing rebalance asks again later.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from groupsim.assignors.errors import BadSpec
from groupsim.assignors.java.hash_order import hash_order
from groupsim.assignors.java.priority_queue import filled, offer, poll, remove
from groupsim.assignors.kafka.client_tasks import (
    NO_LIMIT,
    RUNNING,
    Client,
    ClientAnswer,
    ClientProblem,
    ClientTasks,
    TaskId,
    checked,
    task_hash,
    uuid_hash,
    uuid_order,
)


def high_availability(problem: ClientProblem) -> ClientAnswer:
    """HighAvailabilityTaskAssignor (org.apache.kafka.streams.processor.internals.assignment) of Kafka 4.4.

    BadSpec for an impossible problem, or where a client's lag of a stateful task is missing.
    """
    ids = checked(problem)
    order = uuid_order(ids)
    states = [_State(problem.clients[i], uuid_hash(ids[i])) for i in order]
    stateful = sorted(set(problem.stateful))
    for state in states:
        if missing := [task for task in stateful if task not in state.client.lags]:
            raise BadSpec(f"client {state.client.id!r} has no lag for task {missing[0]}")
    for k, task in enumerate(stateful):
        states[k % len(states)].active.add(task)
    _balance(states, lambda state: state.active, lambda source, destination: True)
    if problem.standbys:
        _standbys(states, stateful, problem)
    moves = _Moves(states, stateful, problem)
    needed = moves.of_active_tasks() + moves.of_standbys()
    _stateless(states, sorted(set(problem.tasks).difference(stateful)))
    return ClientAnswer(
        {s.client.id: ClientTasks(tuple(sorted(s.active)), tuple(sorted(s.standby))) for s in states}, needed > 0
    )


@dataclass(slots=True)
class _State:
    """A client and what it gets so far (Kafka: ClientState). `hash`: the hash code of its id."""

    client: Client
    hash: int
    active: set[TaskId] = field(default_factory=set)
    standby: set[TaskId] = field(default_factory=set)

    def has(self, task: TaskId) -> bool:
        return task in self.active or task in self.standby

    @property
    def count(self) -> int:
        return len(self.active) + len(self.standby)

    @property
    def load(self) -> float:
        return self.count / self.client.threads


class _ByLoad:
    """ConstrainedPrioritySet: clients by load, then id; a client's place changes only when it is offered again.

    `fits`: whether a client may have a task. `states[i]` are in the order of ids, so clients are their numbers.
    """

    def __init__(
        self, states: Sequence[_State], fits: Callable[[int, TaskId], bool], load: Callable[[_State], float]
    ) -> None:
        self.states = states
        self.fits = fits
        self.heap: list[int] = []
        self.keys = _Keys(states, load)

    def poll(self, task: TaskId, extra: Callable[[int], bool] = lambda client: True) -> int | None:
        """The first client that fits and satisfies `extra`. Those that did not are put back in hash order."""
        refused = []
        found = None
        while self.heap:
            client = poll(self.heap, self.keys)
            if self.fits(client, task) and extra(client):
                found = client
                break
            refused.append(client)
        for at in hash_order([self.states[client].hash for client in refused]):
            self.offer(refused[at])
        return found

    def offer(self, client: int) -> None:
        if client in self.heap:
            remove(self.heap, self.keys, client)
        offer(self.heap, self.keys, client)


class _Keys(Sequence[tuple[float, int]]):
    """What the clients are compared by, as it is now."""

    def __init__(self, states: Sequence[_State], load: Callable[[_State], float]) -> None:
        self.states, self.load = states, load

    def __getitem__(self, client: int) -> tuple[float, int]:  # type: ignore[override]
        return self.load(self.states[client]), client

    def __len__(self) -> int:
        return len(self.states)


def _balance(
    states: Sequence[_State], tasks: Callable[[_State], set[TaskId]], allowed: Callable[[_State, _State], bool]
) -> None:
    """balanceTasksOverThreads: move tasks from fuller to emptier clients until no move makes them more even."""
    moved = True
    while moved:
        moved = False
        for source in states:
            for destination in states:
                if source is destination:
                    continue
                for task in sorted(tasks(source)):
                    if not _would_be_more_even(source, destination):
                        break
                    if not destination.has(task) and allowed(source, destination):
                        tasks(source).remove(task)
                        tasks(destination).add(task)
                        moved = True


def _would_be_more_even(source: _State, destination: _State) -> bool:
    """shouldMoveATask: the source stays at least as full as the destination, and the difference shrinks."""
    skew = source.load - destination.load
    if skew <= 0:
        return False
    after = (source.count - 1.0) / source.client.threads - (destination.count + 1.0) / destination.client.threads
    return 0 <= after < skew


def _stateless(states: Sequence[_State], tasks: Sequence[TaskId]) -> None:
    """assignStatelessActiveTasks: each to the client with the fewest active tasks per thread."""
    queue = _ByLoad(states, lambda client, task: True, lambda state: len(state.active) / state.client.threads)
    for client in range(len(states)):
        queue.offer(client)
    for task in tasks:
        chosen = queue.poll(task)
        assert chosen is not None
        states[chosen].active.add(task)
        queue.offer(chosen)


def _standbys(states: Sequence[_State], stateful: Sequence[TaskId], problem: ClientProblem) -> None:
    """assignStandbyReplicaTasks: to other clients by load; with tags, to clients with other tags first."""
    queue = _ByLoad(states, lambda client, task: not states[client].has(task), lambda state: state.load)
    wanted = dict.fromkeys(stateful, problem.standbys)
    if problem.tags:
        _other_tags(states, stateful, set(problem.tags), queue, wanted)
    for client in range(len(states)):
        queue.offer(client)
    left = list(wanted)
    if problem.tags:  # Kafka goes through a HashMap that was filled with all stateful tasks
        keys = [stateful[at] for at in hash_order([task_hash(task) for task in stateful])]
        left = [task for task in keys if task in wanted]
    for task in left:
        for _ in range(wanted[task]):
            chosen = queue.poll(task)
            if chosen is None:
                break
            states[chosen].standby.add(task)
            queue.offer(chosen)
    _balance(states, lambda state: state.standby, _same_tags if problem.tags else lambda source, destination: True)


def _same_tags(source: _State, destination: _State) -> bool:
    """ClientTagAwareStandbyTaskAssignor.isAllowedTaskMovement: every tag of the source is one of the destination."""
    theirs = destination.client.tags
    return all(theirs.get(key) == value for key, value in source.client.tags.items())


def _other_tags(
    states: Sequence[_State],
    stateful: Sequence[TaskId],
    tags: Collection[str],
    queue: _ByLoad,
    wanted: dict[TaskId, int],
) -> None:
    """Replicas on clients that share no tag with those that have the task; `wanted` keeps what is left.

    A key whose values are all used up no longer counts. Kafka: assignStandbyTasksToClientsWithDifferentTags.
    """
    values: dict[str, set[str]] = {}
    having: dict[tuple[str, str], set[int]] = {}
    for i, state in enumerate(states):
        for key, value in state.client.tags.items():
            values.setdefault(key, set()).add(value)
            having.setdefault((key, value), set()).add(i)
    for task in stateful:
        (last,) = (i for i, state in enumerate(states) if task in state.active)
        for client in range(len(states)):
            queue.offer(client)
        used: dict[tuple[str, str], set[int]] = {}
        clients, left = 1, wanted[task]
        while left:
            for key, value in states[last].client.tags.items():
                if key in tags and len(values[key]) <= clients:
                    used = {entry: some for entry, some in used.items() if entry[0] != key}
                elif key in tags:
                    used[key, value] = having[key, value]
            taken = set[int]().union(*used.values())
            found = queue.poll(task, lambda client, taken=taken: client not in taken)  # type: ignore[misc]
            if found is None:
                break
            states[found].standby.add(task)
            last = found
            clients, left = clients + 1, left - 1
        wanted[task] = left
        if not left:
            del wanted[task]


class _Moves:
    """TaskMovement: tasks go where their state is, and are warmed up where they shall run later.

    `caught_up[task]`: clients that run it or lag acceptably. `by_lag[task]`: all clients, the smallest lag first.
    """

    def __init__(self, states: Sequence[_State], stateful: Sequence[TaskId], problem: ClientProblem) -> None:
        self.states = states
        self.left = problem.warmups
        self.warming: set[tuple[int, TaskId]] = set()
        clients = range(len(states))
        lags = {task: [state.client.lags[task] for state in states] for task in stateful}
        limit = problem.acceptable_lag
        self.lags = lags
        self.caught_up = {
            task: {i for i in clients if lags[task][i] == RUNNING or limit == NO_LIMIT or 0 <= lags[task][i] <= limit}
            for task in stateful
        }
        self.by_lag = {task: sorted(clients, key=lags[task].__getitem__) for task in stateful}
        self.queue = self._queue()

    def _queue(self) -> _ByLoad:
        queue = _ByLoad(self.states, lambda i, task: i in self.caught_up[task], lambda state: state.load)
        for client in range(len(self.states)):
            queue.offer(client)
        return queue

    def _behind(self, task: TaskId, client: int) -> bool:
        """The client is not caught up, and another one has more of the task's state."""
        lags = self.lags[task]
        return client not in self.caught_up[task] and lags[self.by_lag[task][0]] < lags[client]

    def _in_turn(self, places: Sequence[tuple[TaskId, int]]) -> list[tuple[TaskId, int]]:
        """Tasks with the fewest caught up clients first, as a PriorityQueue gives them."""
        keys = [(len(self.caught_up[task]), task) for task, _ in places]
        heap = filled(range(len(places)), keys)
        return [places[poll(heap, keys)] for _ in places]

    def of_active_tasks(self) -> int:
        """assignActiveTaskMovements: how many active tasks had to go elsewhere than where they belong."""
        places = [
            (task, i) for i, state in enumerate(self.states) for task in sorted(state.active) if self._behind(task, i)
        ]
        for task, destination in self._in_turn(places):
            source = self.queue.poll(task, lambda i, task=task: task in self.states[i].standby)  # type: ignore[misc]
            if source is None:
                source = self.queue.poll(task)
            if source is None:
                source = self.by_lag[task][0]
            there, here = self.states[source], self.states[destination]
            here.active.remove(task)
            if task in there.standby:
                there.standby.remove(task)
                here.standby.add(task)
            else:
                if self.left > 0:
                    here.standby.add(task)
                    self.warming.add((destination, task))
                self.left -= 1
            there.active.add(task)
            self.queue.offer(source)
            self.queue.offer(destination)
        return len(places)

    def of_standbys(self) -> int:
        """assignStandbyTaskMovements: the same for standbys, but those that are being warmed up."""
        self.queue = self._queue()
        places = [
            (task, i)
            for i, state in enumerate(self.states)
            for task in sorted(state.standby)
            if (i, task) not in self.warming and self._behind(task, i)
        ]
        moved = 0
        for task, destination in self._in_turn(places):
            free = [not state.has(task) for state in self.states]
            source = self.queue.poll(task, free.__getitem__)
            if source is None:
                ahead = self.by_lag[task][: self.by_lag[task].index(destination)]
                source = next((i for i in ahead if free[i]), None)
            if source is None:
                continue
            self.states[source].standby.add(task)
            if self.left <= 0:
                self.states[destination].standby.remove(task)
            self.left -= 1
            self.queue.offer(source)
            self.queue.offer(destination)
            moved += 1
        return moved
