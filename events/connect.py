"""Connect's workers in facts: how their connectors are called, and the delay that their leader sends along."""

from __future__ import annotations

from groupsim.events.classic import AssignmentStored

PROTOCOL_TYPE = "connect"
"""That of the group of a Connect cluster (Kafka: WorkerCoordinator.protocolType)."""
CONNECTOR = "connector:"
"""The topic that stands for a connector's own instance begins with it: no name of Kafka's has a colon."""
_DELAY = "delay="


def delay_text(delay_ms: int) -> str:
    """As it stands in `AssignmentStored.user_data` of each worker."""
    return f"{_DELAY}{delay_ms}"


def delay_in(text: str | None) -> int:
    """Milliseconds after which the workers are to rejoin (Kafka: ExtendedAssignment.delay); 0: they need not."""
    return int(text.removeprefix(_DELAY)) if text is not None and text.startswith(_DELAY) else 0


def delay_of(event: AssignmentStored) -> int:
    """The delay that this assignment begins or goes on with (ms), 0 without one."""
    if event.protocol_type != PROTOCOL_TYPE:
        return 0
    return max((delay_in(text) for text in event.user_data.values()), default=0)
