"""A step of a plan as the request that a script records, and as Kafka's message."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from groupsim.conformance.scripts.script import Step
from recorders.broker.definitions import Definitions, Message
from recorders.scripts.consumer.client import Client
from recorders.scripts.consumer.names import Names
from recorders.scripts.consumer.subscriptions import assignment, dealt, subscription

APIS = {
    "consumer_heartbeat": ("ConsumerGroupHeartbeat", 1),
    "join": ("JoinGroup", 9),
    "sync": ("SyncGroup", 5),
    "heartbeat": ("Heartbeat", 4),
    "leave": ("LeaveGroup", 5),
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
}
"""By the name of an operation: Kafka's API, and the version that is sent unless a step names another."""
PATIENCE_MS = 20_000
NO_NUMBER = -1
EXPRESSIONS_SINCE = 1
FIRST_PRODUCER = 5_000


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


def _who(asked: Asked, step: Step) -> str:
    given = step.get("id")
    return asked.client.name(asked.names) if given is None else str(given)


def _consumer_heartbeat(asked: Asked, step: Step) -> Request:
    client, names, full = asked.client, asked.names, step.get("full", False)
    configured = client.configured

    def said(key: str) -> Any:
        return step.get(key, configured.get(key) if full else None)

    owned = client.partitions_of(step.get("parts"))
    client.tells(owned)
    who, timeout = _who(asked, step), step.get("R", configured.get("R") if full else NO_NUMBER)
    topics, instance = said("names"), step.get("instance", asked.instance)
    expression = said("regex") if step.get("v", 1) >= EXPRESSIONS_SINCE else None
    recorded = {
        "member_id": who,
        "member_epoch": client.epoch_of(step.get("epoch", "cur")),
        "instance_id": instance,
        "rack_id": said("rack"),
        "rebalance_timeout_ms": timeout,
        "subscribed_topic_names": topics,
        "subscribed_topic_regex": expression,
        "server_assignor": said("assignor"),
        "topic_partitions": owned,
    }
    sent = {
        "GroupId": asked.group,
        "MemberId": names.member(who),
        "MemberEpoch": recorded["member_epoch"],
        "InstanceId": instance,
        "RackId": recorded["rack_id"],
        "RebalanceTimeoutMs": timeout,
        "SubscribedTopicNames": None if topics is None else [names.on_broker(topic) for topic in topics],
        "SubscribedTopicRegex": None if expression is None else names.on_broker(expression),
        "ServerAssignor": recorded["server_assignor"],
        "TopicPartitions": names.rows(owned),
    }
    return recorded, sent


def _join(asked: Asked, step: Step) -> Request:
    client, configured = asked.client, asked.client.configured
    cooperative = configured["protocols"][0] == "cooperative-sticky"
    owned = client.partitions_of(step.get("owned", "owned" if cooperative else {})) or {}
    topics = step.get("names", configured["names"]) or []
    version = step.get("sub_version", 3)
    metadata = subscription(version, topics, owned, client.generation, configured.get("rack"))
    protocols = [[name, metadata] for name in step.get("protocols", configured["protocols"])]
    identity, sent = asked.identity(step, _who(asked, step))
    raw = asked.definitions.encoded("ConsumerProtocolSubscription", version, _as_kafka(metadata, asked.names))
    times = {"session_timeout_ms": configured["S"], "rebalance_timeout_ms": configured["R"]}
    recorded = {**times, **identity, "protocol_type": "consumer", "protocols": protocols}
    sent |= {
        "SessionTimeoutMs": configured["S"],
        "RebalanceTimeoutMs": configured["R"],
        "ProtocolType": "consumer",
        "Protocols": [{"Name": name, "Metadata": raw} for name, _ in protocols],
        "Reason": None,
    }
    return recorded, sent


def _as_kafka(metadata: Message, names: Names) -> Message:
    return {
        "Topics": sorted(names.on_broker(topic) for topic in metadata["topics"]),
        "UserData": None,
        "OwnedPartitions": [
            {"Topic": names.on_broker(topic.partition("#")[0]), "Partitions": numbers}
            for topic, numbers in metadata["owned"].items()
        ],
        "GenerationId": metadata["generation"],
        "RackId": metadata["rack"],
    }


def _sync(asked: Asked, step: Step) -> Request:
    client, view = asked.client, asked.client.view or {}
    leads = bool(view.get("Members")) and view.get("Leader") == client.given
    dealt_out = dealt(asked.definitions, asked.names, view["Members"], asked.counts) if leads else []
    identity, sent = asked.identity(step, _who(asked, step))
    protocol = step.get("pname", view.get("ProtocolName") or client.configured["protocols"][0])
    generation = client.epoch_of(step.get("gen", "gen"))
    details = {"protocol_type": "consumer", "protocol_name": protocol, "assignments": dealt_out}
    sent |= {
        "GenerationId": generation,
        "ProtocolType": "consumer",
        "ProtocolName": protocol,
        "Assignments": [
            {"MemberId": asked.names.member(who), "Assignment": assignment(asked.definitions, asked.names, listed)}
            for who, listed in dealt_out
        ],
    }
    return {"generation": generation, **identity, **details}, sent


def _heartbeat(asked: Asked, step: Step) -> Request:
    identity, sent = asked.identity(step, _who(asked, step))
    generation = asked.client.epoch_of(step.get("gen", "gen"))
    return {"generation": generation, **identity}, sent | {"GenerationId": generation}


def _leave(asked: Asked, step: Step) -> Request:
    identity, sent = asked.identity(step, _who(asked, step))
    member = {key: sent[key] for key in ("MemberId", "GroupInstanceId")}
    return {"members": [identity]}, {"GroupId": asked.group, "Members": [member | {"Reason": None}]}


def _commit(asked: Asked, step: Step) -> Request:
    identity, sent = asked.identity(step, _who(asked, step))
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
        "Topics": [{"Name": asked.names.on_broker(topic), "Partitions": rows}],
    }
    details = {"topic": topic, "partitions": step["partitions"], "offset": offset}
    return {"member_id": identity["member_id"], "epoch": epoch, **identity, **details}, sent


def _fetch(asked: Asked, step: Step) -> Request:
    who, epoch, topic = _who(asked, step), asked.client.epoch_of(step["epoch"]), step["topic"]
    wanted = {"Name": asked.names.on_broker(topic), "PartitionIndexes": step["partitions"]}
    group = {"GroupId": asked.group, "MemberId": asked.names.member(who), "MemberEpoch": epoch, "Topics": [wanted]}
    recorded = {"member_id": who, "member_epoch": epoch, "topic": topic, "partitions": step["partitions"]}
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
    row: Message = {"Name": name, "TopicId": "00000000-0000-0000-0000-000000000000"}
    if "partitions" in step:
        recorded["partitions"] = step["partitions"]
        row |= {"NumPartitions": step["partitions"], "Count": step["partitions"], "ReplicationFactor": 1}
        row |= {"Assignments": None if step["op"] == "grow_topic" else [], "Configs": []}
    return recorded, {"Topics": [row], "TopicNames": [name], "timeoutMs": PATIENCE_MS, "TimeoutMs": PATIENCE_MS}


BUILD: dict[str, Callable[[Asked, Step], Request]] = {
    "consumer_heartbeat": _consumer_heartbeat,
    "join": _join,
    "sync": _sync,
    "heartbeat": _heartbeat,
    "leave": _leave,
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
}
"""By the name of an operation."""
