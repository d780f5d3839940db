"""A Streams application: which topics its subtopologies read, and how long their stores take to restore."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from groupsim.assignors.kafka.client_tasks import TaskId, Tasks
from groupsim.events.streams import Copartition, InternalTopic, Subtopology, Topology
from groupsim.events.types import Partitions, TopicPartition
from groupsim.simulation.checks import ms, number, whole
from groupsim.simulation.clients.config import STREAMS
from groupsim.simulation.clients.streams.config import StreamsConfig
from groupsim.simulation.topics import Topic, Topics

OPENS_MS = 170
"""From an assignment to the first task that runs: the stores of all are opened together (140 to 820 ms recorded, of
which up to 200 are waits for a poll)."""


@dataclass(frozen=True, slots=True)
class Store:
    """The state of each task of a subtopology: `changelog` records, of which `restore` are read back in a second.

    `begins_ms`: until its first record is read where another task was restored before it, since one follows the other
    (260 to 670 ms in recorded applications of Kafka 4.4.0). `persistent`: it is on a disk that outlives the
    process, so it is there again after a restart, and when a task comes back (Kafka: `state.dir`, RocksDB); else every
    task that is gained is restored from the first record.
    """

    changelog: int
    restore: float = 50_000.0
    begins_ms: int = 300
    persistent: bool = True

    def __post_init__(self) -> None:
        """Raises BadScenario for what is no number of records."""
        whole(self.changelog, "Store(changelog=…)", 0)
        number(self.restore, "Store(restore=…)")
        ms(self.begins_ms, "Store(begins_ms=…)")

    @property
    def restore_ms(self) -> int:
        """How long the records of one task are read, from the first one."""
        return round(1_000 * self.changelog / self.restore) if self.restore else 0


def drawn(usual_ms: int, chance: Callable[[], float]) -> int:
    """Between 0.7 and 1.7 times as long as usual, as recorded."""
    return round(usual_ms * (0.7 + chance()))


@dataclass(frozen=True, slots=True)
class Part:
    """A subtopology: the topics that its tasks read together, and its store, if it has one."""

    topics: tuple[Topic, ...]
    store: Store | None = None


@dataclass(frozen=True, slots=True)
class StreamsApplication:
    """The subtopologies "0", "1", … of an application. Task `0_3` reads partition 3 of each topic of part 0.

    `processes`: known process ids by an instance's name.
    """

    name: str
    parts: tuple[Part, ...]
    protocol: str = STREAMS
    config: StreamsConfig = field(default_factory=StreamsConfig)
    processes: Mapping[str, str] = field(default_factory=dict)

    @property
    def topics(self) -> tuple[Topic, ...]:
        """All that it reads."""
        return tuple(topic for part in self.parts for topic in part.topics)

    @property
    def topology(self) -> Topology:
        """As its members send it when they join; a store has a changelog, which the broker makes."""
        return Topology(0, tuple(self._subtopology(i, part) for i, part in enumerate(self.parts)))

    def _subtopology(self, place: int, part: Part) -> Subtopology:
        names = tuple(sorted(topic.name for topic in part.topics))
        log = InternalTopic(f"{self.name}-store-{place}-changelog", configs=(("cleanup.policy", "compact"),))
        return Subtopology(
            id=str(place),
            sources=names,
            changelogs=(log,) if part.store is not None else (),
            copartition=(Copartition(tuple(range(len(names)))),) if len(names) > 1 else (),
        )

    def partitions(self, tasks: Iterable[TopicPartition]) -> Partitions:
        """What these tasks read, sorted."""
        found = (
            TopicPartition(topic.name, number)
            for part, number in tasks
            for topic in self.parts[int(part)].topics
            if number < topic.partitions
        )
        return tuple(sorted(found))

    def tasks(self, partitions: Iterable[TopicPartition]) -> Partitions:
        """The tasks that read these partitions, sorted."""
        part_of = {topic.name: str(i) for i, part in enumerate(self.parts) for topic in part.topics}
        return tuple(sorted({TopicPartition(part_of[topic], number) for topic, number in partitions}))

    def restores(
        self, partitions: Sequence[TopicPartition], disk: AbstractSet[TopicPartition], chance: Callable[[], float]
    ) -> list[tuple[Partitions, int]]:
        """What runs when, one after the other: first all tasks whose state is on disk, then each that is restored.

        Partitions, and how long (ms) that takes. Tasks without a store run at once. `chance`: 0 to 1, how long it takes
        until records are read differs by it from time to time.
        """
        by_task: defaultdict[TopicPartition, list[TopicPartition]] = defaultdict(list)
        for partition in partitions:
            (task,) = self.tasks([partition])
            by_task[task].append(partition)
        stores = {task: self.parts[int(task.topic)].store for task in by_task}
        there = tuple(p for p in partitions if p in disk)
        found = [(there, drawn(OPENS_MS, chance))] if there else []
        for task in sorted(by_task):
            store = stores[task]
            if store is not None and disk.isdisjoint(by_task[task]):
                begins_ms = drawn(store.begins_ms if found else OPENS_MS, chance)
                found.append((tuple(by_task[task]), begins_ms + store.restore_ms))
        return found

    def kept(self, partitions: Iterable[TopicPartition]) -> set[TopicPartition]:
        """Those whose state is on a disk that outlives the process."""
        stores = {topic.name: part.store for part in self.parts for topic in part.topics}
        return {p for p in partitions if (store := stores.get(p.topic)) is not None and store.persistent}

    # The same with Kafka Streams' own task ids, for the classic protocol:

    @property
    def persistent(self) -> bool:
        """Whether any state outlives the process, and with it the process id."""
        return any(part.store is not None and part.store.persistent for part in self.parts)

    def task(self, partition: TopicPartition) -> TaskId:
        """The task that reads it."""
        part = next(i for i, part in enumerate(self.parts) if any(t.name == partition.topic for t in part.topics))
        return TaskId(part, partition.partition)

    def tasks_of(self, partitions: Iterable[TopicPartition]) -> Tasks:
        """The tasks that read these partitions, sorted."""
        return tuple(sorted({self.task(partition) for partition in partitions}))

    def all_tasks(self, counts: Mapping[str, int]) -> Tasks:
        """Every task: a subtopology has as many as the largest of its topics has partitions."""
        most = (max(counts.get(topic.name, 0) for topic in part.topics) for part in self.parts)
        return tuple(TaskId(i, number) for i, count in enumerate(most) for number in range(count))

    def read(self, tasks: Iterable[TaskId]) -> Partitions:
        """What these tasks read, sorted."""
        return self.partitions(TopicPartition(str(task.subtopology), task.partition) for task in tasks)

    def store(self, task: TaskId) -> Store | None:
        """Its store, if it has one."""
        return self.parts[task.subtopology].store

    def end(self, task: TaskId, topics: Topics, now_ms: int) -> int:
        """How far its changelog reaches: each record that it reads adds one."""
        store = self.store(task)
        return 0 if store is None else store.changelog + sum(topics.end_offset(p, now_ms) for p in self.read((task,)))
