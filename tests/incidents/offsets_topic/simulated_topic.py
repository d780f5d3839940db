"""What Kafka would have written into `__consumer_offsets` of a simulated run, as kafka-dump-log would print it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from groupsim.events import classic as c
from groupsim.events import consumer as k
from groupsim.events.base import Event, Recorded, group_stream
from groupsim.events.group import CommitAccepted, GroupEmptied
from groupsim.events.types import Held, Partitions
from tests.incidents.written_logs import BEGINS_MS

Keyed = tuple[int, dict[str, Any], dict[str, Any] | None]
"""Type, key and value of a record."""
_STATES = [k.MemberState.STABLE, k.MemberState.UNREVOKED_PARTITIONS, k.MemberState.UNRELEASED_PARTITIONS]


def write_dump(facts: Iterable[Recorded], group: str, path: Path) -> Path:
    """The dump of one group's records."""
    topic, lines, offset = _Topic(group), ["Dumping __consumer_offsets-7/00000000000000000000.log"], 0
    for fact in facts:
        if fact.stream != group_stream(group):
            continue
        records = list(topic.records(fact.event, fact.at_ms))
        if records:
            lines.append(f"baseOffset: {offset} lastOffset: {offset + len(records) - 1} count: {len(records)}")
        for kind, key, value in records:
            payload = "<DELETE>" if value is None else json.dumps({"version": "0", "data": value})
            head = f"| offset: {offset} CreateTime: {BEGINS_MS + fact.at_ms} keySize: 1 valueSize: 1 sequence: 0"
            lines.append(
                f"{head} headerKeys: [] key: {json.dumps({'type': str(kind), 'data': key})} payload: {payload}"
            )
            offset += 1
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


class _Topic:
    """The records of each durable fact (Kafka: GroupCoordinatorRecordHelpers)."""

    def __init__(self, group: str) -> None:
        self._group = group
        self._completed_ms = 0
        self._stored: c.AssignmentStored | None = None
        self._consumer = False

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
                empty = {"protocolType": "consumer", "generation": event.generation, "members": []}
                yield 2, {"group": self._group}, {**empty, "currentStateTimestamp": BEGINS_MS + at_ms}
            case CommitAccepted():
                for name, partition, offset in event.offsets:
                    yield 1, {"group": self._group, "topic": name, "partition": partition}, {"offset": offset}
            case _:
                yield from self._of_consumer_group(event)

    def _of_consumer_group(self, event: Event) -> Iterator[Keyed]:
        key = {"groupId": self._group}
        match event:
            case k.ConsumerMemberUpdated():
                self._consumer = True
                about: dict[str, Any] = {
                    "clientId": event.client_id,
                    "instanceId": event.instance_id,
                    "subscribedTopicNames": list(event.topics),
                    "classicMemberMetadata": None,
                }
                yield 5, {**key, "memberId": event.member}, about
            case k.GroupEpochBumped():
                yield 3, key, {"epoch": event.epoch}
            case k.TargetComputed():
                for member, partitions in event.changed.items():
                    yield 7, {**key, "memberId": member}, {"topicPartitions": _by_topic(partitions, "topicId")}
                yield 6, key, {"assignmentEpoch": event.epoch}
            case k.MemberReconciled():
                step: dict[str, Any] = {
                    "memberEpoch": event.epoch,
                    "previousMemberEpoch": event.previous_epoch,
                    "state": _STATES.index(event.state),
                    "assignedPartitions": _held(event.assigned),
                    "partitionsPendingRevocation": _held(event.pending),
                }
                yield 8, {**key, "memberId": event.member}, step
            case k.ConsumerMemberRemoved():
                for kind in (8, 7, 5):
                    yield kind, {**key, "memberId": event.member}, None
            case _:
                pass

    def _generation(self, event: c.AssignmentStored) -> Keyed:
        plan = event.assignment or {}
        members = [
            {
                "memberId": each.member,
                "groupInstanceId": each.instance_id,
                "clientId": each.client_id,
                "clientHost": each.client_host,
                "sessionTimeout": each.session_timeout_ms,
                "subscription": {
                    "topics": list(each.subscription.topics),
                    "ownedPartitions": _by_topic(each.subscription.owned, "topic"),
                },
                "assignment": {"assignedPartitions": _by_topic(plan.get(each.member, ()), "topic")},
            }
            for each in event.members
        ]
        value = {"protocolType": "consumer", "generation": event.generation, "protocol": event.protocol}
        joined = {"currentStateTimestamp": BEGINS_MS + self._completed_ms}
        return 2, {"group": self._group}, {**value, **joined, "leader": event.leader, "members": members}


def _replaced(stored: c.AssignmentStored, old: str, new: str) -> c.AssignmentStored:
    plan = {new if member == old else member: partitions for member, partitions in (stored.assignment or {}).items()}
    members = tuple(
        msgspec.structs.replace(each, member=new) if each.member == old else each for each in stored.members
    )
    return msgspec.structs.replace(stored, assignment=plan, members=members)


def _held(held: Held) -> list[dict[str, Any]]:
    found: dict[str, list[int]] = {}
    for topic, partition, _ in held:
        found.setdefault(topic, []).append(partition)
    return [{"topicId": topic, "partitions": numbers} for topic, numbers in found.items()]


def _by_topic(partitions: Partitions, key: str) -> list[dict[str, Any]]:
    found: dict[str, list[int]] = {}
    for topic, partition in partitions:
        found.setdefault(topic, []).append(partition)
    return [{key: topic, "partitions": numbers} for topic, numbers in found.items()]
