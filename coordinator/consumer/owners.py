"""Which partitions somebody holds: a set changed by small copies (Kafka: ConsumerGroup.currentPartitionEpoch)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from groupsim.events.types import TopicId, TopicPartition


@dataclass(frozen=True, slots=True)
class Owners:
    """Held partitions by topic; bit `n` of a number stands for partition `n`."""

    by_topic: Mapping[TopicId, int] = field(default_factory=dict)

    def __contains__(self, partition: object) -> bool:
        """Whether some member holds it, assigned or pending."""
        if not isinstance(partition, TopicPartition):
            return False
        return bool(self.by_topic.get(partition.topic, 0) >> partition.partition & 1)

    def free(self, partitions: Iterable[TopicPartition]) -> list[TopicPartition]:
        """Those that nobody holds."""
        bits = self.by_topic.get
        return [p for p in partitions if not bits(p[0], 0) >> p[1] & 1]

    def after(self, released: Iterable[TopicPartition], taken: Iterable[TopicPartition]) -> Owners:
        """After some were released, and some taken."""
        by_topic = dict(self.by_topic)
        for topic, number in released:
            left = by_topic[topic] & ~(1 << number)
            if left:
                by_topic[topic] = left
            else:
                del by_topic[topic]
        for topic, number in taken:
            by_topic[topic] = by_topic.get(topic, 0) | 1 << number
        return Owners(by_topic)
