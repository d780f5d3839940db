"""Share groups (KIP-932) in the form of a recording."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from groupsim.conformance.scripts.groups.consumer import heartbeat_answer, partition_rows
from groupsim.conformance.scripts.groups.form import Form, Record, Role, Translate
from groupsim.conformance.scripts.groups.topics import by_topic_name, partitions_of
from groupsim.conformance.scripts.script import Step
from groupsim.coordinator.outcome import Error
from groupsim.coordinator.share.commands import (
    AlterShareOffsets,
    AlterShareOffsetsAnswer,
    DeleteShareOffsets,
    DeleteShareOffsetsAnswer,
    DescribeShareOffsets,
    ShareHeartbeat,
    ShareHeartbeatAnswer,
    ShareOffsetsAnswer,
)
from groupsim.coordinator.share.heartbeat import ASSIGNOR
from groupsim.coordinator.share.state import Member, ShareGroup
from groupsim.coordinator.topics import Topics
from groupsim.events import share as facts
from groupsim.events.base import Event
from groupsim.events.types import Partitions

STATE = "ShareGroupStatePartitionMetadata"


def _heartbeat(step: Step, new_member: str, resolve: Translate) -> ShareHeartbeat:
    asked = step["request"]
    names = asked["subscribed_topic_names"]
    return ShareHeartbeat(
        request=step["i"],
        member=resolve(asked["member_id"]),
        epoch=asked["member_epoch"],
        rack=asked["rack_id"],
        client_id=step["as"],
        topics=None if names is None else tuple(names),
    )


def _describe_offsets(step: Step, new_member: str, resolve: Translate) -> DescribeShareOffsets:
    topics = step["request"]["topics"]
    return DescribeShareOffsets(request=step["i"], partitions=None if topics is None else partitions_of(topics))


def _alter_offsets(step: Step, new_member: str, resolve: Translate) -> AlterShareOffsets:
    topics = step["request"]["topics"].items()
    offsets = ((topic, int(number), start) for topic, starts in topics for number, start in starts.items())
    return AlterShareOffsets(request=step["i"], offsets=tuple(sorted(offsets)))


def _delete_offsets(step: Step, new_member: str, resolve: Translate) -> DeleteShareOffsets:
    return DeleteShareOffsets(request=step["i"], topics=tuple(step["request"]["topics"]))


def _offsets_answer(answer: ShareOffsetsAnswer, label: Translate) -> dict[str, Any]:
    """With leader epoch and lag: topics of scripts have no records, and one leader."""
    topics: dict[str, dict[str, Any]] = {}
    for topic, number, start in answer.offsets:
        topics.setdefault(topic, {})[str(number)] = [Error.NONE.name, start, 0, -start if start >= 0 else -1]
    return {"error": answer.error.name, "topics": topics}


def _altered(answer: AlterShareOffsetsAnswer, label: Translate) -> dict[str, Any]:
    topics: dict[str, dict[str, str]] = {}
    for topic, number, error in answer.partitions:
        topics.setdefault(topic, {})[str(number)] = error.name
    return {"error": answer.error.name, "topics": topics}


def _deleted(answer: DeleteShareOffsetsAnswer, label: Translate) -> dict[str, Any]:
    return {"error": answer.error.name, "topics": {topic: error.name for topic, error in answer.topics.items()}}


def _described(group: ShareGroup, topics: Topics, label: Translate) -> dict[str, Any]:
    existing = {topic.id for topic in topics.by_name.values()}
    members = [
        {
            "member_id": label(member.id),
            "rack_id": member.rack,
            "member_epoch": member.epoch,
            "client_id": member.client_id,
            "names": list(member.topics),
            "assignment": by_topic_name(p for p in member.assigned if p.topic in existing),
        }
        for member in group.members.values()
    ]
    return {
        "state": group.phase.value,
        "group_epoch": group.epoch,
        "assignment_epoch": group.target_epoch,
        "assignor": ASSIGNOR,
        "members": sorted(members, key=lambda m: str(m["member_id"])),
    }


def _member(member: Member) -> dict[str, Any]:
    return {"RackId": member.rack, "ClientId": member.client_id, "SubscribedTopicNames": list(member.topics)}


def _target(group: ShareGroup, member: str) -> dict[str, Any]:
    return {"TopicPartitions": _rows(group.targets[member], group.bare.get(member, ()))}


def _rows(partitions: Partitions, bare: tuple[str, ...]) -> list[dict[str, Any]]:
    return [*partition_rows(partitions), *({"TopicId": topic, "Partitions": []} for topic in bare)]


def _current(member: Member) -> dict[str, Any]:
    return {
        "MemberEpoch": member.epoch,
        "PreviousMemberEpoch": member.previous_epoch,
        "State": 0,
        "AssignedPartitions": _rows(member.assigned, member.bare),
    }


def _state(group: ShareGroup) -> Record:
    """The record of all share state; only the topics that are deleted have no partitions in it."""
    initializing = {topic: asked.offsets for topic, asked in group.initializing.items()}
    return [
        STATE,
        {},
        {
            "InitializingTopics": [{**_topic(t), "Partitions": sorted(of)} for t, of in initializing.items()],
            "InitializedTopics": [{**_topic(t), "Partitions": sorted(of)} for t, of in group.initialized.items()],
            "DeletingTopics": [_topic(topic) for topic in group.deleting],
        },
    ]


def _topic(topic_id: str) -> dict[str, str]:
    return {"TopicId": topic_id, "TopicName": topic_id.partition("#")[0]}


WRITES_STATE = (
    facts.ShareStateInitializing,
    facts.ShareStateInitialized,
    facts.ShareStateDeleting,
    facts.ShareStateDeleted,
    facts.ShareTopicsDeleted,
)


def _others(group: ShareGroup, event: Event) -> Iterable[Record]:
    if isinstance(event, WRITES_STATE):
        yield _state(group)


def _last(group: ShareGroup) -> Iterable[Record]:
    if group.has_state:
        yield [STATE, {}, None]
    yield ["ShareGroupMetadata", {}, None]


FORM = Form(
    kind="share",
    prefix="ShareGroup",
    described=_described,
    build={
        "share_heartbeat": _heartbeat,
        "share_offsets": _describe_offsets,
        "share_alter": _alter_offsets,
        "share_delete": _delete_offsets,
    },
    tell={
        ShareHeartbeatAnswer: heartbeat_answer,
        ShareOffsetsAnswer: _offsets_answer,
        AlterShareOffsetsAnswer: _altered,
        DeleteShareOffsetsAnswer: _deleted,
    },
    roles={
        facts.ShareMemberUpdated: Role.MEMBER,
        facts.ShareMemberRemoved: Role.REMOVED,
        facts.ShareTargetComputed: Role.TARGET,
        facts.ShareMemberAssigned: Role.CURRENT,
    },
    member=_member,
    target=_target,
    current=_current,
    last=_last,
    others=_others,
)
