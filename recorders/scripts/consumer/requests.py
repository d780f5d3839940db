"""A step of a plan as the request that a script records, and as Kafka's message."""

from __future__ import annotations

from typing import Any

from groupsim.conformance.scripts.script import Step
from recorders.broker.definitions import Message
from recorders.scripts.consumer.client import ConsumerClient
from recorders.scripts.consumer.subscriptions import assignment, dealt, subscription
from recorders.scripts.plans.names import Names
from recorders.scripts.plans.requests import Asked, Build, Request, member_of, of_the_group

APIS = {
    "consumer_heartbeat": ("ConsumerGroupHeartbeat", 1),
    "consumer_describe": ("ConsumerGroupDescribe", 1),
    "join": ("JoinGroup", 9),
    "sync": ("SyncGroup", 5),
    "heartbeat": ("Heartbeat", 4),
    "leave": ("LeaveGroup", 5),
}
"""By the name of an operation: Kafka's API, and the version that is sent unless a step names another."""
NO_NUMBER = -1
EXPRESSIONS_SINCE = 1


def _client(asked: Asked) -> ConsumerClient:
    assert isinstance(asked.client, ConsumerClient), f"{asked.client.label} is no consumer"
    return asked.client


def _consumer_heartbeat(asked: Asked, step: Step) -> Request:
    client, names, full = _client(asked), asked.names, step.get("full", False)
    configured = client.configured

    def said(key: str) -> Any:
        return step.get(key, configured.get(key) if full else None)

    owned = client.partitions_of(step.get("parts"))
    client.tells(owned)
    who, timeout = member_of(asked, step), step.get("R", configured.get("R") if full else NO_NUMBER)
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
    client, configured = _client(asked), asked.client.configured
    cooperative = configured["protocols"][0] == "cooperative-sticky"
    owned = client.partitions_of(step.get("owned", "owned" if cooperative else {})) or {}
    topics = step.get("names", configured["names"]) or []
    version = step.get("sub_version", 3)
    metadata = subscription(version, topics, owned, client.generation, configured.get("rack"))
    protocols = [[name, metadata] for name in step.get("protocols", configured["protocols"])]
    identity, sent = asked.identity(step, member_of(asked, step))
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
    client = _client(asked)
    view = client.view or {}
    leads = bool(view.get("Members")) and view.get("Leader") == client.given
    dealt_out = dealt(asked.definitions, asked.names, view["Members"], asked.counts) if leads else []
    identity, sent = asked.identity(step, member_of(asked, step))
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
    identity, sent = asked.identity(step, member_of(asked, step))
    generation = asked.client.epoch_of(step.get("gen", "gen"))
    return {"generation": generation, **identity}, sent | {"GenerationId": generation}


def _leave(asked: Asked, step: Step) -> Request:
    identity, sent = asked.identity(step, member_of(asked, step))
    member = {key: sent[key] for key in ("MemberId", "GroupInstanceId")}
    return {"members": [identity]}, {"GroupId": asked.group, "Members": [member | {"Reason": None}]}


BUILD: dict[str, Build] = {
    "consumer_heartbeat": _consumer_heartbeat,
    "consumer_describe": of_the_group,
    "join": _join,
    "sync": _sync,
    "heartbeat": _heartbeat,
    "leave": _leave,
}
"""By the name of an operation."""
