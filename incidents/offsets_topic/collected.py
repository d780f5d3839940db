"""The records of some groups, put together from all files of a topic: each once, in the order of their offsets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set
from dataclasses import dataclass, field
from typing import NamedTuple

from groupsim.events.types import GroupId, TopicPartition
from groupsim.incidents.errors import LogError
from groupsim.incidents.offsets_topic.record import LATEST_MS, GroupRecord

MOST_RECORDS = 2_000_000
"""The most records of the chosen groups that are held in memory, about 300 bytes each if they are commits."""


class Commit(NamedTuple):
    """One committed offset; None: it was deleted."""

    offset: int
    batch: int
    at_ms: int
    partition: TopicPartition
    committed: int | None
    place: str


@dataclass(slots=True)
class GroupLog:
    """Records of one group that say something about its members, and its commits, each by offset."""

    records: dict[int, GroupRecord] = field(default_factory=dict)
    commits: dict[int, Commit] = field(default_factory=dict)


class Collected:
    """Takes records in any order; `groups` has those of the groups wanted (all, if none is named).

    `topic_names` are names by topic id as the records taken have them, `last_ms` is the newest instant of all. Records
    after `until_ms` are passed by.
    """

    def __init__(self, wanted: Set[GroupId] = frozenset(), until_ms: int | None = None) -> None:
        self.groups: dict[GroupId, GroupLog] = defaultdict(GroupLog)
        self.topic_names: dict[str, str] = {}
        self.last_ms: int | None = None
        self._wanted = wanted
        self._until_ms = until_ms
        self._held = 0

    def add(self, record: GroupRecord) -> None:
        """Take one record. Raises LogError if there are more than can be held."""
        if not 0 <= record.at_ms <= LATEST_MS or (self._until_ms is not None and record.at_ms > self._until_ms):
            return
        group = record.key.get("group", record.key.get("groupId"))
        if not isinstance(group, str):
            return
        self._learn_names(record)
        if self._wanted and group not in self._wanted:
            return
        self.last_ms = record.at_ms if self.last_ms is None else max(self.last_ms, record.at_ms)
        if record.kind != "OffsetCommit":
            self.groups[group].records.setdefault(record.offset, record)
        elif (commit := _commit(record)) is not None:
            self.groups[group].commits.setdefault(record.offset, commit)
        self._held += 1
        if self._held > MOST_RECORDS:
            raise LogError(
                f"{record.place}: more than {MOST_RECORDS:,} records of the topic, the most that one import can hold;"
                " choose groups with --group, or a period with --since and --until"
            )

    def _learn_names(self, record: GroupRecord) -> None:
        """Commits name a topic and its id since Kafka 4.1; before that the group's partition metadata did."""
        value = record.value or {}
        if record.kind == "OffsetCommit":
            topic, known = record.key.get("topic"), value.get("topicId")
            if isinstance(topic, str) and isinstance(known, str):
                self.topic_names.setdefault(known, topic)
        elif record.kind == "ConsumerGroupPartitionMetadata":
            topics = value.get("topics")
            for each in topics if isinstance(topics, list) else ():
                self.topic_names.setdefault(str(each.get("topicId")), str(each.get("topicName")))


def _commit(record: GroupRecord) -> Commit | None:
    topic, number = record.key.get("topic"), record.key.get("partition")
    committed = None if record.value is None else record.value.get("offset")
    if not isinstance(topic, str) or not isinstance(number, int) or not isinstance(committed, int | None):
        return None
    where = TopicPartition(topic, number)
    return Commit(record.offset, record.batch, record.at_ms, where, committed, record.place)
