"""Tasks and clients as Kafka Streams' own assignors have them: those that the leader of a classic group runs.

Traffic between racks (`rack.aware.assignment.strategy`) is not simulated: as with its default, `none`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from groupsim.assignors.errors import BadSpec
from groupsim.assignors.java.hash_order import MASK
from groupsim.assignors.java.topic_ids import bits, hash_code, sort_key

RUNNING = -2
"""The lag of a task that runs on the client as an active task (Kafka: Task.LATEST_OFFSET)."""
UNKNOWN = -3
"""The lag where the client's offset is unknown (Kafka: SubscriptionInfo.UNKNOWN_OFFSET_SUM)."""
NO_LIMIT = (1 << 63) - 1


class TaskId(NamedTuple):
    """A task of Kafka Streams, written `0_3`; sorts by subtopology, then partition."""

    subtopology: int
    partition: int

    def __str__(self) -> str:
        return f"{self.subtopology}_{self.partition}"


Tasks = tuple[TaskId, ...]


@dataclass(frozen=True, slots=True)
class Client:
    """A process: its id (a UUID), stream threads, what it had before, and how much each task would have to restore.

    `lags`: offsets per stateful task; RUNNING and UNKNOWN are special. Only high availability reads them. `tags`:
    `client.tag.*`. Kafka: ClientState.
    """

    id: str
    threads: int = 1
    active: Tasks = ()
    standby: Tasks = ()
    lags: Mapping[TaskId, int] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClientProblem:
    """All tasks, which of them have state, and the clients in the order in which the leader found them.

    `standbys`: num.standby.replicas; `warmups`: max.warmup.replicas; `acceptable_lag`: acceptable.recovery.lag,
    offsets; `tags`: rack.aware.assignment.tags.
    """

    clients: tuple[Client, ...]
    tasks: Collection[TaskId]
    stateful: Collection[TaskId]
    standbys: int = 0
    warmups: int = 2
    acceptable_lag: int = 10_000
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClientTasks:
    """What one process gets, sorted; its threads share it. Warm-ups are standbys."""

    active: Tasks
    standby: Tasks


@dataclass(frozen=True, slots=True)
class ClientAnswer:
    """By process id. `probing`: a rebalance is to follow after probing.rebalance.interval.ms."""

    clients: Mapping[str, ClientTasks]
    probing: bool = False


def checked(problem: ClientProblem) -> list[int]:
    """The 128 bits of each client's id. BadSpec: no UUID, a client twice, no thread, nobody, or state of no task."""
    ids = []
    for client in problem.clients:
        try:
            ids.append(bits(client.id))
        except ValueError:
            raise BadSpec(f"client {client.id!r} is no UUID") from None
        if client.threads < 1:
            raise BadSpec(f"client {client.id!r} has {client.threads} threads")
    if len(set(ids)) != len(ids):
        raise BadSpec(f"client {next(c.id for i, c in enumerate(problem.clients) if ids[i] in ids[:i])!r} stands twice")
    if not ids:
        raise BadSpec("there are no clients")
    if missing := set(problem.stateful).difference(problem.tasks):
        raise BadSpec(f"task {min(missing)} has state and does not exist")
    return ids


def uuid_order(ids: list[int]) -> list[int]:
    """Positions as `UUID.compareTo` sorts: both halves are signed numbers, as in Kafka's own Uuid."""
    return sorted(range(len(ids)), key=lambda i: sort_key(ids[i]))


def task_hash(task: TaskId) -> int:
    """`TaskId.hashCode` as an unsigned number: Objects.hash over both numbers and a topology's name that is null."""
    return 31 * (31 * (31 + task.subtopology) + task.partition) & MASK


uuid_hash = hash_code
"""`UUID.hashCode` is that of Kafka's Uuid."""
