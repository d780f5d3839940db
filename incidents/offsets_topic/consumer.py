"""The records of a consumer group (KIP-848), one batch at a time, into its ledger.

A current assignment is written when the coordinator answers the heartbeat that gives it to the member, or that says
what the member has given up (Kafka: GroupMetadataManager.consumerGroupHeartbeat, CurrentAssignmentBuilder).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from groupsim.events.types import MemberId, TopicPartition
from groupsim.incidents.logs.row_kinds import RowKind
from groupsim.incidents.offsets_topic import fields as f
from groupsim.incidents.offsets_topic.ledger import Ledger, MemberFields
from groupsim.incidents.offsets_topic.record import GroupRecord

_STATES = ("stable", "unrevoked-partitions", "unreleased-partitions")
"""Kafka: MemberState."""
_FIRST = 2
"""The epoch to which a new group's first member bumps it."""
_AWAY = -2
"""The epoch of a static member that left for a while (Kafka: LEAVE_GROUP_STATIC_MEMBER_EPOCH)."""


class ConsumerFold:
    """Folds the records of consumer groups; `alive`: the group is one now."""

    def __init__(self, ledger: Ledger, names: Mapping[str, str]) -> None:
        self.alive = False
        self._ledger = ledger
        self._names = names
        self._epoch = 0
        self._epoch_ms = 0
        self._begins = False
        self._from: int | None = None
        self._targets: dict[MemberId, set[TopicPartition]] = {}
        self._classic: set[MemberId] = set()
        self._assignor: str | None = None
        self._asked: dict[MemberId, int] = {}

    def batch(self, records: Sequence[GroupRecord]) -> None:
        """Take the records of one batch, which are one step of the coordinator."""
        self.alive = True
        if self._from is not None:
            self._converted(records, self._from)
        by_kind: dict[str, list[GroupRecord]] = {}
        for record in records:
            by_kind.setdefault(record.kind.removeprefix("ConsumerGroup"), []).append(record)
        gone = [r for r in by_kind.get("MemberMetadata", ()) if r.value is None]
        new = [r for r in by_kind.get("MemberMetadata", ()) if r.value is not None]
        replaced = {_instance(r): r for r in new if _instance(r) is not None}
        for record in gone:
            self._gone(record, replaced)
        for record in new:
            self._member(record)
        for record in by_kind.get("Metadata", ()):
            self._epoch_record(record)
        for record in by_kind.get("TargetAssignmentMember", ()):
            if record.value is None:
                self._targets.pop(_member(record), None)
            else:
                targets = record.value.get("topicPartitions")
                self._targets[_member(record)] = f.by_topic(targets, "topicId", self._names)
        for record in by_kind.get("TargetAssignmentMetadata", ()):
            self._target(record)
        for record in by_kind.get("CurrentMemberAssignment", ()):
            if record.value is not None:
                self._current(record)
        self._from = None

    def upgraded(self, generation: int | None) -> None:
        """The group was a classic group: its epochs follow its generations. The next batch has its members."""
        self._begins = True
        self._from = generation if self._ledger.present() else None

    def _converted(self, records: Sequence[GroupRecord], generation: int) -> None:
        """The members stay with what they were assigned; their first epoch, the last generation, is no new one."""
        held = {member: set(self._ledger.held(member)) for member in self._ledger.present()}
        for record in records:
            value = record.value or {}
            if record.kind == "ConsumerGroupCurrentMemberAssignment" and value.get("memberEpoch") == generation:
                held[_member(record)] = f.by_topic(value.get("assignedPartitions"), "topicId", self._names)
        printed = {member: [str(p) for p in sorted(held[member])] for member in sorted(held)}
        first = records[0]
        self._ledger.say(
            first.at_ms, first.place, RowKind.GROUP_CONVERTED, to="consumer", generation=generation, held=printed
        )

    def forget(self) -> None:
        """The group became a classic group, or was deleted: its records are gone."""
        self.alive = False
        self._epoch, self._targets, self._classic = 0, {}, set()

    def _gone(self, record: GroupRecord, replaced: Mapping[str | None, GroupRecord]) -> None:
        member = _member(record)
        former = self._ledger.memberships.get(member)
        successor = replaced.get(former.instance) if former is not None and former.instance is not None else None
        self._targets.pop(member, None)
        self._classic.discard(member)
        self._ledger.gone(member, record.at_ms, record.place, said=successor is None)
        if successor is not None and former is not None:
            new = _member(successor)
            self._appear(successor)
            self._ledger.say(
                record.at_ms,
                record.place,
                RowKind.STATIC_MEMBER_REPLACED,
                new,
                old_member=member,
                instance=former.instance,
            )

    def _member(self, record: GroupRecord) -> None:
        member, value = _member(record), record.value or {}
        known = self._ledger.has(member)
        self._appear(record)
        if value.get("classicMemberMetadata") is not None:
            self._classic.add(member)
        else:
            self._classic.discard(member)
        self._assignor = f.text(value.get("serverAssignor")) or self._assignor
        if not known:
            found = f.timeouts(value)
            self._ledger.say(
                record.at_ms,
                record.place,
                RowKind.MEMBER_JOINED,
                member,
                instance=f.text(value.get("instanceId")),
                timeouts={member: found} if found else None,
            )

    def _appear(self, record: GroupRecord) -> None:
        value = record.value or {}
        client, host, instance = (f.text(value.get(key)) for key in ("clientId", "clientHost", "instanceId"))
        fields = MemberFields(client, host, instance, tuple(sorted(f.texts(value.get("subscribedTopicNames")))))
        self._ledger.appear(record.at_ms, record.place, _member(record), fields)

    def _epoch_record(self, record: GroupRecord) -> None:
        epoch = f.number((record.value or {}).get("epoch"))
        if epoch is None:
            self._ledger.say(record.at_ms, record.place, RowKind.GROUP_DEAD)
            return
        if self._epoch and epoch > self._epoch + 1:
            for member in self._ledger.present():
                held = self._ledger.held(member)
                self._ledger.pause(member, held, self._epoch_ms, record.at_ms, exact=True)
        if not self._begins:
            self._ledger.lacks("epochs", max(self._epoch, _FIRST - 1) + 1, epoch - 1)
        self._epoch, self._epoch_ms, self._begins = epoch, record.at_ms, False
        if epoch != self._from:
            self._ledger.say(record.at_ms, record.place, RowKind.GROUP_EPOCH_BUMPED, epoch=epoch)

    def _target(self, record: GroupRecord) -> None:
        epoch = f.number((record.value or {}).get("assignmentEpoch"))
        if epoch is None or epoch == self._from:
            return
        targets = {m: [str(p) for p in sorted(self._targets.get(m, ()))] for m in sorted(self._targets)}
        self._ledger.say(
            record.at_ms, record.place, RowKind.TARGET_ASSIGNMENT, epoch=epoch, assignor=self._assignor, targets=targets
        )

    def _current(self, record: GroupRecord) -> None:
        ledger, member, value, at_ms = self._ledger, _member(record), record.value or {}, record.at_ms
        if member not in ledger.memberships:  # its own record came before the topic's first
            ledger.appear(at_ms, record.place, member, MemberFields())
        epoch = f.number(value.get("memberEpoch")) or 0
        assigned = f.by_topic(value.get("assignedPartitions"), "topicId", self._names)
        pending = f.by_topic(value.get("partitionsPendingRevocation"), "topicId", self._names)
        before = ledger.held(member)
        now = frozenset() if epoch == _AWAY else frozenset(assigned | pending)
        if member in self._classic:
            ledger.pause(member, before & now, at_ms, at_ms, exact=False)
        elif before != now:
            ledger.pause(member, before & now, self._asked.get(member, at_ms), at_ms, exact=True)
        if pending:
            self._asked.setdefault(member, at_ms)
        else:
            self._asked.pop(member, None)
        ledger.served_to(member, pending & before, at_ms)
        ledger.hold(member, at_ms, now, epoch, record.place)
        if epoch == _AWAY:
            ledger.say(at_ms, record.place, RowKind.MEMBER_LEFT, member, what="temporarily left")
            return
        state = f.number(value.get("state"))
        ledger.say(
            at_ms,
            record.place,
            RowKind.MEMBER_RECONCILED,
            member,
            epoch=epoch,
            previous=f.number(value.get("previousMemberEpoch")),
            state=_STATES[state] if state is not None and 0 <= state < len(_STATES) else "unknown",
            assigned=[str(each) for each in sorted(assigned)],
            pending=[str(each) for each in sorted(pending)],
        )


def _member(record: GroupRecord) -> MemberId:
    return str(record.key.get("memberId"))


def _instance(record: GroupRecord) -> str | None:
    return f.text((record.value or {}).get("instanceId"))
