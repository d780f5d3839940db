"""Topics: how many partitions, and how far each partition's log reaches at a time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from random import Random
from typing import Protocol

from groupsim.coordinator import topics as image
from groupsim.events.types import TopicPartition
from groupsim.simulation.rng import Rng


class Arrivals(Protocol):
    """When the records of a topic's partitions arrive."""

    def end_offset(self, partition: int, at_ms: int) -> int:
        """The offset the next record of this partition will get."""
        ...

    def arrival_ms(self, partition: int, offset: int) -> int | None:
        """When the record of this offset is there; None if none ever comes."""
        ...


@dataclass(frozen=True, slots=True)
class Constant:
    """`rate` records per second and partition, evenly, from the start of the run."""

    rate: float

    def end_offset(self, partition: int, at_ms: int) -> int:
        """See Arrivals."""
        return int(self.rate * at_ms / 1000)

    def arrival_ms(self, partition: int, offset: int) -> int | None:
        """See Arrivals."""
        if self.rate <= 0:
            return None
        at = max(int((offset + 1) * 1000 / self.rate) - 1, 0)  # floats: the last millisecond is sought by hand
        while self.end_offset(partition, at) <= offset:
            at += 1
        return at


@dataclass(slots=True)
class Poisson:
    """On average `rate` records per second and partition, at independent random instants."""

    rate: float
    rng: Rng
    topic: str
    _times: dict[int, list[int]] = field(default_factory=dict)
    _clocks: dict[int, float] = field(default_factory=dict)

    def end_offset(self, partition: int, at_ms: int) -> int:
        """See Arrivals."""
        self._reach(partition, at_ms=at_ms)
        return bisect_right(self._times[partition], at_ms)

    def arrival_ms(self, partition: int, offset: int) -> int | None:
        """See Arrivals."""
        if self.rate <= 0:
            return None
        self._reach(partition, count=offset + 1)
        return self._times[partition][offset]

    def _reach(self, partition: int, at_ms: int = 0, count: int = 0) -> None:
        times = self._times.setdefault(partition, [])
        chance: Random = self.rng.stream(f"arrivals/{self.topic}/{partition}")
        while self.rate > 0 and (len(times) < count or not times or times[-1] <= at_ms):
            self._clocks[partition] = self._clocks.get(partition, 0.0) + chance.expovariate(self.rate / 1000)
            times.append(int(self._clocks[partition]) + 1)


@dataclass(frozen=True, slots=True)
class Recorded:
    """Records at recorded instants: sorted milliseconds by partition."""

    times: Mapping[int, Sequence[int]]

    def end_offset(self, partition: int, at_ms: int) -> int:
        """See Arrivals."""
        return bisect_right(self.times.get(partition, ()), at_ms)

    def arrival_ms(self, partition: int, offset: int) -> int | None:
        """See Arrivals."""
        times = self.times.get(partition, ())
        return times[offset] if offset < len(times) else None


@dataclass(frozen=True, slots=True)
class Backlog:
    """So many records of each partition are there at the start of the run; then others arrive."""

    records: int
    then: Arrivals

    def end_offset(self, partition: int, at_ms: int) -> int:
        """See Arrivals."""
        return self.records + self.then.end_offset(partition, at_ms)

    def arrival_ms(self, partition: int, offset: int) -> int | None:
        """See Arrivals."""
        return 0 if offset < self.records else self.then.arrival_ms(partition, offset - self.records)


@dataclass(slots=True)
class Topic:
    """A topic; the offsets of its partitions count from 0 at the start of the run.

    `racks` are those of the replicas of partition 0, 1, …, and again from the first.
    """

    name: str
    partitions: int
    arrivals: Arrivals
    racks: tuple[tuple[str, ...], ...] = ()

    def replica_racks(self) -> tuple[tuple[str, ...], ...]:
        """The racks of each partition's replicas; none where brokers have no racks."""
        return tuple(islice(cycle(self.racks), self.partitions)) if self.racks else ()

    def all(self) -> tuple[TopicPartition, ...]:
        """Its partitions."""
        return tuple(TopicPartition(self.name, p) for p in range(self.partitions))


class Topics(dict[str, Topic]):
    """All topics of a world by name; `image` is what the coordinator knows of them. A topic's id is its name.

    Clients see a change at once, in the metadata; the coordinator once it is published.
    """

    def __init__(self) -> None:
        super().__init__()
        self.image = image.Topics()

    def publish(self, topic: Topic) -> None:
        """The coordinator learns of a topic that is new, or has grown."""
        self.image = self.image.with_topic(
            image.Topic(topic.name, topic.name, topic.partitions, racks=topic.replica_racks())
        )

    def end_offset(self, partition: TopicPartition, at_ms: int) -> int:
        """How far a partition's log reaches."""
        return self[partition.topic].arrivals.end_offset(partition.partition, at_ms)

    def end_offsets(self, partitions: Iterable[TopicPartition], at_ms: int) -> Iterator[tuple[TopicPartition, int]]:
        """The same of many partitions."""
        even = {name: self[name].arrivals.end_offset(0, at_ms) for name in self._even()}
        for partition in partitions:
            end = even.get(partition.topic)
            yield partition, self.end_offset(partition, at_ms) if end is None else end

    def next_arrival_ms(self, partitions: Iterable[TopicPartition], at_ms: int) -> int | None:
        """When the first record arrives in one of these partitions after this instant; None if none ever does."""
        even = self._even()
        different = {p.topic if p.topic in even else p: p for p in partitions}
        coming = (self.arrival_ms(p, self.end_offset(p, at_ms)) for p in different.values())
        return min((at for at in coming if at is not None), default=None)

    def _even(self) -> set[str]:
        """The topics whose partitions all get their records at the same instants: one is looked at for all."""
        return {name for name, topic in self.items() if isinstance(topic.arrivals, Constant)}

    def arrival_ms(self, partition: TopicPartition, offset: int) -> int | None:
        """When the record of this offset is there; None if none ever comes."""
        return self[partition.topic].arrivals.arrival_ms(partition.partition, offset)

    def counts(self) -> dict[str, int]:
        """Partition counts by topic: what metadata tells."""
        return {name: topic.partitions for name, topic in self.items()}
