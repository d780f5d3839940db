"""Offsets of a streams group (Kafka: StreamsGroup.validateOffsetCommit, isSubscribedToTopic)."""

from __future__ import annotations

from typing import Any

from groupsim.coordinator.commands import Commit, DeleteOffsets
from groupsim.coordinator.modern import offsets
from groupsim.coordinator.outcome import Outcome
from groupsim.coordinator.streams.evolve import StreamsDecision
from groupsim.coordinator.streams.state import Member, StreamsGroup
from groupsim.coordinator.streams.topology import inputs_of
from groupsim.events.types import TopicPartition


def commit(group: StreamsGroup, cmd: Commit) -> Outcome[Any]:
    """Accept or refuse. An older epoch will do for inputs of active tasks that the member has had since then."""
    parts = inputs_of(group.topology)

    def held_since(member: Member) -> bool:
        held = {**member.active, **member.pending_active}
        asked = (TopicPartition(parts.get(topic, ""), number) for topic, number, _ in cmd.offsets)
        return all(task in held and held[task] <= cmd.generation for task in asked)

    return offsets.commit(StreamsDecision(group), cmd, held_since)


def delete_offsets(group: StreamsGroup, cmd: DeleteOffsets) -> Outcome[Any]:
    """Not of inputs of the topology while there are members."""
    parts = inputs_of(group.topology) if group.members else {}
    return offsets.delete_offsets(StreamsDecision(group), cmd, parts.__contains__)
