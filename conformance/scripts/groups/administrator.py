"""What an administrator asks and does in a script: no command of a group, but of the broker around it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from groupsim.conformance.scripts.groups.protocols import FORMS
from groupsim.conformance.scripts.groups.seen import listed, seen
from groupsim.conformance.scripts.groups.topics import ScriptTopics
from groupsim.conformance.scripts.script import Script, Step
from groupsim.coordinator.commands import Load, TopicDeleted, Unload
from groupsim.coordinator.context import Context
from groupsim.coordinator.modern.group_config import altered
from groupsim.coordinator.offsets import GroupOffsets
from groupsim.events.types import GroupId
from groupsim.simulation.group_host import GroupHost

RESTART_MS = 15_000
"""What stopping and starting the recorded broker took at least, in which no time passes in a script."""
Label = Callable[[str], str]
Operation = Callable[[GroupHost, Step, Label], dict[str, Any]]


STREAMS = "streams"
"""The protocol that the list of protocols switches off, describe request and all."""


class Administrator:
    """Operations by name, each giving the answer at once; topics, settings and offsets are kept here."""

    def __init__(self, script: Script, group: GroupId) -> None:
        self._group = group
        self.topics = ScriptTopics(script)
        self.settings: dict[str, int] = {}
        self.offsets = GroupOffsets()
        self._restarting_ms = 0
        self.operations: dict[str, Operation] = {
            "create_topic": self._topic,
            "grow_topic": self._topic,
            "delete_topic": self._topic,
            "topic": self._metadata,
            "describe": self._describe("classic"),
            **{f"{form.kind}_describe": self._describe(form.kind) for form in FORMS.values()},
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

    def _metadata(self, host: GroupHost, step: Step, label: Label) -> dict[str, Any]:
        """Metadata of one topic."""
        topic = self.topics.topics.by_name.get(step["request"]["topic"])
        if topic is None:
            return {"error": "UNKNOWN_TOPIC_OR_PARTITION", "partitions": 0, "internal": False}
        return {"error": "NONE", "partitions": topic.partitions, "internal": False}

    def _describe(self, kind: str) -> Operation:
        """The describe request of one protocol, which knows no group of another."""

        def describe(host: GroupHost, step: Step, label: Label) -> dict[str, Any]:
            protocols = host.group(self._group).configs.coordinator.group_coordinator_rebalance_protocols
            if kind == STREAMS and kind not in protocols:
                return {"error": "UNSUPPORTED_VERSION"}
            if not self._group and kind != "classic":
                return {"error": "INVALID_GROUP_ID"}
            found = seen(host.group(self._group), self.topics.topics, label)
            if found is None or found.pop("type") != kind:
                return {"error": "GROUP_ID_NOT_FOUND"}
            return {"error": "NONE", **found}

        return describe

    def _list(self, host: GroupHost, step: Step, label: Label) -> dict[str, Any]:
        return {"error": "NONE", "group": listed(host.group(self._group))}

    def _group_config(self, host: GroupHost, step: Step, label: Label) -> dict[str, Any]:
        configs = host.group(self._group).configs
        error, self.settings = altered(self.settings, step["request"]["configs"], configs)
        return {"error": error.name}

    def _restart(self, host: GroupHost, step: Step, label: Label) -> dict[str, Any]:
        host.handle(self._group, Unload())
        self._restarting_ms += RESTART_MS
        host.handle(self._group, Load())
        return {}
