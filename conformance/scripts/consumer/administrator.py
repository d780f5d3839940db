"""What an administrator asks and does in a script: no command of a group, but of the broker around it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from groupsim.conformance.scripts.consumer.seen import described, described_classic
from groupsim.conformance.scripts.consumer.topics import ScriptTopics
from groupsim.conformance.scripts.script import Script, Step
from groupsim.coordinator.commands import Load, TopicDeleted, Unload
from groupsim.coordinator.consumer.describe import describe
from groupsim.coordinator.consumer.group_config import altered
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.context import Context
from groupsim.coordinator.machine import AnyGroup
from groupsim.coordinator.offsets import GroupOffsets
from groupsim.events.types import GroupId
from groupsim.simulation.group_host import GroupHost

RESTART_MS = 15_000
"""What stopping and starting the recorded broker took at least, in which no time passes in a script."""
Label = Callable[[str], str]


class Administrator:
    """Operations by name, each giving the answer at once; topics, settings and offsets are kept here."""

    def __init__(self, script: Script, group: GroupId) -> None:
        self._group = group
        self.topics = ScriptTopics(script)
        self.settings: dict[str, int] = {}
        self.offsets = GroupOffsets()
        self._restarting_ms = 0
        self.operations: dict[str, Callable[[GroupHost, Step, Label], dict[str, Any]]] = {
            "create_topic": self._topic,
            "grow_topic": self._topic,
            "delete_topic": self._topic,
            "consumer_describe": self._consumer_describe,
            "describe": self._describe,
            "list": self._list,
            "restart": self._restart,
            "group_config": self._group_config,
        }

    def context(self, at_ms: int) -> Context:
        """What a decision at this moment may look at."""
        return Context(at_ms + self._restarting_ms, self.topics.topics, self.settings, self.offsets)

    def _topic(self, host: GroupHost, step: Step, label: Label) -> dict[str, Any]:
        self.topics.change(step)
        if step["op"] == "delete_topic" and step["request"]["topic"] not in self.topics.topics.by_name:
            host.handle(self._group, TopicDeleted(topic=step["request"]["topic"]))
        return {"error": (step.get("response") or {}).get("error", "NONE")}

    def _consumer_describe(self, host: GroupHost, step: Step, label: Label) -> dict[str, Any]:
        group = host.group(self._group)
        if not self._group:
            return {"error": "INVALID_GROUP_ID"}
        if not isinstance(group, ConsumerGroup):
            return {"error": "GROUP_ID_NOT_FOUND"}
        return {"error": "NONE", **described(describe(group, self.topics.topics), label)}

    def _describe(self, host: GroupHost, step: Step, label: Label) -> dict[str, Any]:
        group = host.group(self._group)
        if isinstance(group, ConsumerGroup) or not group.exists:
            return {"error": "GROUP_ID_NOT_FOUND"}
        return {"error": "NONE", **described_classic(group, label)}

    def _list(self, host: GroupHost, step: Step, label: Label) -> dict[str, Any]:
        return {"error": "NONE", "group": _listed(host.group(self._group))}

    def _group_config(self, host: GroupHost, step: Step, label: Label) -> dict[str, Any]:
        config = host.group(self._group).configs.consumer
        error, self.settings = altered(self.settings, step["request"]["configs"], config)
        return {"error": error.name}

    def _restart(self, host: GroupHost, step: Step, label: Label) -> dict[str, Any]:
        host.handle(self._group, Unload())
        self._restarting_ms += RESTART_MS
        host.handle(self._group, Load())
        return {}


def _listed(group: AnyGroup) -> dict[str, Any] | None:
    """A group's row of ListGroups v5."""
    if isinstance(group, ConsumerGroup):
        return {"protocol_type": "consumer", "state": group.phase.value, "type": "consumer"}
    if not group.exists:
        return None
    return {"protocol_type": group.protocol_type or "", "state": group.phase.value, "type": "classic"}
