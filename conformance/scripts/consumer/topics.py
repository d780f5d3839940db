"""The topics of a script, as they are created, grow and are deleted; a topic is identified by its id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from groupsim.conformance.scripts.script import Script, Step
from groupsim.coordinator.topics import Topic, Topics
from groupsim.events.types import Partitions, TopicPartition

EVERYWHERE = {"t1": 4, "t2": 3, "t3": 6}
"""Name -> partitions of the topics every broker configuration has."""


class ScriptTopics:
    """The broker's topics at one moment of a script."""

    def __init__(self, script: Script) -> None:
        self.topics = Topics()
        self._created: dict[str, int] = {}
        self._uuids: dict[str, str] = script.get("topic_ids", {})
        for name, partitions in {**EVERYWHERE, **script.get("topics", {})}.items():
            self._create(name, partitions)

    def others_create(self) -> None:
        """Many scripts were played at once on one broker: another one's topics appear all the time."""
        version = self.topics.version + 1
        self.topics = replace(self.topics, version=version, created=version)

    def change(self, step: Step) -> None:
        """Do what the step's administrator does; nothing if the recording says that it failed."""
        name = step["request"]["topic"]
        if (step.get("response") or {}).get("error", "NONE") != "NONE":
            return
        match step["op"]:
            case "create_topic":
                self._create(name, step["request"]["partitions"])
            case "grow_topic":
                topic = self.topics.by_name[name]
                self.topics = self.topics.with_topic(replace(topic, partitions=step["request"]["partitions"]))
            case "delete_topic":
                self.topics = self.topics.without(name)

    def _create(self, name: str, partitions: int) -> None:
        count = self._created[name] = self._created.get(name, 0) + 1
        topic_id = name if count == 1 else f"{name}#{count}"
        uuid = self._uuids.get(name) if count == 1 else None
        self.topics = self.topics.with_topic(Topic(topic_id, name, partitions, uuid))


def partitions_of(listed: Mapping[str, Iterable[int]]) -> Partitions:
    """`{"t1": [0, 1]}` as partitions."""
    return tuple(sorted(TopicPartition(topic, number) for topic, numbers in listed.items() for number in numbers))


def by_topic_name(partitions: Iterable[TopicPartition]) -> dict[str, list[int]]:
    """Partitions as `{"t1": [0, 1]}`."""
    found: dict[str, list[int]] = {}
    for topic, number in sorted(partitions):
        found.setdefault(topic, []).append(number)
    return found
