"""What Kafka would have written into `__consumer_offsets` of a simulated run, as kafka-dump-log would print it.

Conversions of a group to the other protocol are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from groupsim.events import classic as c
from groupsim.events import consumer as k
from groupsim.events.base import Event, Recorded, group_stream
from groupsim.events.group import CommitAccepted, GroupEmptied, OffsetsDeleted
from groupsim.events.types import Held, MemberId, Partitions, Subscription
from tests.incidents.written_logs import BEGINS_MS

Keyed = tuple[int, dict[str, Any], dict[str, Any] | None]
"""Type, key and value of a record."""
_STATES = [k.MemberState.STABLE, k.MemberState.UNREVOKED_PARTITIONS, k.MemberState.UNRELEASED_PARTITIONS]
_MEMBER, _TARGET, _CURRENT = 5, 7, 8
_AWAY = -2


class Step(NamedTuple):
    """The records of one fact, and its instant (ms since 1970)."""

    at_ms: int
    records: list[Keyed]


def steps(facts: Iterable[Recorded], group: str) -> Iterator[Step]:
    """What is written of one group, with all fields of Kafka's newest versions; ids of topics are the facts'."""
    topic = _Topic(group)
    for fact in facts:
        if fact.stream == group_stream(group) and (records := list(topic.records(fact.event, fact.at_ms))):
            yield Step(BEGINS_MS + fact.at_ms, records)


def write_dump(facts: Iterable[Recorded], group: str, path: Path) -> Path:
    """The dump of one group's records."""
    lines, offset = ["Dumping __consumer_offsets-7/00000000000000000000.log"], 0
    for at_ms, records in steps(facts, group):
        lines.append(f"baseOffset: {offset} lastOffset: {offset + len(records) - 1} count: {len(records)}")
        for kind, key, value in records:
            lines.append(dump_line(offset, at_ms, kind, key, value))
            offset += 1
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def dump_line(
    offset: int, at_ms: int, kind: int, key: dict[str, Any], value: dict[str, Any] | None, version: int = 0
) -> str:
    """A record as kafka-dump-log prints it."""
    payload = "<DELETE>" if value is None else json.dumps({"version": str(version), "data": value})
    head = f"| offset: {offset} CreateTime: {at_ms} keySize: 1 valueSize: 1 sequence: 0 headerKeys: []"
    return f"{head} key: {json.dumps({'type': str(kind), 'data': key})} payload: {payload}"


class _Topic:
    """The records of each durable fact (Kafka: GroupCoordinatorRecordHelpers)."""

    def __init__(self, group: str) -> None:
        self._group = group
        self._completed_ms = 0
        self._stored: c.AssignmentStored | None = None
        self._consumer = False
        self._last: dict[tuple[int, MemberId], dict[str, Any]] = {}

    def records(self, event: Event, at_ms: int) -> Iterator[Keyed]:
        match event:
            case c.JoinPhaseCompleted():
                self._completed_ms = at_ms
            case c.AssignmentStored():
                self._stored = event
                yield self._generation(event)
            case c.MemberReplaced(request=None) if self._stored is not None and event.member is not None:
                self._stored = _replaced(self._stored, event.old, event.member)
                yield self._generation(self._stored)
            case GroupEmptied() if not self._consumer:
                yield self._generation(c.AssignmentStored(generation=event.generation), BEGINS_MS + at_ms)
            case CommitAccepted():
                for name, partition, offset in event.offsets:
                    said = {"offset": offset, "leaderEpoch": -1, "metadata": "", "commitTimestamp": BEGINS_MS + at_ms}
                    yield 1, {"group": self._group, "topic": name, "partition": partition}, {**said, "topicId": name}
            case OffsetsDeleted():
                for name, partition in event.partitions:
                    yield 1, {"group": self._group, "topic": name, "partition": partition}, None
            case _:
                yield from self._of_consumer_group(event)

    def _of_consumer_group(self, event: Event) -> Iterator[Keyed]:
        key = {"groupId": self._group}
        match event:
            case k.ConsumerMemberUpdated():
                self._consumer = True
                yield self._of_member(_MEMBER, event.member, _about(event))
            case k.GroupEpochBumped():
                yield 3, key, {"epoch": event.epoch, "metadataHash": event.metadata_hash}
            case k.TargetComputed():
                for member, partitions in event.changed.items():
                    yield self._of_member(_TARGET, member, {"topicPartitions": _by_topic(partitions, "topicId")})
                yield 6, key, {"assignmentEpoch": event.epoch, "assignmentTimestamp": BEGINS_MS + event.at_ms}
            case k.MemberReconciled():
                step: dict[str, Any] = {
                    "memberEpoch": event.epoch,
                    "previousMemberEpoch": event.previous_epoch,
                    "state": _STATES.index(event.state),
                    "assignedPartitions": _held(event.assigned),
                    "partitionsPendingRevocation": _held(event.pending),
                }
                yield self._of_member(_CURRENT, event.member, step)
            case k.StaticMemberAway():
                step = {**self._last[_CURRENT, event.member], "memberEpoch": _AWAY, "partitionsPendingRevocation": []}
                yield self._of_member(_CURRENT, event.member, step)
            case k.StaticMemberReplaced():
                had = {kind: self._last.get((kind, event.old)) for kind in (_MEMBER, _TARGET, _CURRENT)}
                yield from self._gone(event.old)
                for kind, value in had.items():
                    epochs = {"memberEpoch": 0, "previousMemberEpoch": 0} if kind == _CURRENT else {}
                    if value is not None:
                        yield self._of_member(kind, event.member, {**value, **epochs})
            case k.ConsumerMemberRemoved():
                yield from self._gone(event.member)
            case k.ExpressionResolved():
                found = {"topics": list(event.topics), "version": event.version, "timestamp": BEGINS_MS + event.at_ms}
                yield 16, {**key, "regularExpression": event.expression}, found
            case k.ExpressionDropped():
                yield 16, {**key, "regularExpression": event.expression}, None
            case _:
                pass

    def _of_member(self, kind: int, member: MemberId, value: dict[str, Any]) -> Keyed:
        self._last[kind, member] = value
        return kind, {"groupId": self._group, "memberId": member}, value

    def _gone(self, member: MemberId) -> Iterator[Keyed]:
        for kind in (_CURRENT, _TARGET, _MEMBER):
            self._last.pop((kind, member), None)
            yield kind, {"groupId": self._group, "memberId": member}, None

    def _generation(self, event: c.AssignmentStored, joined_ms: int | None = None) -> Keyed:
        plan = event.assignment or {}
        members = [
            {
                "memberId": each.member,
                "groupInstanceId": each.instance_id,
                "clientId": each.client_id,
                "clientHost": each.client_host,
                "rebalanceTimeout": each.rebalance_timeout_ms,
                "sessionTimeout": each.session_timeout_ms,
                "subscription": _subscription(each.subscription),
                "assignment": {
                    "assignedPartitions": _by_topic(plan.get(each.member, ()), "topic"),
                    "userData": None,
                },
            }
            for each in event.members
        ]
        value = {
            "protocolType": "consumer",
            "generation": event.generation,
            "protocol": event.protocol,
            "leader": event.leader,
            "currentStateTimestamp": BEGINS_MS + self._completed_ms if joined_ms is None else joined_ms,
            "members": members,
        }
        return 2, {"group": self._group}, value


def _about(event: k.ConsumerMemberUpdated) -> dict[str, Any]:
    return {
        "instanceId": event.instance_id,
        "rackId": event.rack,
        "clientId": event.client_id,
        "clientHost": event.client_host,
        "subscribedTopicNames": list(event.topics),
        "subscribedTopicRegex": event.expression or None,
        "rebalanceTimeoutMs": event.rebalance_timeout_ms,
        "serverAssignor": event.assignor,
        "classicMemberMetadata": None,
    }


def _subscription(sent: Subscription) -> dict[str, Any]:
    return {
        "topics": list(sent.topics),
        "userData": None,
        "ownedPartitions": _by_topic(sent.owned, "topic"),
        "generationId": sent.generation,
        "rackId": sent.rack,
    }


def _replaced(stored: c.AssignmentStored, old: str, new: str) -> c.AssignmentStored:
    plan = {new if member == old else member: partitions for member, partitions in (stored.assignment or {}).items()}
    members = tuple(
        msgspec.structs.replace(each, member=new) if each.member == old else each for each in stored.members
    )
    return msgspec.structs.replace(stored, assignment=plan, members=members)


def _held(held: Held) -> list[dict[str, Any]]:
    found: dict[str, tuple[list[int], list[int]]] = {}
    for topic, partition, epoch in held:
        numbers, epochs = found.setdefault(topic, ([], []))
        numbers.append(partition)
        epochs.append(epoch)
    return [{"topicId": topic, "partitions": each[0], "assignmentEpochs": each[1]} for topic, each in found.items()]


def _by_topic(partitions: Partitions, key: str) -> list[dict[str, Any]]:
    found: dict[str, list[int]] = {}
    for topic, partition in partitions:
        found.setdefault(topic, []).append(partition)
    return [{key: topic, "partitions": numbers} for topic, numbers in found.items()]
