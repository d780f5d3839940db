"""Requests to streams groups and their answers: between a script and Kafka's messages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from groupsim.conformance.scripts.script import Step
from recorders.broker.definitions import Message
from recorders.scripts.plans.answers import Read, Reader, by_member, error_name
from recorders.scripts.plans.names import Listed, Names, sorted_partitions
from recorders.scripts.plans.requests import Asked, Build, Request, of_the_group
from recorders.scripts.streams_groups.client import KINDS, StreamsClient

APIS = {"streams_heartbeat": ("StreamsGroupHeartbeat", 1), "streams_describe": ("StreamsGroupDescribe", 1)}
"""By the name of an operation: Kafka's API, and the version that is sent unless a step names another."""
STATUSES = (
    "STALE_TOPOLOGY",
    "MISSING_SOURCE_TOPICS",
    "INCORRECTLY_PARTITIONED_TOPICS",
    "MISSING_INTERNAL_TOPICS",
    "SHUTDOWN_APPLICATION",
    "ASSIGNMENT_DELAYED",
    "MISSING_CLIENT_TAGS",
)
"""By their codes (StreamsGroupHeartbeatResponse.Status)."""
LISTS = re.compile(
    r"(?<=Source topics ).+(?= are missing)|(?<=Internal topics are missing: )[^;]+|(?<=\[).+(?=\])", re.DOTALL
)
"""Names in a sentence of the broker: in the order of a hash set."""
OffsetSums = Mapping[str, Mapping[str, int]]
"""Subtopology -> number of a task -> sum of its changelog offsets."""


def _heartbeat(asked: Asked, step: Step) -> Request:
    client, names = asked.client, asked.names
    assert isinstance(client, StreamsClient), f"{client.label} is no streams client"
    recorded: Message = step["request"] if "request" in step else client.heartbeat(step)
    client.tells(recorded)
    endpoint, topology = recorded["endpoint"], recorded["topology"]
    sent = {
        "GroupId": asked.group,
        "MemberId": names.member(recorded["member_id"]),
        "MemberEpoch": recorded["member_epoch"],
        "EndpointInformationEpoch": recorded["endpoint_epoch"],
        "InstanceId": recorded["instance_id"],
        "RackId": recorded["rack_id"],
        "RebalanceTimeoutMs": recorded["rebalance_timeout_ms"],
        "Topology": None if topology is None else _topology(topology, names),
        **{f"{kind.capitalize()}Tasks": _rows(recorded[kind]) for kind in KINDS},
        "ProcessId": recorded["process_id"],
        "UserEndpoint": None if endpoint is None else {"Host": endpoint[0], "Port": endpoint[1]},
        "ClientTags": _pairs(recorded["tags"]),
        "TaskOffsets": _sums(recorded["offsets"]),
        "TaskEndOffsets": _sums(recorded["end_offsets"]),
        "ShutdownApplication": recorded["shutdown"],
    }
    return recorded, sent


def _rows(listed: Listed | None) -> list[Message] | None:
    if listed is None:
        return None
    return [{"SubtopologyId": sub, "Partitions": numbers} for sub, numbers in listed.items()]


def _pairs(pairs: Mapping[str, str] | None) -> list[Message] | None:
    return None if pairs is None else [{"Key": key, "Value": value} for key, value in pairs.items()]


def _sums(sums: OffsetSums | None) -> list[Message] | None:
    if sums is None:
        return None
    return [
        {"SubtopologyId": sub, "Partition": int(number), "Offset": offset}
        for sub, offsets in sums.items()
        for number, offset in offsets.items()
    ]


def _topology(topology: Message, names: Names) -> Message:
    rows = [_subtopology(row, names) for row in topology["subtopologies"]]
    return {"Epoch": topology["epoch"], "Subtopologies": rows}


def _subtopology(row: Message, names: Names) -> Message:
    def on_broker(topics: Iterable[str]) -> list[str]:
        return [names.on_broker(topic) for topic in topics]

    def internal(topics: Iterable[Message]) -> list[Message]:
        return [
            {
                "Name": names.on_broker(topic["name"]),
                "Partitions": topic["partitions"],
                "ReplicationFactor": topic["replication"],
                "TopicConfigs": _pairs(topic["configs"]),
            }
            for topic in topics
        ]

    return {
        "SubtopologyId": row["id"],
        "SourceTopics": on_broker(row["sources"]),
        "SourceTopicRegex": on_broker(row["regex"]),
        "StateChangelogTopics": internal(row["changelogs"]),
        "RepartitionSinkTopics": on_broker(row["repartition_sinks"]),
        "RepartitionSourceTopics": internal(row["repartition_sources"]),
        "CopartitionGroups": [
            {
                "SourceTopics": group["sources"],
                "SourceTopicRegex": group["regex"],
                "RepartitionSourceTopics": group["repartition"],
            }
            for group in row["copartition"]
        ],
    }


BUILD: dict[str, Build] = {"streams_heartbeat": _heartbeat, "streams_describe": of_the_group}
"""By the name of an operation."""


def sentence(reader: Reader, text: str) -> str:
    """What the broker says, the same in every play: names of the script, lists sorted, GROUP for the group's id."""
    named = reader.names.in_script(text)
    named = named.replace(reader.group, "GROUP") if reader.group else named
    return LISTS.sub(lambda found: ", ".join(sorted(found[0].split(", "))), named)


def _heartbeat_answer(reader: Reader, answer: Message) -> Message:
    error, said, rows = error_name(answer["ErrorCode"]), answer["ErrorMessage"], answer["PartitionsByUserEndpoint"]
    status = [[STATUSES[s["StatusCode"]], sentence(reader, s["StatusDetail"])] for s in answer["Status"] or ()]
    tasks = {kind: answer[f"{kind.capitalize()}Tasks"] for kind in KINDS}
    return {
        "error": error,
        "member_id": reader.names.label(answer["MemberId"]),
        "member_epoch": answer["MemberEpoch"],
        "heartbeat_interval_ms": answer["HeartbeatIntervalMs"],
        "task_offset_interval_ms": answer["TaskOffsetIntervalMs"],
        "acceptable_recovery_lag": answer.get("AcceptableRecoveryLag", 0),
        "status": status,
        **{kind: None if listed is None else _by_subtopology(listed) for kind, listed in tasks.items()},
        "endpoint_epoch": answer["EndpointInformationEpoch"],
        "partitions_by_endpoint": None if rows is None else _by_endpoint(rows, reader.names),
        **({} if error == "NONE" or said is None else {"message": sentence(reader, said)}),
    }


def _by_subtopology(rows: Iterable[Message]) -> Listed:
    return sorted_partitions({row["SubtopologyId"]: row["Partitions"] for row in rows})


def _by_endpoint(rows: Iterable[Message], names: Names) -> list[Any]:
    def by_topic(listed: Iterable[Message]) -> Listed:
        return sorted_partitions({names.in_script(row["Topic"]): row["Partitions"] for row in listed})

    read = [
        [_endpoint(row["UserEndpoint"]), by_topic(row["ActivePartitions"]), by_topic(row["StandbyPartitions"])]
        for row in rows
    ]
    return sorted(read, key=json.dumps)


def _endpoint(endpoint: Message | None) -> list[Any] | None:
    return None if endpoint is None else [endpoint["Host"], endpoint["Port"]]


def _describe_answer(reader: Reader, answer: Message) -> Message:
    group = answer["Groups"][0]
    if group["ErrorCode"]:
        return {"error": error_name(group["ErrorCode"])}
    topology = group["Topology"]
    members = [_member(reader, row) for row in group["Members"]]
    return {
        "error": "NONE",
        "state": group["GroupState"],
        "group_epoch": group["GroupEpoch"],
        "assignment_epoch": group["AssignmentEpoch"],
        "assignor": group["AssignorName"],
        "topology_epoch": None if topology is None else topology["Epoch"],
        "topology": None if topology is None else _described(topology["Subtopologies"] or (), reader.names),
        "members": by_member(members),
    }


def _described(rows: Iterable[Message], names: Names) -> Message:
    """The names of topics only: the counts of internal ones depend on what else the broker has just done."""

    def named(topics: Iterable[Any]) -> list[str]:
        return sorted(names.in_script(topic if isinstance(topic, str) else topic["Name"]) for topic in topics)

    return {
        row["SubtopologyId"]: {
            "sources": named(row["SourceTopics"]),
            "changelogs": named(row["StateChangelogTopics"]),
            "repartition_sources": named(row["RepartitionSourceTopics"]),
            "repartition_sinks": named(row["RepartitionSinkTopics"]),
        }
        for row in sorted(rows, key=lambda row: str(row["SubtopologyId"]))
    }


def _member(reader: Reader, row: Message) -> Message:
    def tasks(assignment: Message) -> Message:
        return {kind: _by_subtopology(assignment[f"{kind.capitalize()}Tasks"]) for kind in KINDS}

    return {
        "member_id": reader.names.label(row["MemberId"]),
        "member_epoch": row["MemberEpoch"],
        "instance_id": row["InstanceId"],
        "rack_id": row["RackId"],
        "client_id": row["ClientId"],
        "topology_epoch": row["TopologyEpoch"],
        "process_id": row["ProcessId"],
        "endpoint": _endpoint(row["UserEndpoint"]),
        "tags": {pair["Key"]: pair["Value"] for pair in sorted(row["ClientTags"], key=lambda p: str(p["Key"]))},
        "offsets": _reported(row["TaskOffsets"]),
        "end_offsets": _reported(row["TaskEndOffsets"]),
        "assignment": tasks(row["Assignment"]),
        "target": tasks(row["TargetAssignment"]),
        "classic": row["IsClassic"],
    }


def _reported(rows: Iterable[Message]) -> OffsetSums:
    sums: dict[str, dict[str, int]] = {}
    for row in sorted(rows, key=lambda row: (row["SubtopologyId"], row["Partition"])):
        sums.setdefault(row["SubtopologyId"], {})[str(row["Partition"])] = row["Offset"]
    return sums


READERS: dict[str, Read] = {"streams_heartbeat": _heartbeat_answer, "streams_describe": _describe_answer}
"""By the name of an operation."""
