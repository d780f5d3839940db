"""Connect's workers in facts: how their connectors are called, and the delay that their leader sends along."""

from __future__ import annotations

import re
from collections.abc import Iterable

from groupsim.events.classic import AssignmentStored
from groupsim.events.types import TopicPartition

PROTOCOL_TYPE = "connect"
"""That of the group of a Connect cluster (Kafka: WorkerCoordinator.protocolType)."""
DELAY = "scheduled.rebalance.max.delay.ms"
CONNECTOR = "connector:"
"""The topic that stands for a connector's own instance begins with it: no name of Kafka's has a colon."""
CONFIGURED = "connectors or tasks have changed"
"""Why a worker joins again that has read the config topic (Kafka: DistributedHerder.ConfigUpdateListener)."""
STOPPED_ALONE = "what ran was stopped while no coordinator was found"
"""Why one joins again that stopped its work by itself (Kafka: WorkerCoordinator.poll)."""
_DELAY = re.compile(r"delay=([0-9]{1,18})")


def connector_unit(name: str) -> TopicPartition:
    """What stands for a connector's own instance."""
    return TopicPartition(CONNECTOR + name, 0)


def connectors_and_tasks(units: Iterable[TopicPartition]) -> tuple[list[str], list[TopicPartition]]:
    """The names of the connectors whose own instances are among them, and the tasks."""
    connectors, tasks = [], []
    for unit in units:
        if unit.topic.startswith(CONNECTOR):
            connectors.append(unit.topic.removeprefix(CONNECTOR))
        else:
            tasks.append(unit)
    return connectors, tasks


def delay_text(delay_ms: int) -> str:
    """As it stands in `AssignmentStored.user_data` of each worker."""
    return f"delay={delay_ms}"


def delay_in(text: str | None) -> int:
    """Milliseconds after which the workers are to rejoin (Kafka: ExtendedAssignment.delay); 0: they need not."""
    said = None if text is None else _DELAY.fullmatch(text)
    return 0 if said is None else int(said[1])


def delay_of(event: AssignmentStored) -> int:
    """The delay that this assignment begins or goes on with (ms), 0 without one."""
    if event.protocol_type != PROTOCOL_TYPE:
        return 0
    return max((delay_in(text) for text in event.user_data.values()), default=0)
