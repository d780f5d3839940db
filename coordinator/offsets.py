"""The offsets of one group as its broker keeps them, and the facts that change them (Kafka: OffsetMetadataManager)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from groupsim.events.base import Event
from groupsim.events.group import CommitAccepted, OffsetsDeleted
from groupsim.events.types import Offsets, Partitions, TopicPartition


@dataclass(slots=True, eq=False)
class GroupOffsets:
    """`committed`: the next offset to read by partition; topics by name.

    `open`: partitions with an offset in a transaction that has not ended. Nobody reads it before the end, but it is
    deleted with the others.
    """

    committed: dict[TopicPartition, int] = field(default_factory=dict)
    open: set[TopicPartition] = field(default_factory=set)

    def apply(self, event: Event) -> None:
        """Take in one more fact of the group; other facts pass by."""
        match event:
            case CommitAccepted(transactional=True):
                self.open.update(TopicPartition(topic, number) for topic, number, _ in event.offsets)
            case CommitAccepted():
                self.committed.update(
                    (TopicPartition(topic, number), offset) for topic, number, offset in event.offsets
                )
            case OffsetsDeleted():
                for partition in event.partitions:
                    self.committed.pop(partition, None)
                    self.open.discard(partition)

    def fetch(self, partitions: Iterable[TopicPartition]) -> Offsets:
        """The committed offsets of these partitions, sorted; a partition without one is left out."""
        return tuple((p.topic, p.partition, self.committed[p]) for p in sorted(partitions) if p in self.committed)

    def kept(self) -> Partitions:
        """Every partition that has an offset, committed or not, sorted."""
        return tuple(sorted({*self.committed, *self.open}))


NO_OFFSETS = GroupOffsets()
"""For a host that keeps none; nothing is applied to it."""
