"""Commits, fetches and deletions in scripts: as commands, their answers, and the records of offsets.

Some commits do not reach the group: what the broker answers in front of it stands here, too (Kafka: KafkaApis).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from groupsim.conformance.scripts.script import Step
from groupsim.coordinator.commands import (
    Commit,
    CommitAnswer,
    DeleteGroup,
    DeleteGroupAnswer,
    DeleteOffsets,
    DeleteOffsetsAnswer,
    FetchOffsets,
    FetchOffsetsAnswer,
    Request,
)
from groupsim.coordinator.outcome import Answer, Error
from groupsim.coordinator.topics import Topics
from groupsim.events.group import CommitAccepted, OffsetsDeleted
from groupsim.events.types import Partitions, TopicPartition

Translate = Callable[[str], str]
COMMITS = ("commit", "txn_commit")
TOPIC_IDS_SINCE = {"commit": 10, "txn_commit": 6}
"""From these versions on a commit names topics by id."""
OPENS_TRANSACTION_SINCE = 5
"""From this version of TxnOffsetCommit on the broker itself adds the group to the transaction (KIP-890).

No script begins a transaction, so that the producer id is unknown there.
"""
MEMBERS_SINCE = 9
"""From this version of OffsetFetch on it names its sender."""
NAMES = {Error.INVALID_PRODUCER_ID_MAPPING: "49"}
"""Errors for which recordings have the number."""


def before_group(step: Step, topics: Topics) -> dict[str, Error]:
    """Partition -> error, for the partitions that the broker refuses before the group is asked."""
    if step["op"] not in COMMITS:
        return {}
    op, version, asked = step["op"], step["v"], step["request"]
    topic = topics.by_name.get(asked["topic"])
    unknown = Error.UNKNOWN_TOPIC_OR_PARTITION
    if topic is None and version >= TOPIC_IDS_SINCE[op]:
        unknown = Error.UNKNOWN_TOPIC_ID
    known = range(topic.partitions if topic is not None else 0)
    refused = {str(number): unknown for number in asked["partitions"] if number not in known}
    if op == "txn_commit" and version >= OPENS_TRANSACTION_SINCE:
        rest = (str(number) for number in asked["partitions"])
        return dict.fromkeys(rest, Error.INVALID_PRODUCER_ID_MAPPING) | refused
    return refused


def without(step: Step, refused: dict[str, Error]) -> Step:
    """The step as the group sees it."""
    if not refused:
        return step
    left = [number for number in step["request"]["partitions"] if str(number) not in refused]
    return {**step, "request": {**step["request"], "partitions": left}}


def errors(refused: dict[str, Error]) -> dict[str, str]:
    """Partition -> error, in the form of a recording."""
    return {number: _name(error) for number, error in refused.items()}


def _name(error: Error) -> str:
    return NAMES.get(error, error.name)


def _partitions(asked: dict[str, Any]) -> Partitions:
    return tuple(TopicPartition(asked["topic"], number) for number in sorted(asked["partitions"]))


def _commit(step: Step, new_member: str, resolve: Translate) -> Commit:
    asked = step["request"]
    return Commit(
        request=step["i"],
        member=resolve(asked["member_id"]),
        generation=asked["epoch"],
        instance_id=asked["group_instance_id"],
        offsets=tuple((p.topic, p.partition, asked["offset"]) for p in _partitions(asked)),
        transactional=step["op"] == "txn_commit",
        version=step["v"],
    )


def _fetch(step: Step, new_member: str, resolve: Translate) -> FetchOffsets:
    asked = step["request"]
    if step["v"] < MEMBERS_SINCE or asked["member_id"] is None:
        named = asked["member_epoch"] if step["v"] >= MEMBERS_SINCE else -1
        return FetchOffsets(request=step["i"], partitions=_partitions(asked), epoch=named)
    return FetchOffsets(
        request=step["i"],
        partitions=_partitions(asked),
        member=resolve(asked["member_id"]),
        epoch=asked["member_epoch"],
    )


def _offset_delete(step: Step, new_member: str, resolve: Translate) -> DeleteOffsets:
    return DeleteOffsets(request=step["i"], partitions=_partitions(step["request"]))


def _delete_group(step: Step, new_member: str, resolve: Translate) -> DeleteGroup:
    return DeleteGroup(request=step["i"])


BUILD: dict[str, Callable[[Step, str, Translate], Request]] = {
    "commit": _commit,
    "txn_commit": _commit,
    "fetch": _fetch,
    "offset_delete": _offset_delete,
    "delete_group": _delete_group,
}


def response(step: Step, answer: Answer) -> dict[str, Any] | None:
    """The simulated answer in the form of a recording, for the partitions that reached the group; None: another's."""
    asked = step["request"]
    match answer:
        case CommitAnswer():
            return {"errors": {str(number): _name(answer.error) for number in asked["partitions"]}}
        case FetchOffsetsAnswer():
            offsets = {number: offset for _, number, offset in answer.offsets}
            committed = {str(number): offsets.get(number, -1) for number in asked["partitions"]}
            return {"error": _name(answer.error), "offsets": committed if answer.error is Error.NONE else {}}
        case DeleteOffsetsAnswer():
            results = {str(number): _name(error) for _, number, error in answer.partitions}
            return {"error": _name(answer.error), "errors": results}
        case DeleteGroupAnswer():
            return {"error": _name(answer.error)}
    return None


def records(event: CommitAccepted | OffsetsDeleted, topics: Topics) -> Iterable[list[Any]]:
    """The records of offsets that were committed or deleted."""
    if isinstance(event, OffsetsDeleted):
        for topic, number in event.partitions:
            yield ["OffsetCommit", {"topic": topic, "partition": number}, None]
        return
    for topic, number, offset in event.offsets:
        value = {"offset": offset, "leaderEpoch": -1, "metadata": "", "topicId": topics.by_name[topic].id}
        yield ["OffsetCommit", {"topic": topic, "partition": number}, value]
