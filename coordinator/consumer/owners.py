"""Which partitions somebody holds: a set changed by small copies (Kafka: ConsumerGroup.currentPartitionEpoch)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from groupsim.events.types import TopicId, TopicPartition


@dataclass(frozen=True, slots=True)
class Owners:
    """Held partitions by topic: byte `n` is 1 if partition `n` is held; the last byte is never 0.

    Bytes and not bits of one number: to look at or to change a bit of a number costs as much as the number is long.
    """

    by_topic: Mapping[TopicId, bytes] = field(default_factory=dict)

    def __contains__(self, partition: object) -> bool:
        """Whether some member holds it, assigned or pending."""
        return isinstance(partition, TopicPartition) and not self.free([partition])

    def free(self, partitions: Iterable[TopicPartition]) -> list[TopicPartition]:
        """Those that nobody holds."""
        held = self.by_topic.get
        return [p for p in partitions if held(p[0], b"")[p[1] : p[1] + 1] != b"\1"]

    def after(self, released: Iterable[TopicPartition], taken: Iterable[TopicPartition]) -> Owners:
        """After some were released, and some taken."""
        changed: dict[TopicId, bytearray] = {}
        for mark, partitions in ((0, released), (1, taken)):
            for topic, number in partitions:
                if topic not in changed:
                    changed[topic] = bytearray(self.by_topic.get(topic, b""))
                held = changed[topic]
                if number >= len(held):
                    held.extend(bytes(number + 1 - len(held)))
                held[number] = mark
        by_topic = {**self.by_topic, **{topic: bytes(held.rstrip(b"\0")) for topic, held in changed.items()}}
        return Owners({topic: held for topic, held in by_topic.items() if held})
