"""Consumer groups (KIP-848) in the form of a recording."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from groupsim.conformance.scripts.groups import classic_records
from groupsim.conformance.scripts.groups.form import Form, Record, Role, Translate
from groupsim.conformance.scripts.groups.topics import by_topic_name, partitions_of
from groupsim.conformance.scripts.script import Step
from groupsim.coordinator.consumer.commands import ConsumerHeartbeat, ConsumerHeartbeatAnswer
from groupsim.coordinator.consumer.describe import DescribedMember, describe
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.modern.evolve import held
from groupsim.coordinator.topics import Topics
from groupsim.events import consumer as facts
from groupsim.events.base import Event
from groupsim.events.consumer import MemberState
from groupsim.events.types import Held, Partitions

EXPRESSION = "ConsumerGroupRegularExpression"
STATE_NUMBERS = {
    MemberState.STABLE: 0,
    MemberState.UNREVOKED_PARTITIONS: 1,
    MemberState.UNRELEASED_PARTITIONS: 2,
    MemberState.UNKNOWN: 127,
}


def _heartbeat(step: Step, new_member: str, resolve: Translate) -> ConsumerHeartbeat:
    asked = step["request"]
    names, owned = asked["subscribed_topic_names"], asked["topic_partitions"]
    return ConsumerHeartbeat(
        request=step["i"],
        member=resolve(asked["member_id"]),
        epoch=asked["member_epoch"],
        new_member=new_member,
        instance_id=asked["instance_id"],
        rack=asked["rack_id"],
        client_id=step["as"],
        rebalance_timeout_ms=asked["rebalance_timeout_ms"],
        topics=None if names is None else tuple(names),
        expression=asked.get("subscribed_topic_regex"),
        assignor=asked["server_assignor"],
        owned=None if owned is None else partitions_of(owned),
        version=step["v"],
    )


def heartbeat_answer(answer: Any, label: Translate) -> dict[str, Any]:
    """The answer to a heartbeat whose assignment is partitions."""
    return {
        "error": answer.error.name,
        "member_id": None if answer.member is None else label(answer.member),
        "member_epoch": answer.epoch,
        "heartbeat_interval_ms": answer.heartbeat_interval_ms,
        "assignment": None if answer.assignment is None else by_topic_name(answer.assignment),
    }


def _described(group: ConsumerGroup, topics: Topics, label: Translate) -> dict[str, Any]:
    known = describe(group, topics)
    return {
        "state": known.phase.value,
        "group_epoch": known.epoch,
        "assignment_epoch": known.target_epoch,
        "assignor": known.assignor,
        "members": sorted((_seen(member, label) for member in known.members), key=lambda m: str(m["member_id"])),
    }


def _seen(described: DescribedMember, label: Translate) -> dict[str, Any]:
    member = described.member
    return {
        "member_id": label(member.id),
        "instance_id": member.instance_id,
        "rack_id": member.rack,
        "member_epoch": member.epoch,
        "client_id": member.client_id,
        "names": list(member.topics),
        "regex": member.expression,
        "assignment": by_topic_name(described.assignment),
        "target": by_topic_name(described.target),
        "type": "consumer" if member.classic is None else "classic",
    }


def _member(member: Member) -> dict[str, Any]:
    return {
        "InstanceId": member.instance_id,
        "RackId": member.rack,
        "ClientId": member.client_id,
        "SubscribedTopicNames": list(member.topics),
        "SubscribedTopicRegex": member.expression,
        "RebalanceTimeoutMs": member.rebalance_timeout_ms,
        "ServerAssignor": member.assignor,
        "ClassicMemberMetadata": None if member.classic is None else classic_records.metadata(member.classic),
    }


def partition_rows(partitions: Partitions) -> list[dict[str, Any]]:
    """Partitions as records have them, by topic id."""
    return [{"TopicId": topic, "Partitions": numbers} for topic, numbers in by_topic_name(partitions).items()]


def _target(group: ConsumerGroup, member: str) -> dict[str, Any]:
    return {"TopicPartitions": partition_rows(group.targets[member])}


def _current(member: Member) -> dict[str, Any]:
    return {
        "MemberEpoch": member.epoch,
        "PreviousMemberEpoch": member.previous_epoch,
        "State": STATE_NUMBERS[member.state],
        "AssignedPartitions": _held(held(member.assigned)),
        "PartitionsPendingRevocation": _held(held(member.pending)),
    }


def _held(partitions: Held) -> list[dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for topic, number, epoch in partitions:
        row = rows.setdefault(topic, {"TopicId": topic, "Partitions": [], "AssignmentEpochs": []})
        row["Partitions"].append(number)
        row["AssignmentEpochs"].append(epoch)
    return list(rows.values())


def _others(group: ConsumerGroup, event: Event) -> Iterable[Record]:
    match event:
        case facts.ConsumerGroupCreated() if event.replaces_classic:
            yield ["GroupMetadata", {}, None]
        case facts.ExpressionResolved():
            yield [EXPRESSION, {"RegularExpression": event.expression}, {"Topics": sorted(event.topics)}]
        case facts.ExpressionDropped():
            yield [EXPRESSION, {"RegularExpression": event.expression}, None]


def _last(group: ConsumerGroup) -> Iterable[Record]:
    yield from ([EXPRESSION, {"RegularExpression": expression}, None] for expression in group.resolved)
    yield ["ConsumerGroupPartitionMetadata", {}, None]
    yield ["ConsumerGroupMetadata", {}, None]


FORM = Form(
    kind="consumer",
    prefix="ConsumerGroup",
    described=_described,
    build={"consumer_heartbeat": _heartbeat},
    tell={ConsumerHeartbeatAnswer: heartbeat_answer},
    roles={
        facts.ConsumerMemberUpdated: Role.MEMBER,
        facts.ConsumerMemberRemoved: Role.REMOVED,
        facts.TargetComputed: Role.TARGET,
        facts.MemberReconciled: Role.CURRENT,
    },
    member=_member,
    target=_target,
    current=_current,
    last=_last,
    others=_others,
)
