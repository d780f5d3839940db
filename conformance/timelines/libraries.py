"""The client libraries of a recorded run: one for all its processes, or one for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from groupsim.conformance.timelines.recorded_form import process_of
from groupsim.events.types import ProcessId
from groupsim.simulation.clients.config import JAVA, KAFKA_PYTHON, LIBRDKAFKA

WORDS = (("librdkafka", LIBRDKAFKA), ("confluent", LIBRDKAFKA), ("kafka-python", KAFKA_PYTHON))
"""What names a library in a recording; anything else is Java's."""


@dataclass(frozen=True, slots=True)
class Libraries:
    """`usual` is that of the processes which `named` has not."""

    usual: str = JAVA
    named: Mapping[ProcessId, str] = field(default_factory=dict)

    def of(self, process: ProcessId) -> str:
        """The library of a process."""
        return self.named.get(process, self.usual)


def libraries(config: Mapping[str, Any], actions: list[dict[str, Any]]) -> Libraries:
    """As `config.library_of_process`, start actions and `config.client_library` name them; the first wins."""
    named = {
        process_of(action): library(str(action["options"]["lib"]))
        for action in actions
        if action["action"] == "start" and "lib" in (action.get("options") or {}) and "incarnation" in action
    }
    named |= {process: library(str(name)) for process, name in (config.get("library_of_process") or {}).items()}
    return Libraries(library(str(config.get("client_library", ""))), named)


def library(name: str) -> str:
    """The library that a text names."""
    return next((library for word, library in WORDS if word in name), JAVA)
