"""A Streams application: which topics its subtopologies read, and how long their stores take to restore."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from groupsim.assignors.kafka.client_tasks import TaskId, Tasks
from groupsim.events.streams import Copartition, InternalTopic, Subtopology, Topology
from groupsim.events.types import Partitions, TopicPartition
from groupsim.simulation.checks import number, whole
from groupsim.simulation.clients.config import STREAMS
from groupsim.simulation.clients.streams.changelogs import Changelogs
from groupsim.simulation.clients.streams.config import StreamsConfig
from groupsim.simulation.topics import Topic


@dataclass(frozen=True, slots=True)
class Store:
    """The state of each task of a subtopology: `changelog` records at the start; `restore` are read back in a second.

    It grows: each record that the task processes adds one to its changelog. `persistent`: it is on a disk that outlives
    the process, so it is there again after a restart, and when a task comes back (Kafka: `state.dir`, RocksDB), and
    only what was written meanwhile is read; else every task that is gained is restored from the first record.
    """

    changelog: int
    restore: float = 50_000.0
    persistent: bool = True

    def __post_init__(self) -> None:
        """Raises BadScenario for what is no number of records."""
        whole(self.changelog, "Store(changelog=…)", 0)
        number(self.restore, "Store(restore=…)")


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

    `processes`: known process ids by an instance's name. `changelogs`: how far those of its stores have grown.
    """

    name: str
    parts: tuple[Part, ...]
    protocol: str = STREAMS
    config: StreamsConfig = field(default_factory=StreamsConfig)
    processes: Mapping[str, str] = field(default_factory=dict)
    changelogs: Changelogs = field(default_factory=Changelogs, compare=False)

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

    # The same with Kafka Streams' own task ids:

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

    def end(self, task: TaskId) -> int:
        """How many records its changelog has."""
        store, processed = self.store(task), self.changelogs.processed
        return 0 if store is None else store.changelog + sum(map(processed, self.read((task,))))
