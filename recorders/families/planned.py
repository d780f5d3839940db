"""One run of a family under one choice: what its processes get, and what its recording says of it beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from groupsim.conformance.timelines.recorded_form import Record
from groupsim.conformance.timelines.recording import APPEND_LINGER, INITIAL_DELAY
from groupsim.simulation.clients.config import CLASSIC, CONSUMER
from recorders.broker import fetch
from recorders.families.family import Family, RecordedChoice, topics_of
from recorders.timelines import programs
from recorders.timelines.real_clients import java_member
from recorders.timelines.real_group import COMMANDS
from recorders.timelines.recorder import LIBRARIES
from recorders.timelines.scenarios import JAVA, RDKAFKA, Action

LINGER_MS = -1
"""Kafka 4.4's own default."""
OFFSETS_PARTITIONS = 1
LOGGED = {RDKAFKA: {"debug": "cgrp"}, programs.AIOKAFKA: {"logs": "true"}}
"""By library: what makes a program write its library's log to its standard error."""


@dataclass(frozen=True, slots=True)
class FamilyRun:
    """One repetition of a family under a choice. Its topics are its own: a topic may grow.

    `tells_taken`: its members tell of each record when it came and when they took it; they leave none out, as they
    would where a partition without a commit begins with the latest.
    """

    family: Family
    choice: RecordedChoice
    repetition: int
    tells_taken: bool = False

    @property
    def id(self) -> str:
        """`<story>__<choice>__d<initial delay in s>-<family>__r<repetition>`."""
        delay_s = self.family.delay_ms // 1000
        return f"{self.family.story}__{self.choice.name}__d{delay_s}-{self.family.name}__r{self.repetition}"

    @property
    def group(self) -> str:
        """The group's name."""
        return self.id.lower().replace("__", ".")

    @property
    def end_ms(self) -> int:
        """The family's."""
        return self.family.end_ms

    @property
    def topics(self) -> dict[str, int]:
        """Partitions at the start, by the names that the topics have in this run."""
        return {self._own(topic): count for topic, count in self.family.topics.items()}

    def _own(self, topic: str) -> str:
        return f"{topic}-{self.family.name}-{self.choice.name}-r{self.repetition}"

    @property
    def actions(self) -> Sequence[Action]:
        """The family's, with the run's own topics."""
        return [(at, action, member, self._renamed(more)) for at, action, member, more in self.family.actions]

    def _renamed(self, more: dict[str, Any]) -> dict[str, Any]:
        if "topic" in more:
            return {**more, "topic": self._own(more["topic"])}
        return {**more, "topics": list(map(self._own, more["topics"]))} if "topics" in more else more

    @property
    def first_fault(self) -> int:
        """The index of the first action after the founding."""
        return self.family.founders

    @property
    def _times(self) -> dict[str, int]:
        return {
            "session.timeout.ms": self.choice.session_ms or self.family.session_ms,
            "heartbeat.interval.ms": self.choice.heartbeat_ms or self.family.heartbeat_ms,
        }

    @property
    def group_config(self) -> dict[str, int]:
        """What is set for the group and not by its members: of the consumer protocol alone."""
        if self.choice.protocol == CLASSIC:
            return {}
        return {f"consumer.{name}": value for name, value in self._times.items()}

    @property
    def _assigning(self) -> dict[str, str]:
        if self.choice.protocol == CLASSIC:
            return {"partition.assignment.strategy": self.choice.assignor}
        return {"group.protocol": CONSUMER, "group.remote.assignor": self.choice.assignor}

    @property
    def consumer(self) -> dict[str, Any]:
        """The settings that all members have in common."""
        family = self.family
        age = {} if family.metadata_age_ms is None else {"metadata.max.age.ms": family.metadata_age_ms}
        return {
            **({} if self.group_config else self._times),
            "max.poll.interval.ms": family.max_poll_ms,
            "auto.offset.reset": "earliest" if self.tells_taken else "latest",
            "enable.auto.commit": not family.commits,
            **age,
        }

    def command(self, label: str, bootstrap: str) -> list[str]:
        """Of one member's process."""
        program = self.program(label)
        given = {
            "bootstrap.servers": bootstrap,
            "group.id": self.group,
            "client.id": label,
            "topics": ",".join(program.get("topics", self.topics)),
            **self._assigning,
            **{key: str(value).lower() for key, value in self.consumer.items()},
        }
        if "instance" in program:
            given["group.instance.id"] = program["instance"]
        if self.family.library != JAVA:
            return COMMANDS[self.family.library](given | LOGGED[self.family.library])
        does = {
            "process.ms": str(program.get("proc", 0)),
            "callback.ms": str(program.get("cb", 0)),
            "callback.commit": str(self.family.commits_revoked).lower(),
            "took": str(self.tells_taken).lower(),
        }
        return java_member(given | does, logs=True)

    def program(self, label: str) -> dict[str, Any]:
        """What one member's program does, as `config.per_member` has it."""
        family = self.family
        does: dict[str, Any] = {}
        if self.choice.static:
            does["instance"] = f"i{label[1:]}"
        for key, by_member in (("cb", family.callback_ms), ("proc", family.process_ms)):
            if ms := by_member.get(label, by_member.get("", 0)):
                does[key] = ms
        if label in family.subscribed:
            does["topics"] = list(map(self._own, topics_of(family.subscribed[label])))
        return does

    def head(self) -> Record:
        """What a recording says of the run before it began."""
        family = self.family
        config = {
            "partitions": self.topics,
            "members_started": len(family.members),
            "client_library": LIBRARIES[family.library] + (f" {fetch.VERSION}" if family.library == JAVA else ""),
            "group.protocol": self.choice.protocol,
            INITIAL_DELAY: family.delay_ms,
            APPEND_LINGER: LINGER_MS,
            "offsets.topic.num.partitions": OFFSETS_PARTITIONS,
            **self._assigning,
            **({"group_config": self.group_config} if self.group_config else {}),
            "poll_timeout_ms": 100,
            "records_per_partition_per_s": 1000 / family.every_ms,
            "per_member": {label: program for label in family.members if (program := self.program(label))},
            **self.consumer,
            **({"commit_in_revoked_callback": True} if family.commits_revoked else {}),
            "group_id": self.group,
            "choice": self.choice.name,
            "family": family.name,
        }
        return {
            "id": self.id,
            "scenario": family.story,
            "assignor": self.choice.assignor,
            "protocol": self.choice.protocol,
            "repetition": self.repetition,
            "kafka_version": f"{fetch.VERSION} (release), KRaft, one broker",
            "config": config,
            "run_end_ms": family.end_ms,
            "members": list(family.members),
        }


def runs(family: Family, repetitions: int, tells_taken: bool = False) -> list[FamilyRun]:
    """All runs of a family, one repetition of all choices after the other."""
    numbers = range(1, repetitions + 1)
    return [FamilyRun(family, choice, n, tells_taken) for n in numbers for choice in family.named_choices]
