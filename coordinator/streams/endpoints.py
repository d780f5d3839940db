"""Which member can be asked for which partitions (`application.server`; Kafka: EndpointToPartitionsManager)."""

from __future__ import annotations

from collections.abc import Iterable

from groupsim.coordinator.decision import RequestRefused
from groupsim.coordinator.outcome import Error
from groupsim.coordinator.streams.commands import Route
from groupsim.coordinator.streams.state import StreamsGroup
from groupsim.coordinator.topics import Topics
from groupsim.events.types import Partitions, TopicPartition


def routes(group: StreamsGroup, topics: Topics) -> tuple[Route, ...]:
    """A row for each member with an endpoint, sorted.

    Defect `endpoint-without-topics`: while a source topic is missing there are no subtopologies to look at, and Kafka
    throws. Raises RequestRefused (UNKNOWN_SERVER_ERROR).
    """
    listed = [member for member in group.members.values() if member.endpoint is not None]
    if listed and (group.configured is None or not group.configured.known):
        raise RequestRefused(Error.UNKNOWN_SERVER_ERROR)
    rows = [
        (member.endpoint, _read(group, topics, member.active), _read(group, topics, member.standby))
        for member in listed
        if member.endpoint is not None
    ]
    return tuple(sorted(rows, key=lambda row: row[0]))


def _read(group: StreamsGroup, topics: Topics, tasks: Iterable[TopicPartition]) -> Partitions:
    """The partitions that these tasks read."""
    inputs = {part.id: part.inputs for part in (group.topology.subtopologies if group.topology else ())}
    read = {
        TopicPartition(name, number)
        for part, number in tasks
        for name in inputs.get(part, ())
        if name in topics.by_name and number < topics.by_name[name].partitions
    }
    return tuple(sorted(read))
