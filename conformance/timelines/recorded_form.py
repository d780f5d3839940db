"""The form of a recorded run (a `recording.json`): rows, processes, their libraries, partitions, kinds of events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from groupsim.events.types import ProcessId
from groupsim.simulation.clients.config import AIOKAFKA, JAVA, KAFKA_PYTHON, KAFKAJS, LIBRDKAFKA, SARAMA

Record = dict[str, Any]
"""A recorded run, or one row of its `events`, `broker`, `client_log` or `actions`."""
CALLBACKS = ("assigned", "revoked", "lost")
"""Kinds of events with which a rebalance listener begins."""


def member_fields(process: ProcessId) -> Record:
    """`m1.0` as the fields of a row."""
    member, _, incarnation = process.rpartition(".")
    return {"member": member, "incarnation": int(incarnation)}


def process_of(row: Record) -> ProcessId:
    """The process of a row."""
    return f"{row['member']}.{row['incarnation']}"


def partition_name(partition: list[Any]) -> str:
    """`["orders", 0]` as `orders-0`."""
    return f"{partition[0]}-{partition[1]}"


def partition_order(name: str) -> tuple[str, int]:
    """Sorts names of partitions by topic and number."""
    topic, _, number = name.rpartition("-")
    return topic, int(number)


WORDS = (
    ("librdkafka", LIBRDKAFKA),
    ("confluent", LIBRDKAFKA),
    *((library, library) for library in (KAFKA_PYTHON, KAFKAJS, SARAMA, AIOKAFKA)),
)
"""What names a library in a recording; anything else is Java's."""
MODULES = {"kafka": KAFKA_PYTHON}
"""Libraries that go by the name of the module that a program imports."""


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
    return next((library for word, library in WORDS if word in name), MODULES.get(name, JAVA))
