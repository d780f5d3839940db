"""Answers to consumers, native and classic, in the form of a script."""

from __future__ import annotations

from recorders.broker.definitions import Message
from recorders.scripts.consumer.subscriptions import read_assignment, read_subscription
from recorders.scripts.plans.answers import Read, Reader, by_member, error_name, heartbeat, plain

TYPES = {0: "classic", 1: "consumer"}


def _join(reader: Reader, answer: Message) -> Message:
    members = [
        {
            "member_id": reader.names.label(row["MemberId"]),
            "group_instance_id": row["GroupInstanceId"],
            "metadata": read_subscription(reader.definitions, reader.names, row["Metadata"]),
        }
        for row in answer["Members"]
    ]
    return {
        "error": error_name(answer["ErrorCode"]),
        "generation": answer["GenerationId"],
        "protocol_type": answer["ProtocolType"],
        "protocol": answer["ProtocolName"],
        "leader": reader.names.label(answer["Leader"]),
        "skip_assignment": answer["SkipAssignment"],
        "member_id": reader.names.label(answer["MemberId"]),
        "members": sorted(members, key=lambda row: str(row["member_id"])),
    }


def _sync(reader: Reader, answer: Message) -> Message:
    return {
        "error": error_name(answer["ErrorCode"]),
        "protocol_type": answer["ProtocolType"],
        "protocol": answer["ProtocolName"],
        "assignment": read_assignment(reader.definitions, reader.names, answer["Assignment"]),
    }


def _leave(reader: Reader, answer: Message) -> Message:
    members = [
        {
            "member_id": reader.names.label(row["MemberId"]),
            "group_instance_id": row["GroupInstanceId"],
            "error": error_name(row["ErrorCode"]),
        }
        for row in answer["Members"]
    ]
    return {"error": error_name(answer["ErrorCode"]), "members": members}


def _describe(reader: Reader, answer: Message) -> Message:
    group = answer["Groups"][0]
    if group["ErrorCode"]:
        return {"error": error_name(group["ErrorCode"])}
    members = [
        {
            "member_id": reader.names.label(row["MemberId"]),
            "instance_id": row["GroupInstanceId"],
            "client_id": row["ClientId"],
            "metadata": _metadata(reader, row["MemberMetadata"]),
            "assignment": read_assignment(reader.definitions, reader.names, row["MemberAssignment"]),
        }
        for row in group["Members"]
    ]
    return {
        "error": "NONE",
        "state": group["GroupState"],
        "protocol_type": group["ProtocolType"],
        "protocol": group["ProtocolData"],
        "members": by_member(members),
    }


def _metadata(reader: Reader, raw: bytes) -> Message | None:
    return read_subscription(reader.definitions, reader.names, raw) if raw else None


def _consumer_describe(reader: Reader, answer: Message) -> Message:
    group = answer["Groups"][0]
    if group["ErrorCode"]:
        return {"error": error_name(group["ErrorCode"])}
    return {
        "error": "NONE",
        "state": group["GroupState"],
        "group_epoch": group["GroupEpoch"],
        "assignment_epoch": group["AssignmentEpoch"],
        "assignor": group["AssignorName"],
        "members": by_member([_member(reader, row) for row in group["Members"]]),
    }


def _member(reader: Reader, row: Message) -> Message:
    return {
        "member_id": reader.names.label(row["MemberId"]),
        "instance_id": row["InstanceId"],
        "rack_id": row["RackId"],
        "member_epoch": row["MemberEpoch"],
        "client_id": row["ClientId"],
        "names": sorted(reader.names.in_script(topic) for topic in row["SubscribedTopicNames"]),
        "regex": reader.names.in_script(row["SubscribedTopicRegex"] or ""),
        "assignment": reader.names.listed(row["Assignment"]["TopicPartitions"]),
        "target": reader.names.listed(row["TargetAssignment"]["TopicPartitions"]),
        "type": TYPES[row["MemberType"]],
    }


READERS: dict[str, Read] = {
    "consumer_heartbeat": heartbeat,
    "consumer_describe": _consumer_describe,
    "join": _join,
    "sync": _sync,
    "heartbeat": plain,
    "leave": _leave,
    "describe": _describe,
}
"""By the name of an operation."""
