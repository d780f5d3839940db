"""The topics a broker knows (Kafka: CoordinatorMetadataImage), and the hash that tells a group of their changes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from groupsim.events.types import TopicId


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic. A topic that is deleted and created again under its name has another `id`.

    `uuid` is the id as Kafka's assignors see it (the order of a Java HashMap depends on it); None where nobody knows.
    """

    id: TopicId
    name: str
    partitions: int
    uuid: str | None = None


@dataclass(frozen=True, slots=True)
class Topics:
    """All topics by name; `version` grows with every change. Immutable."""

    by_name: Mapping[str, Topic] = field(default_factory=dict)
    version: int = 0

    def named(self, names: Iterable[str]) -> list[Topic]:
        """Those of the names that exist, sorted by name."""
        return [self.by_name[name] for name in sorted(set(names)) if name in self.by_name]

    def with_topic(self, topic: Topic) -> Topics:
        """After a topic was created, or has grown."""
        return Topics({**self.by_name, topic.name: topic}, self.version + 1)

    def without(self, name: str) -> Topics:
        """After a topic was deleted."""
        return Topics({n: topic for n, topic in self.by_name.items() if n != name}, self.version + 1)


NO_HASH = 0
"""The hash of no topic at all."""


def metadata_hash(topics: Iterable[Topic]) -> int:
    """One positive 63-bit number for names, ids and partition counts (Kafka: Utils.computeGroupHash); 0 for no topics.

    Kafka's own numbers are others; only whether two of them are equal matters.
    """
    text = "\n".join(f"{topic.name}\t{topic.id}\t{topic.partitions}" for topic in topics)
    if not text:
        return NO_HASH
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) >> 1
