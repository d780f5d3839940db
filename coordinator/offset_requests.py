"""Requests about offsets, and deletion: the part that is the same for groups of every protocol.

A machine finds out what is to be refused. Kafka: OffsetMetadataManager.commitOffset, fetchOffsets, deleteOffsets,
deleteAllOffsets; GroupCoordinatorShard.deleteGroups.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from groupsim.coordinator.commands import (
    Commit,
    CommitAnswer,
    DeleteGroup,
    DeleteGroupAnswer,
    DeleteOffsets,
    DeleteOffsetsAnswer,
    FetchOffsets,
    FetchOffsetsAnswer,
    Situated,
    TopicDeleted,
)
from groupsim.coordinator.decision import Decision
from groupsim.coordinator.outcome import Error, Outcome, Reply
from groupsim.events.group import CommitAccepted, CommitRefused, GroupDeleted, OffsetsDeleted
from groupsim.events.types import TopicPartition

State = TypeVar("State")


def commit(decision: Decision[Any], cmd: Commit, refusal: Error) -> None:
    """Accept the commit, or refuse it, all partitions alike."""
    if refusal is Error.NONE:
        decision.record(
            CommitAccepted(
                member=cmd.member,
                generation=cmd.generation,
                offsets=cmd.offsets,
                transactional=cmd.transactional,
            )
        )
    else:
        decision.record(
            CommitRefused(member=cmd.member, generation=cmd.generation, error=refusal.name, offsets=cmd.offsets)
        )
    decision.reply(cmd.request, CommitAnswer(refusal))


def fetch(group: State, cmd: FetchOffsets, refusal: Error) -> Outcome[State]:
    """The committed offsets, or the error; nothing changes."""
    if refusal is Error.NONE:
        answer = FetchOffsetsAnswer(offsets=cmd.context.offsets.fetch(cmd.partitions))
    else:
        answer = FetchOffsetsAnswer(refusal)
    return Outcome(group, replies=(Reply(cmd.request, answer),))


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
