"""The topics of a script, as they are created, grow and are deleted; a topic is identified by its id.

Kafka's assignors choose by ids. A recording says in which of its runs a script was played (`run`); `index.json` beside
its files has the ids of each.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from groupsim.conformance.scripts.configs import brokers_of
from groupsim.conformance.scripts.script import BadScript, Script, Step
from groupsim.coordinator.topics import Topic, Topics
from groupsim.events.streams import InternalTopic, Pairs
from groupsim.events.types import Partitions, TopicPartition

CLEANUP, POLICIES = "cleanup.policy", ("compact", "delete")
"""The only configuration of a topic that is checked here."""


class ScriptTopics:
    """The broker's topics at one moment of a script."""

    def __init__(self, script: Script) -> None:
        self.topics = Topics()
        self._created: dict[str, int] = {}
        self._uuids: dict[str, str] = script.get("topic_ids", {})
        for name, partitions in {**brokers_of(script).topics, **script.get("topics", {})}.items():
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

    def make(self, topics: Iterable[InternalTopic]) -> Pairs:
        """The broker makes internal topics; the names of those that it can't make, each with its reason."""
        refused = []
        for topic in topics:
            reason = _unmakeable(topic)
            if reason is not None:
                refused.append((topic.name, reason))
            elif topic.name not in self.topics.by_name:
                self._create(topic.name, topic.partitions)
        return tuple(refused)

    def _create(self, name: str, partitions: int) -> None:
        count = self._created[name] = self._created.get(name, 0) + 1
        topic_id = name if count == 1 else f"{name}#{count}"
        uuid = self._uuids.get(name) if count == 1 else None
        self.topics = self.topics.with_topic(Topic(topic_id, name, partitions, uuid))


def _unmakeable(topic: InternalTopic) -> str | None:
    """Why the recorded broker, the only one of its cluster, can't make a topic."""
    if topic.replication > 1:
        return (
            f"Unable to replicate the partition {topic.replication} time(s): The target replication factor of"
            f" {topic.replication} cannot be reached because only 1 broker(s) are registered or some brokers have all"
            " their log directories cordoned."
        )
    policy = dict(topic.configs).get(CLEANUP, POLICIES[0])
    if all(part.strip() in POLICIES for part in policy.split(",")):
        return None
    return f"Invalid value {policy} for configuration {CLEANUP}: String must be one of: {', '.join(POLICIES)}"


def partitions_of(listed: Mapping[str, Iterable[int]]) -> Partitions:
    """`{"t1": [0, 1]}` as partitions."""
    return tuple(sorted(TopicPartition(topic, number) for topic, numbers in listed.items() for number in numbers))


def by_topic_name(partitions: Iterable[TopicPartition]) -> dict[str, list[int]]:
    """Partitions as `{"t1": [0, 1]}`."""
    numbers: dict[str, list[int]] = {}
    for topic, number in sorted(partitions):
        numbers.setdefault(topic, []).append(number)
    return numbers


INDEX = "index.json"
TopicIds = Mapping[str, Mapping[str, Mapping[str, str]]]
"""Run -> configuration -> name of a topic -> its id."""


def beside(file: Path) -> TopicIds:
    """The ids in the index beside a file of scripts; none where there is no index. Raises BadScript."""
    index = file.parent / INDEX
    if not index.is_file():
        return {}
    try:
        content = json.loads(index.read_text())
        ids: TopicIds = content.get("topic_ids", {})
        return {run: {config: dict(named) for config, named in of_run.items()} for run, of_run in ids.items()}
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise BadScript(f"{index}: not an index of recordings ({error})") from None


def with_topic_ids(script: Script, known: TopicIds) -> Script:
    """The script with `topic_ids`, the ids it was recorded with; as it is where they are unknown."""
    ids: Any = known.get(str(script.get("run")), {}).get(str(script.get("config")))
    return {**script, "topic_ids": ids} if ids else script
