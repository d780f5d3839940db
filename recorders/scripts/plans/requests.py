"""A step of a plan as the request that a script records, and as Kafka's message: what any group is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from groupsim.conformance.scripts.script import Step
from recorders.broker.definitions import NO_ID, Definitions, Message
from recorders.scripts.plans.client import Client
from recorders.scripts.plans.names import Names

APIS = {
    "describe": ("DescribeGroups", 6),
    "list": ("ListGroups", 5),
    "commit": ("OffsetCommit", 9),
    "txn_commit": ("TxnOffsetCommit", 3),
    "fetch": ("OffsetFetch", 9),
    "delete_group": ("DeleteGroups", 2),
    "offset_delete": ("OffsetDelete", 0),
    "create_topic": ("CreateTopics", 7),
    "grow_topic": ("CreatePartitions", 3),
    "delete_topic": ("DeleteTopics", 6),
    "topic": ("Metadata", 12),
    "group_config": ("IncrementalAlterConfigs", 1),
}
"""By the name of an operation: Kafka's API, and the version that is sent unless a step names another."""
PATIENCE_MS = 20_000
FIRST_PRODUCER = 5_000
GROUP_RESOURCE, SET, REMOVE = 32, 0, 1
"""ConfigResource.Type.GROUP and the operations of IncrementalAlterConfigs."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks: the client, its group on the broker, and the names of the play. `number` is that of the step."""

    number: int
    client: Client
    group: str
    names: Names
    definitions: Definitions
    counts: dict[str, int]

    @property
    def instance(self) -> Any:
        """The instance id of the client's configuration."""
        return self.client.configured.get("instance")

    def identity(self, step: Step, who: str) -> tuple[Message, Message]:
        """Member and instance id as they are recorded, and as they are sent."""
        instance = step.get("instance", self.instance)
        recorded = {"member_id": who, "group_instance_id": instance}
        return recorded, {"GroupId": self.group, "MemberId": self.names.member(who), "GroupInstanceId": instance}


Request = tuple[Message, Message]
"""As a script records it, and Kafka's message."""


def member_of(asked: Asked, step: Step) -> str:
    """The member id of a request: that of the step, or the client's own."""
    given = step.get("id")
    return asked.client.name(asked.names) if given is None else str(given)


def _commit(asked: Asked, step: Step) -> Request:
    identity, sent = asked.identity(step, member_of(asked, step))
    epoch, topic, offset = asked.client.epoch_of(step["epoch"]), step["topic"], 100 + asked.number
    rows = [
        {"PartitionIndex": p, "CommittedOffset": offset, "CommittedLeaderEpoch": -1, "CommittedMetadata": ""}
        for p in step["partitions"]
    ]
    sent |= {
        "GenerationIdOrMemberEpoch": epoch,
        "GenerationId": epoch,
        "TransactionalId": f"txn-{asked.group}",
        "ProducerId": FIRST_PRODUCER + crc32(f"{asked.group}/{asked.number}".encode()),
        "ProducerEpoch": 0,
        "Topics": [{"Name": asked.names.on_broker(topic), "TopicId": asked.names.topic_id(topic), "Partitions": rows}],
    }
    details = {"topic": topic, "partitions": step["partitions"], "offset": offset}
    return {"member_id": identity["member_id"], "epoch": epoch, **identity, **details}, sent


def _fetch(asked: Asked, step: Step) -> Request:
    member = None if step.get("id", "") is None else member_of(asked, step)
    epoch, topic = asked.client.epoch_of(step["epoch"]), step["topic"]
    wanted = {"Name": asked.names.on_broker(topic), "PartitionIndexes": step["partitions"]}
    named = None if member is None else asked.names.member(member)
    group = {"GroupId": asked.group, "MemberId": named, "MemberEpoch": epoch, "Topics": [wanted]}
    recorded = {"member_id": member, "member_epoch": epoch, "topic": topic, "partitions": step["partitions"]}
    return recorded, {"Groups": [group], "RequireStable": False}


def _offset_delete(asked: Asked, step: Step) -> Request:
    recorded = {"topic": step.get("topic", "t1"), "partitions": [0]}
    row = {"Name": asked.names.on_broker(recorded["topic"]), "Partitions": [{"PartitionIndex": 0}]}
    return recorded, {"GroupId": asked.group, "Topics": [row]}


def of_the_group(asked: Asked, step: Step) -> Request:
    """A request that names nothing but the group."""
    group = asked.group
    return {}, {"GroupIds": [group], "Groups": [group], "GroupsNames": [group], "StatesFilter": [], "TypesFilter": []}


def _topic(asked: Asked, step: Step) -> Request:
    """A topic is created, grows or is deleted."""
    name, recorded = asked.names.on_broker(step["topic"]), {"topic": step["topic"]}
    row: Message = {"Name": name, "TopicId": NO_ID}
    if "partitions" in step:
        recorded["partitions"] = step["partitions"]
        row |= {"NumPartitions": step["partitions"], "Count": step["partitions"], "ReplicationFactor": 1}
        row |= {"Assignments": None if step["op"] == "grow_topic" else [], "Configs": []}
    return recorded, {"Topics": [row], "TopicNames": [name], "timeoutMs": PATIENCE_MS, "TimeoutMs": PATIENCE_MS}


def group_configs(group: str, configs: Mapping[str, str | None]) -> Message:
    """A change of a group's configuration; None removes a setting."""
    rows = [
        {"Name": name, "ConfigOperation": REMOVE if value is None else SET, "Value": value}
        for name, value in configs.items()
    ]
    resource = {"ResourceType": GROUP_RESOURCE, "ResourceName": group, "Configs": rows}
    return {"Resources": [resource], "ValidateOnly": False}


def _group_config(asked: Asked, step: Step) -> Request:
    return {"configs": step["configs"]}, group_configs(asked.group, step["configs"])


def _metadata(asked: Asked, step: Step) -> Request:
    row = {"TopicId": NO_ID, "Name": asked.names.on_broker(step["topic"])}
    return {"topic": step["topic"]}, {"Topics": [row], "AllowAutoTopicCreation": False}


Build = Callable[[Asked, Step], Request]
BUILD: dict[str, Build] = {
    "commit": _commit,
    "txn_commit": _commit,
    "fetch": _fetch,
    "offset_delete": _offset_delete,
    "describe": of_the_group,
    "list": of_the_group,
    "delete_group": of_the_group,
    "create_topic": _topic,
    "grow_topic": _topic,
    "delete_topic": _topic,
    "topic": _metadata,
    "group_config": _group_config,
}
"""By the name of an operation."""
