"""The topics a broker knows (Kafka: CoordinatorMetadataImage), and the hash that tells a group of their changes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from groupsim.events.types import Partitions, TopicId, TopicPartition


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic. A topic that is deleted and created again under its name has another `id`.

    `uuid` is the id as Kafka's assignors see it (the order of a Java HashMap depends on it); None where nobody knows.
    `racks` are those of each partition's replicas, empty where brokers have none; no server-side assignor
    looks at them.
    """

    id: TopicId
    name: str
    partitions: int
    uuid: str | None = None
    racks: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Topics:
    """All topics by name; `version` grows with every change. Immutable.

    `created` is the version at which a topic was created last; `changed` has the version of the last change by name,
    also of topics that are gone.
    """

    by_name: Mapping[str, Topic] = field(default_factory=dict)
    version: int = 0
    created: int = 0
    changed: Mapping[str, int] = field(default_factory=dict)
    _ids: dict[tuple[str, ...], frozenset[TopicId]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def named(self, names: Iterable[str]) -> list[Topic]:
        """Those of the names that exist, sorted by name."""
        return [self.by_name[name] for name in sorted(set(names)) if name in self.by_name]

    def ids(self, names: tuple[str, ...]) -> frozenset[TopicId]:
        """The ids of those of the names that exist. Kept, because nearly all members ask for the same names."""
        ids = self._ids.get(names)
        if ids is None:
            known = self.by_name
            ids = self._ids[names] = frozenset([known[name].id for name in names if name in known])
        return ids

    def ids_of(self, partitions: Partitions) -> Partitions:
        """Partitions whose topics are named, by topic id instead, sorted; only those of topics that exist."""
        known = ((self.by_name[name].id, number) for name, number in partitions if name in self.by_name)
        return tuple(sorted(TopicPartition(*by_id) for by_id in known))

    def names_of(self, partitions: Partitions) -> Partitions:
        """Partitions whose topics stand by id, by name instead, sorted; only those of topics that exist."""
        names = {topic.id: topic.name for topic in self.by_name.values()}
        return tuple(sorted(TopicPartition(names[p.topic], p.partition) for p in partitions if p.topic in names))

    def with_topic(self, topic: Topic) -> Topics:
        """After a topic was created, or has grown."""
        known, version = self.by_name.get(topic.name), self.version + 1
        grown = known is not None and known.id == topic.id
        by_name, changed = {**self.by_name, topic.name: topic}, {**self.changed, topic.name: version}
        return Topics(by_name, version, self.created if grown else version, changed)

    def without(self, name: str) -> Topics:
        """After a topic was deleted."""
        kept, version = {n: topic for n, topic in self.by_name.items() if n != name}, self.version + 1
        return Topics(kept, version, self.created, {**self.changed, name: version})

    def changed_since(self, version: int, names: Iterable[str]) -> bool:
        """Whether one of these topics was created, has grown or was deleted after this version."""
        return any(self.changed.get(name, 0) > version for name in names)


NO_HASH = 0
"""The hash of no topic at all."""


def metadata_hash(topics: Iterable[Topic], *, racks: bool = True) -> int:
    """One positive 63-bit number for names, ids, partition counts and, if `racks`, the racks; 0 for no topics.

    Kafka: Utils.computeGroupHash. Kafka's own numbers are others; only whether two of them are equal matters.
    """
    rows = [f"{topic.name}\t{topic.id}\t{topic.partitions}{_racks(topic) if racks else ''}" for topic in topics]
    if not rows:
        return NO_HASH
    text = "\n".join(rows)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) >> 1


def _racks(topic: Topic) -> str:
    """The racks of each partition, in one order."""
    return "".join(f"\t{','.join(sorted(racks))}" for racks in topic.racks)
