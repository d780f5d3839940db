"""Requests to share groups and their answers: between a script and Kafka's messages."""

from __future__ import annotations

from groupsim.conformance.scripts.script import Step
from recorders.broker.definitions import Message
from recorders.scripts.plans.answers import Read, Reader, by_member, error_name, heartbeat
from recorders.scripts.plans.requests import Asked, Build, Request, of_the_group
from recorders.scripts.share_groups.client import ShareClient

APIS = {
    "share_heartbeat": ("ShareGroupHeartbeat", 1),
    "share_describe": ("ShareGroupDescribe", 1),
    "share_offsets": ("DescribeShareGroupOffsets", 1),
    "share_alter": ("AlterShareGroupOffsets", 0),
    "share_delete": ("DeleteShareGroupOffsets", 0),
}
"""By the name of an operation: Kafka's API, and the version that is sent unless a step names another."""


def _heartbeat(asked: Asked, step: Step) -> Request:
    client, names = asked.client, asked.names
    assert isinstance(client, ShareClient), f"{client.label} is no share consumer"
    recorded: Message = step["request"] if "request" in step else client.heartbeat(step)
    topics = recorded["subscribed_topic_names"]
    sent = {
        "GroupId": asked.group,
        "MemberId": names.member(recorded["member_id"]),
        "MemberEpoch": recorded["member_epoch"],
        "RackId": recorded["rack_id"],
        "SubscribedTopicNames": None if topics is None else [names.on_broker(topic) for topic in topics],
    }
    return recorded, sent


def _offsets(asked: Asked, step: Step) -> Request:
    topics = step["topics"]
    rows = [
        {"TopicName": asked.names.on_broker(topic), "Partitions": numbers} for topic, numbers in (topics or {}).items()
    ]
    group = {"GroupId": asked.group, "Topics": None if topics is None else rows}
    return {"topics": topics}, {"Groups": [group]}


def _alter(asked: Asked, step: Step) -> Request:
    rows = [
        {
            "TopicName": asked.names.on_broker(topic),
            "Partitions": [{"PartitionIndex": int(n), "StartOffset": offset} for n, offset in offsets.items()],
        }
        for topic, offsets in step["topics"].items()
    ]
    return {"topics": step["topics"]}, {"GroupId": asked.group, "Topics": rows}


def _delete(asked: Asked, step: Step) -> Request:
    rows = [{"TopicName": asked.names.on_broker(topic)} for topic in step["topics"]]
    return {"topics": step["topics"]}, {"GroupId": asked.group, "Topics": rows}


BUILD: dict[str, Build] = {
    "share_heartbeat": _heartbeat,
    "share_describe": of_the_group,
    "share_offsets": _offsets,
    "share_alter": _alter,
    "share_delete": _delete,
}
"""By the name of an operation."""


def _described(reader: Reader, answer: Message) -> Message:
    group = answer["Groups"][0]
    if group["ErrorCode"]:
        return {"error": error_name(group["ErrorCode"])}
    members = [
        {
            "member_id": reader.names.label(row["MemberId"]),
            "rack_id": row["RackId"],
            "member_epoch": row["MemberEpoch"],
            "client_id": row["ClientId"],
            "names": sorted(reader.names.in_script(topic) for topic in row["SubscribedTopicNames"]),
            "assignment": reader.names.listed(row["Assignment"]["TopicPartitions"]),
        }
        for row in group["Members"]
    ]
    return {
        "error": "NONE",
        "state": group["GroupState"],
        "group_epoch": group["GroupEpoch"],
        "assignment_epoch": group["AssignmentEpoch"],
        "assignor": group["AssignorName"],
        "members": by_member(members),
    }


def _offsets_answer(reader: Reader, answer: Message) -> Message:
    group = answer["Groups"][0]
    topics = {
        reader.names.in_script(topic["TopicName"]): {
            str(row["PartitionIndex"]): [
                error_name(row["ErrorCode"]),
                row["StartOffset"],
                row["LeaderEpoch"],
                row.get("Lag", -1),
            ]
            for row in sorted(topic["Partitions"], key=lambda row: int(row["PartitionIndex"]))
        }
        for topic in sorted(group["Topics"], key=lambda topic: str(topic["TopicName"]))
    }
    return {"error": error_name(group["ErrorCode"]), "topics": topics}


def _alter_answer(reader: Reader, answer: Message) -> Message:
    topics = {
        reader.names.in_script(topic["TopicName"]): {
            str(row["PartitionIndex"]): error_name(row["ErrorCode"])
            for row in sorted(topic["Partitions"], key=lambda row: int(row["PartitionIndex"]))
        }
        for topic in answer["Responses"]
    }
    return {"error": error_name(answer["ErrorCode"]), "topics": dict(sorted(topics.items()))}


def _delete_answer(reader: Reader, answer: Message) -> Message:
    topics = {reader.names.in_script(row["TopicName"]): error_name(row["ErrorCode"]) for row in answer["Responses"]}
    return {"error": error_name(answer["ErrorCode"]), "topics": dict(sorted(topics.items()))}


READERS: dict[str, Read] = {
    "share_heartbeat": heartbeat,
    "share_describe": _described,
    "share_offsets": _offsets_answer,
    "share_alter": _alter_answer,
    "share_delete": _delete_answer,
}
"""By the name of an operation."""
