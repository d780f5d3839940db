"""OffsetDelete, DeleteGroups and deleted topics, the part that is the same for groups of every protocol.

Kafka: OffsetMetadataManager.deleteOffsets, deleteAllOffsets; GroupCoordinatorShard.deleteGroups.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from groupsim.coordinator.commands import (
    DeleteGroup,
    DeleteGroupAnswer,
    DeleteOffsets,
    DeleteOffsetsAnswer,
    Situated,
    TopicDeleted,
)
from groupsim.coordinator.decision import Decision
from groupsim.coordinator.outcome import Error
from groupsim.events.group import GroupDeleted, OffsetsDeleted
from groupsim.events.types import TopicPartition


def delete_offsets(
    decision: Decision[Any], cmd: DeleteOffsets, refusal: Error, subscribed: Callable[[str], bool]
) -> None:
    """Delete those of the offsets that there are, but none of a topic that the group subscribes to.

    `refusal` is the error for the whole request.
    """
    if refusal is not Error.NONE:
        decision.reply(cmd.request, DeleteOffsetsAnswer(refusal))
        return
    asked = sorted(set(cmd.partitions))
    kept = {topic for topic in {p.topic for p in asked} if subscribed(topic)}
    _drop(decision, cmd, [p for p in asked if p.topic not in kept])
    errors = tuple(
        (p.topic, p.partition, Error.GROUP_SUBSCRIBED_TO_TOPIC if p.topic in kept else Error.NONE) for p in asked
    )
    decision.reply(cmd.request, DeleteOffsetsAnswer(partitions=errors))


def delete_group(decision: Decision[Any], cmd: DeleteGroup, refusal: Error) -> None:
    """Delete the group with all its offsets, unless there is an error."""
    if refusal is Error.NONE:
        _drop(decision, cmd, list(cmd.context.offsets.kept()))
        decision.record(GroupDeleted())
    decision.reply(cmd.request, DeleteGroupAnswer(refusal))


def topic_deleted(decision: Decision[Any], cmd: TopicDeleted) -> None:
    """Forget the offsets of a topic, whoever the group is (Kafka: OffsetMetadataManager.onPartitionsDeleted)."""
    _drop(decision, cmd, [p for p in cmd.context.offsets.kept() if p.topic == cmd.topic])


def _drop(decision: Decision[Any], cmd: Situated, partitions: list[TopicPartition]) -> None:
    """A partition without an offset leaves no tombstone."""
    existing = set(cmd.context.offsets.kept())
    gone = tuple(p for p in partitions if p in existing)
    if gone:
        decision.record(OffsetsDeleted(partitions=gone))
