"""Facts as the records that Kafka writes to `__consumer_offsets`, in the form of a recording."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from groupsim.conformance.scripts.consumer import classic_records, offsets
from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.consumer.evolve import evolve, held
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.topics import Topics
from groupsim.events import consumer as facts
from groupsim.events.base import Event
from groupsim.events.consumer import MemberState
from groupsim.events.group import CommitAccepted, GroupDeleted, GroupEmptied, OffsetsDeleted
from groupsim.events.types import Held, Partitions

State = ClassicGroup | ConsumerGroup
Record = list[Any]
"""`[type, key, value]`; a value of None is a tombstone."""
MEMBER = "ConsumerGroupMemberMetadata"
TARGET = "ConsumerGroupTargetAssignmentMember"
TARGET_EPOCH = "ConsumerGroupTargetAssignmentMetadata"
CURRENT = "ConsumerGroupCurrentMemberAssignment"
GROUP = "ConsumerGroupMetadata"
EXPRESSION = "ConsumerGroupRegularExpression"
PARTITIONS = "ConsumerGroupPartitionMetadata"
ENDS = (facts.GroupDowngraded, facts.EmptyGroupDropped, GroupDeleted)
"""Facts after which there is no consumer group."""
STATE_NUMBERS = {
    MemberState.STABLE: 0,
    MemberState.UNREVOKED_PARTITIONS: 1,
    MemberState.UNRELEASED_PARTITIONS: 2,
    MemberState.UNKNOWN: 127,
}


class Recorder:
    """Turns facts into records; metadata hashes are numbered by first appearance, 0 for none."""

    def __init__(self, label: Callable[[str], str]) -> None:
        self._label = label
        self._hashes: dict[int, int] = {0: 0}

    def records(self, state: State, events: Sequence[Event], topics: Topics) -> list[Record]:
        """The records of one decision about a group in this state, with the broker's topics at that time."""
        written: list[Record] = []
        for event in events:
            before, state = state, evolve(state, event)
            if isinstance(event, CommitAccepted | OffsetsDeleted):
                written.extend(offsets.records(event, topics))
            elif isinstance(event, ENDS) and isinstance(before, ConsumerGroup):
                written.extend(self._group_tombstones(before))
                if isinstance(event, facts.GroupDowngraded) and isinstance(state, ClassicGroup):
                    written.append(classic_records.record(state, self._label))
            elif isinstance(event, GroupDeleted):
                written.append(["GroupMetadata", {}, None])
            elif isinstance(state, ConsumerGroup):
                written.extend(self._of(state, event))
            elif classic_records.writes(event, events):
                written.append(classic_records.record(state, self._label))
        return written

    def _of(self, group: ConsumerGroup, event: Event) -> Iterable[Record]:
        match event:
            case facts.ConsumerGroupCreated() if event.replaces_classic:
                yield ["GroupMetadata", {}, None]
            case facts.GroupUpgraded():
                yield from self._upgrade(group, event)
            case facts.ConsumerMemberUpdated():
                yield self._metadata(group.members[event.member])
            case facts.ConsumerMemberRemoved():
                yield from self._tombstones(event.member)
            case facts.StaticMemberReplaced():
                yield from self._tombstones(event.old)
                yield self._metadata(group.members[event.member])
                yield self._target(event.member, group.targets[event.member])
                yield self._current(group.members[event.member])
            case facts.StaticMemberAway() | facts.MemberReconciled():
                yield self._current(group.members[event.member])
            case facts.ExpressionResolved():
                yield [EXPRESSION, {"RegularExpression": event.expression}, {"Topics": sorted(event.topics)}]
            case facts.ExpressionDropped():
                yield [EXPRESSION, {"RegularExpression": event.expression}, None]
            case facts.GroupEpochBumped():
                yield self._epoch(event.epoch, event.metadata_hash)
            case facts.TargetComputed():
                for member, target in sorted(event.changed.items(), key=lambda pair: self._label(pair[0])):
                    yield self._target(member, target)
                yield [TARGET_EPOCH, {}, {"AssignmentEpoch": event.epoch, "AssignmentTimestamp": 1}]
            case GroupEmptied() if group.behaviour.emptied_group_is_assigned:
                yield [TARGET_EPOCH, {}, {"AssignmentEpoch": event.generation, "AssignmentTimestamp": 0}]

    def _upgrade(self, group: ConsumerGroup, event: facts.GroupUpgraded) -> Iterable[Record]:
        yield ["GroupMetadata", {}, None]
        for member in group.members.values():
            yield self._metadata(member)
        yield self._epoch(event.generation, event.metadata_hash)
        for member in group.members.values():
            yield self._target(member.id, group.targets[member.id])
        yield [TARGET_EPOCH, {}, {"AssignmentEpoch": event.generation, "AssignmentTimestamp": 0}]
        for member in group.members.values():
            yield self._current(member)

    def _group_tombstones(self, group: ConsumerGroup) -> Iterable[Record]:
        members = [{"MemberId": self._label(member)} for member in group.members]
        yield from ([CURRENT, key, None] for key in members)
        yield from ([TARGET, key, None] for key in members)
        yield [TARGET_EPOCH, {}, None]
        yield from ([MEMBER, key, None] for key in members)
        yield from ([EXPRESSION, {"RegularExpression": expression}, None] for expression in group.resolved)
        yield [PARTITIONS, {}, None]
        yield [GROUP, {}, None]

    def _epoch(self, epoch: int, metadata_hash: int) -> Record:
        number = self._hashes.setdefault(metadata_hash, len(self._hashes))
        return [GROUP, {}, {"Epoch": epoch, "MetadataHash": number}]

    def _tombstones(self, member: str) -> Iterable[Record]:
        for kind in (CURRENT, TARGET, MEMBER):
            yield [kind, {"MemberId": self._label(member)}, None]

    def _metadata(self, member: Member) -> Record:
        value = {
            "InstanceId": member.instance_id,
            "RackId": member.rack,
            "ClientId": member.client_id,
            "SubscribedTopicNames": list(member.topics),
            "SubscribedTopicRegex": member.expression,
            "RebalanceTimeoutMs": member.rebalance_timeout_ms,
            "ServerAssignor": member.assignor,
            "ClassicMemberMetadata": None if member.classic is None else classic_records.metadata(member.classic),
        }
        return [MEMBER, {"MemberId": self._label(member.id)}, value]

    def _target(self, member: str, target: Partitions) -> Record:
        rows: dict[str, list[int]] = {}
        for topic, number in target:
            rows.setdefault(topic, []).append(number)
        value = {"TopicPartitions": [{"TopicId": topic, "Partitions": numbers} for topic, numbers in rows.items()]}
        return [TARGET, {"MemberId": self._label(member)}, value]

    def _current(self, member: Member) -> Record:
        value = {
            "MemberEpoch": member.epoch,
            "PreviousMemberEpoch": member.previous_epoch,
            "State": STATE_NUMBERS[member.state],
            "AssignedPartitions": _held(held(member.assigned)),
            "PartitionsPendingRevocation": _held(held(member.pending)),
        }
        return [CURRENT, {"MemberId": self._label(member.id)}, value]


def _held(partitions: Held) -> list[dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for topic, number, epoch in partitions:
        row = rows.setdefault(topic, {"TopicId": topic, "Partitions": [], "AssignmentEpochs": []})
        row["Partitions"].append(number)
        row["AssignmentEpochs"].append(epoch)
    return list(rows.values())
