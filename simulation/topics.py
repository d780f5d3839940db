"""Topics: how many partitions, and how far each partition's log reaches at a time."""

from __future__ import annotations

from dataclasses import dataclass

from events.types import TopicPartition


@dataclass(slots=True)
class Topic:
    """`rate` records per second arrive in each partition, evenly, from the start of the run."""

    name: str
    partitions: int
    rate: float = 10.0

    def end_offset(self, at_ms: int) -> int:
        """The offset the next record will get."""
        return int(self.rate * at_ms / 1000)

    def arrival_ms(self, offset: int) -> int | None:
        """When the record of this offset is there; None if none ever comes."""
        if self.rate <= 0:
            return None
        at = int(offset * 1000 / self.rate)
        while self.end_offset(at) <= offset:
            at += 1
        return at

    def all(self) -> tuple[TopicPartition, ...]:
        """Its partitions."""
        return tuple(TopicPartition(self.name, p) for p in range(self.partitions))


class Topics(dict[str, Topic]):
    """All topics of a world by name."""

    def end_offset(self, partition: TopicPartition, at_ms: int) -> int:
        """How far a partition's log reaches."""
        return self[partition.topic].end_offset(at_ms)
