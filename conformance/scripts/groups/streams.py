"""Streams groups (KIP-1071) in the form of a recording."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from groupsim.conformance.scripts.groups.form import Form, Record, Role, Translate
from groupsim.conformance.scripts.groups.topics import by_topic_name, partitions_of
from groupsim.conformance.scripts.script import Step
from groupsim.coordinator.modern.evolve import held
from groupsim.coordinator.modern.state import Holding
from groupsim.coordinator.streams.commands import Route, StreamsHeartbeat
from groupsim.coordinator.streams.commands import StreamsHeartbeatAnswer as Answer
from groupsim.coordinator.streams.state import Member, StreamsGroup
from groupsim.coordinator.topics import Topics
from groupsim.events import streams as facts
from groupsim.events.base import Event
from groupsim.events.consumer import MemberState
from groupsim.events.streams import Copartition, InternalTopic, Pairs, Subtopology, TaskOffsets, Tasks, Topology
from groupsim.events.types import Partitions

ASSIGNOR = "sticky"
TOPOLOGY = "StreamsGroupTopology"
STATE_NUMBERS = {
    MemberState.STABLE: 1,
    MemberState.UNREVOKED_PARTITIONS: 2,
    MemberState.UNRELEASED_PARTITIONS: 3,
    MemberState.UNKNOWN: 127,
}


def _heartbeat(step: Step, new_member: str, resolve: Translate) -> StreamsHeartbeat:
    asked = step["request"]
    topology, endpoint, tags = asked["topology"], asked["endpoint"], asked["tags"]
    return StreamsHeartbeat(
        request=step["i"],
        member=resolve(asked["member_id"]),
        epoch=asked["member_epoch"],
        endpoint_epoch=asked["endpoint_epoch"],
        instance_id=asked["instance_id"],
        rack=asked["rack_id"],
        client_id=step["as"],
        rebalance_timeout_ms=asked["rebalance_timeout_ms"],
        topology=None if topology is None else _topology(topology),
        active=_tasks(asked["active"]),
        standby=_tasks(asked["standby"]),
        warmup=_tasks(asked["warmup"]),
        process=asked["process_id"],
        endpoint=None if endpoint is None else (endpoint[0], endpoint[1]),
        tags=None if tags is None else _pairs(tags),
        offsets=_offsets(asked["offsets"]),
        end_offsets=_offsets(asked["end_offsets"]),
        shutdown=asked["shutdown"],
        version=step["v"],
    )


def _tasks(listed: Mapping[str, list[int]] | None) -> Partitions | None:
    return None if listed is None else partitions_of(listed)


def _pairs(named: Mapping[str, str]) -> Pairs:
    return tuple(sorted(named.items()))


def _offsets(said: Mapping[str, Mapping[str, int]] | None) -> TaskOffsets | None:
    if said is None:
        return None
    return tuple(sorted((part, int(number), sum_) for part, of in said.items() for number, sum_ in of.items()))


def _topology(sent: Mapping[str, Any]) -> Topology:
    return Topology(sent["epoch"], tuple(_subtopology(part) for part in sent["subtopologies"]))


def _subtopology(sent: Mapping[str, Any]) -> Subtopology:
    return Subtopology(
        id=sent["id"],
        sources=tuple(sent["sources"]),
        expressions=tuple(sent["regex"]),
        changelogs=tuple(map(_internal, sent["changelogs"])),
        repartition_sinks=tuple(sent["repartition_sinks"]),
        repartition_sources=tuple(map(_internal, sent["repartition_sources"])),
        copartition=tuple(Copartition(tuple(g["sources"]), tuple(g["repartition"])) for g in sent["copartition"]),
    )


def _internal(sent: Mapping[str, Any]) -> InternalTopic:
    return InternalTopic(sent["name"], sent["partitions"], sent["replication"], _pairs(sent["configs"]))


def _answer(answer: Answer, label: Translate) -> dict[str, Any]:
    tasks, routes = answer.tasks, answer.routes
    answered = {
        "error": answer.error.name,
        "member_id": label(answer.member or ""),
        "member_epoch": answer.epoch,
        "heartbeat_interval_ms": answer.heartbeat_interval_ms,
        "task_offset_interval_ms": answer.task_offset_interval_ms,
        "acceptable_recovery_lag": answer.acceptable_recovery_lag,
        "status": [[status, _as_recorded(detail)] for status, detail in answer.status],
        "active": None if tasks is None else by_topic_name(tasks.active),
        "standby": None if tasks is None else by_topic_name(tasks.standby),
        "warmup": None if tasks is None else {},
        "endpoint_epoch": answer.endpoint_epoch,
        "partitions_by_endpoint": None if routes is None else sorted(map(_route, routes), key=json.dumps),
    }
    return answered | ({} if answer.message is None else {"message": answer.message})


def _route(route: Route) -> list[Any]:
    endpoint, active, standby = route
    return [list(endpoint), by_topic_name(active), by_topic_name(standby)]


def _as_recorded(detail: str) -> str:
    """Recordings have what stands in brackets with its parts in one order: the broker lists sets."""
    return re.sub(r"\[([^]]*)\]", lambda found: f"[{', '.join(sorted(found[1].split(', ')))}]", detail)


def _described(group: StreamsGroup, topics: Topics, label: Translate) -> dict[str, Any]:
    topology = group.topology
    members = [_seen(group, member, label) for member in group.members.values()]
    return {
        "state": group.phase.value,
        "group_epoch": group.epoch,
        "assignment_epoch": group.target_epoch,
        "assignor": ASSIGNOR,
        "topology_epoch": topology.epoch if topology is not None else -1,
        "topology": {part.id: _seen_part(part) for part in (topology.subtopologies if topology is not None else ())},
        "members": sorted(members, key=lambda member: str(member["member_id"])),
    }


def _seen_part(part: Subtopology) -> dict[str, Any]:
    return {
        "sources": sorted(part.sources),
        "changelogs": sorted(topic.name for topic in part.changelogs),
        "repartition_sources": sorted(topic.name for topic in part.repartition_sources),
        "repartition_sinks": sorted(part.repartition_sinks),
    }


def _seen(group: StreamsGroup, member: Member, label: Translate) -> dict[str, Any]:
    return {
        "member_id": label(member.id),
        "instance_id": member.instance_id,
        "rack_id": member.rack,
        "member_epoch": member.epoch,
        "client_id": member.client_id,
        "topology_epoch": member.topology_epoch,
        "process_id": member.process,
        "endpoint": None if member.endpoint is None else list(member.endpoint),
        "tags": dict(member.tags),
        "offsets": _by_task(group.offsets.get(member.id, {})),
        "end_offsets": _by_task(group.end_offsets.get(member.id, {})),
        "assignment": _listed(member.tasks),
        "target": _listed(group.targets.get(member.id, Tasks())),
        "classic": False,
    }


def _by_task(offsets: Holding) -> dict[str, dict[str, int]]:
    rows: dict[str, dict[str, int]] = {}
    for (part, number), offset in sorted(offsets.items()):
        rows.setdefault(part, {})[str(number)] = offset
    return rows


def _listed(tasks: Tasks) -> dict[str, Any]:
    return {"active": by_topic_name(tasks.active), "standby": by_topic_name(tasks.standby), "warmup": {}}


def _member(member: Member) -> dict[str, Any]:
    endpoint = None if member.endpoint is None else {"Host": member.endpoint[0], "Port": member.endpoint[1]}
    return {
        "InstanceId": member.instance_id,
        "RackId": member.rack,
        "ClientId": member.client_id,
        "RebalanceTimeoutMs": member.rebalance_timeout_ms,
        "TopologyEpoch": member.topology_epoch,
        "ProcessId": member.process,
        "UserEndpoint": endpoint,
        "ClientTags": [{"Key": key, "Value": value} for key, value in member.tags],
    }


def _rows(tasks: Partitions, **more: Any) -> list[dict[str, Any]]:
    return [{"SubtopologyId": part, "Partitions": numbers} | more for part, numbers in by_topic_name(tasks).items()]


def _target(group: StreamsGroup, member: str) -> dict[str, Any]:
    tasks = group.targets[member]
    return {"ActiveTasks": _rows(tasks.active), "StandbyTasks": _rows(tasks.standby), "WarmupTasks": []}


def _since(tasks: Holding) -> list[dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for part, number, epoch in held(tasks):
        row = rows.setdefault(part, {"SubtopologyId": part, "Partitions": [], "AssignmentEpochs": []})
        row["Partitions"].append(number)
        row["AssignmentEpochs"].append(epoch)
    return list(rows.values())


def _current(member: Member) -> dict[str, Any]:
    return {
        "MemberEpoch": member.epoch,
        "PreviousMemberEpoch": member.previous_epoch,
        "State": STATE_NUMBERS[member.state],
        "ActiveTasks": _since(member.active),
        "StandbyTasks": _rows(member.standby, AssignmentEpochs=None),
        "WarmupTasks": [],
        "ActiveTasksPendingRevocation": _since(member.pending_active),
        "StandbyTasksPendingRevocation": _rows(member.pending_standby, AssignmentEpochs=None),
        "WarmupTasksPendingRevocation": [],
    }


def _epoch(group: StreamsGroup) -> dict[str, Any]:
    return {
        "ValidatedTopologyEpoch": group.validated_epoch,
        "LastAssignmentConfigs": [{"Key": key, "Value": value} for key, value in group.assignment_configs],
        "StoredDescriptionTopologyEpoch": -1,
        "FailedDescriptionTopologyEpoch": -1,
    }


def _others(group: StreamsGroup, event: Event) -> Iterable[Record]:
    match event:
        case facts.StreamsGroupCreated() if event.replaces_classic:
            yield ["GroupMetadata", {}, None]
        case facts.TopologyStored():
            parts = [_stored_part(part) for part in event.topology.subtopologies]
            yield [TOPOLOGY, {}, {"Epoch": event.topology.epoch, "Subtopologies": parts}]


def _stored_part(part: Subtopology) -> dict[str, Any]:
    return {
        "SubtopologyId": part.id,
        "SourceTopics": list(part.sources),
        "SourceTopicRegex": list(part.expressions),
        "StateChangelogTopics": [_stored_topic(topic) for topic in part.changelogs],
        "RepartitionSinkTopics": list(part.repartition_sinks),
        "RepartitionSourceTopics": [_stored_topic(topic) for topic in part.repartition_sources],
        "CopartitionGroups": [
            {"SourceTopics": list(g.sources), "SourceTopicRegex": [], "RepartitionSourceTopics": list(g.repartition)}
            for g in part.copartition
        ],
    }


def _stored_topic(topic: InternalTopic) -> dict[str, Any]:
    return {
        "Name": topic.name,
        "Partitions": topic.partitions,
        "ReplicationFactor": topic.replication,
        "TopicConfigs": [{"key": key, "value": value} for key, value in topic.configs],
    }


def _last(group: StreamsGroup) -> Iterable[Record]:
    yield ["StreamsGroupMetadata", {}, None]
    yield [TOPOLOGY, {}, None]


FORM = Form(
    kind="streams",
    prefix="StreamsGroup",
    described=_described,
    build={"streams_heartbeat": _heartbeat},
    tell={Answer: _answer},
    roles={
        facts.StreamsMemberUpdated: Role.MEMBER,
        facts.StreamsMemberRemoved: Role.REMOVED,
        facts.StreamsGroupEpochBumped: Role.EPOCH,
        facts.StreamsTargetComputed: Role.TARGET,
        facts.StreamsMemberReconciled: Role.CURRENT,
    },
    member=_member,
    target=_target,
    current=_current,
    epoch=_epoch,
    others=_others,
    last=_last,
)
