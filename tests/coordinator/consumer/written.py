"""A group by its records in `__consumer_offsets`, and the same of a group that a coordinator has just loaded."""

from __future__ import annotations

from typing import Any

from groupsim.conformance.scripts.groups import classic_records, records
from groupsim.conformance.scripts.groups.consumer import EXPRESSION, STATE_NUMBERS
from groupsim.coordinator.broker_versions import behaviour
from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.config import Configs
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.machine import AnyGroup

Written = dict[tuple[str, str], tuple[dict[str, Any], Any]]
"""(type, key) -> key and value of the last record; tombstones are left out."""
Kept = dict[str, Any]
MEMBER, TARGET, TARGET_EPOCH, CURRENT, GROUP = (
    f"ConsumerGroup{kind}"
    for kind in (records.MEMBER, records.TARGET, records.TARGET_EPOCH, records.CURRENT, records.GROUP)
)
NEW = {
    "MemberEpoch": 0,
    "PreviousMemberEpoch": 0,
    "State": 0,
    "AssignedPartitions": [],
    "PartitionsPendingRevocation": [],
}
"""A member that was never reconciled: before Kafka 4.3 the first one, if it names no topics."""


def found_by(written: Written, configs: Configs) -> Kept:
    """What a coordinator finds. A record of a classic group is newer than whatever there is of a consumer group."""
    classic = written.get(("GroupMetadata", "[]"))
    if classic is not None:
        return {"classic": classic[1]}
    members = {key["MemberId"]: {"member": value, "current": NEW} for key, value in _of(written, MEMBER)}
    if ("ConsumerGroupMetadata", "[]") not in written and not members:
        return {}
    for key, value in _of(written, CURRENT):
        members[key["MemberId"]]["current"] = value
    first = behaviour(configs.coordinator.broker_version).first_group_epoch
    return {
        "epoch": written.get((GROUP, "[]"), ({}, {"Epoch": first}))[1]["Epoch"],
        "target_epoch": written.get((TARGET_EPOCH, "[]"), ({}, {"AssignmentEpoch": first}))[1]["AssignmentEpoch"],
        "members": members,
        "targets": {key["MemberId"]: _rows(value["TopicPartitions"]) for key, value in _of(written, TARGET)},
        "expressions": {key["RegularExpression"]: value["Topics"] for key, value in _of(written, EXPRESSION)},
    }


def kept_of(group: AnyGroup) -> Kept:
    """The same of a group that was just loaded."""
    if isinstance(group, ClassicGroup):
        return {"classic": classic_records.record(group, lambda member: member)[2]} if group.exists else {}
    assert isinstance(group, ConsumerGroup)
    return {
        "epoch": group.epoch,
        "target_epoch": group.target_epoch,
        "members": {m.id: {"member": _metadata(m), "current": _current(m)} for m in group.members.values()},
        "targets": {m: {(p.topic, p.partition) for p in target} for m, target in group.targets.items()},
        "expressions": {x: sorted(found.topics) for x, found in group.resolved.items()},
    }


def _of(written: Written, kind: str) -> list[tuple[dict[str, Any], Any]]:
    return [row for (found, _), row in written.items() if found == kind]


def _rows(rows: list[dict[str, Any]]) -> set[tuple[str, int]]:
    return {(row["TopicId"], number) for row in rows for number in row["Partitions"]}


def _metadata(member: Member) -> dict[str, Any]:
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


def _current(member: Member) -> dict[str, Any]:
    return {
        "MemberEpoch": member.epoch,
        "PreviousMemberEpoch": member.previous_epoch,
        "State": STATE_NUMBERS[member.state],
        "AssignedPartitions": _held(member.assigned),
        "PartitionsPendingRevocation": _held(member.pending),
    }


def _held(holding: Any) -> list[dict[str, Any]]:
    topics = sorted({topic for topic, _ in holding})
    rows = {topic: sorted(number for found, number in holding if found == topic) for topic in topics}
    return [
        {
            "TopicId": topic,
            "Partitions": numbers,
            "AssignmentEpochs": [holding[topic, number] for number in numbers],
        }
        for topic, numbers in rows.items()
    ]
