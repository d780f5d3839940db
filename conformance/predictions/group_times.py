"""The times of a recorded consumer group (KIP-848), which are the group's and not its members'; age of metadata."""

from __future__ import annotations

from groupsim.conformance.timelines.recording import Recording
from groupsim.simulation.clients.config import CONSUMER

SESSION, HEARTBEAT = "session.timeout.ms", "heartbeat.interval.ms"
ASSIGNMENT_INTERVAL = "group.consumer.assignment.interval.ms"
METADATA_AGE, USUAL_AGE_MS = "metadata.max.age.ms", 300_000
_USUAL = {HEARTBEAT: 1_000, ASSIGNMENT_INTERVAL: 1_000}
"""What nearly all recordings have; others are named in the choice."""


def session_and_heartbeat(recorded: Recording) -> dict[str, int]:
    """Both in ms, whoever they belong to; Kafka's defaults where the recording names none."""
    if recorded.protocol != CONSUMER:
        found = {name: recorded.consumer.get(name) for name in (SESSION, HEARTBEAT)}
        usual = {SESSION: 45_000, HEARTBEAT: 3_000}
    else:
        found = {name: recorded.group_config.get(f"consumer.{name}") for name in (SESSION, HEARTBEAT)}
        usual = {SESSION: 45_000, HEARTBEAT: 5_000}
    return {name: int(usual[name] if value is None else value) for name, value in found.items()}


def group_times(recorded: Recording) -> dict[str, int]:
    """By Kafka's names: the times of a consumer group that are not the usual ones."""
    interval = recorded.broker.get(ASSIGNMENT_INTERVAL, _USUAL[ASSIGNMENT_INTERVAL])
    found = {HEARTBEAT: session_and_heartbeat(recorded)[HEARTBEAT], ASSIGNMENT_INTERVAL: int(interval)}
    return {name: value for name, value in found.items() if value != _USUAL[name]}


def metadata_age(recorded: Recording) -> int:
    """The members' metadata.max.age.ms; Kafka's default where the recording names none."""
    return int(recorded.consumer.get(METADATA_AGE, USUAL_AGE_MS))
