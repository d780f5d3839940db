"""Facts as the records that Kafka writes to `__consumer_offsets`, in the form of a recording."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from groupsim.conformance.scripts.groups import classic_records, offsets
from groupsim.conformance.scripts.groups.form import Form, Record, Role
from groupsim.conformance.scripts.groups.protocols import FORMS
from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.machine import AnyGroup, evolve
from groupsim.coordinator.topics import Topics
from groupsim.events import consumer as facts
from groupsim.events.base import Event
from groupsim.events.group import CommitAccepted, GroupDeleted, GroupEmptied, OffsetsDeleted

MEMBER = "MemberMetadata"
TARGET = "TargetAssignmentMember"
TARGET_EPOCH = "TargetAssignmentMetadata"
CURRENT = "CurrentMemberAssignment"
GROUP = "Metadata"
ENDS = (facts.GroupDowngraded, facts.EmptyGroupDropped, GroupDeleted)
"""Facts after which there is no group with epochs."""
SHARED_ROLES: dict[type[Event], Role] = {
    facts.StaticMemberAway: Role.CURRENT,
    facts.GroupEpochBumped: Role.EPOCH,
}
"""The roles of facts that several protocols have."""


class Recorder:
    """Turns facts into records; metadata hashes are numbered by first appearance, 0 for none."""

    def __init__(self, label: Callable[[str], str]) -> None:
        self._label = label
        self._hashes: dict[int, int] = {0: 0}

    def records(self, state: AnyGroup, events: Sequence[Event], topics: Topics) -> list[Record]:
        """The records of one decision about a group in this state, with the broker's topics at that time."""
        written: list[Record] = []
        for event in events:
            before, state = state, evolve(state, event)
            if isinstance(event, CommitAccepted | OffsetsDeleted):
                written.extend(offsets.records(event, topics))
            elif isinstance(event, ENDS) and not isinstance(before, ClassicGroup):
                written.extend(self._group_tombstones(FORMS[type(before)], before))
                if isinstance(event, facts.GroupDowngraded) and isinstance(state, ClassicGroup):
                    written.append(classic_records.record(state, self._label))
            elif isinstance(event, GroupDeleted):
                written.append(["GroupMetadata", {}, None])
            elif not isinstance(state, ClassicGroup):
                written.extend(self._of(FORMS[type(state)], state, event))
            elif classic_records.writes(event, events):
                written.append(classic_records.record(state, self._label))
        return written

    def _of(self, form: Form, group: Any, event: Event) -> Iterable[Record]:
        if isinstance(event, facts.GroupUpgraded):
            yield from self._upgrade(form, group, event)
        elif isinstance(event, facts.StaticMemberReplaced):
            yield from self._tombstones(form, event.old)
            yield self._metadata(form, group.members[event.member])
            yield self._target(form, group, event.member)
            yield self._current(form, group.members[event.member])
        elif isinstance(event, GroupEmptied) and group.behaviour.emptied_group_is_assigned:
            yield self._target_epoch(form, event.generation, timestamp=0)
        yield from self._by_role(form, group, event)

    def _by_role(self, form: Form, group: Any, event: Any) -> Iterable[Record]:
        """What all protocols write alike, each for facts of its own, and what one alone writes."""
        match form.roles.get(type(event)) or SHARED_ROLES.get(type(event)):
            case Role.MEMBER:
                yield self._metadata(form, group.members[event.member])
            case Role.REMOVED:
                yield from self._tombstones(form, event.member)
            case Role.CURRENT:
                yield self._current(form, group.members[event.member])
            case Role.EPOCH:
                yield self._epoch(form, group)
            case Role.TARGET:
                for member in sorted(event.changed, key=self._label):
                    yield self._target(form, group, member)
                yield self._target_epoch(form, event.epoch, timestamp=1)
            case None:
                yield from form.others(group, event)

    def _upgrade(self, form: Form, group: Any, event: facts.GroupUpgraded) -> Iterable[Record]:
        yield ["GroupMetadata", {}, None]
        for member in group.members.values():
            yield self._metadata(form, member)
        yield self._epoch(form, group)
        for member in group.members.values():
            yield self._target(form, group, member.id)
        yield self._target_epoch(form, event.generation, timestamp=0)
        for member in group.members.values():
            yield self._current(form, member)

    def _group_tombstones(self, form: Form, group: Any) -> Iterable[Record]:
        members = [{"MemberId": self._label(member)} for member in group.members]
        yield from ([form.prefix + CURRENT, key, None] for key in members)
        yield from ([form.prefix + TARGET, key, None] for key in members)
        yield [form.prefix + TARGET_EPOCH, {}, None]
        yield from ([form.prefix + MEMBER, key, None] for key in members)
        yield from form.last(group)

    def _epoch(self, form: Form, group: Any) -> Record:
        number = self._hashes.setdefault(group.metadata_hash, len(self._hashes))
        return [form.prefix + GROUP, {}, {"Epoch": group.epoch, "MetadataHash": number, **form.epoch(group)}]

    def _target_epoch(self, form: Form, epoch: int, *, timestamp: int) -> Record:
        return [form.prefix + TARGET_EPOCH, {}, {"AssignmentEpoch": epoch, "AssignmentTimestamp": timestamp}]

    def _tombstones(self, form: Form, member: str) -> Iterable[Record]:
        for kind in (CURRENT, TARGET, MEMBER):
            yield [form.prefix + kind, {"MemberId": self._label(member)}, None]

    def _metadata(self, form: Form, member: Any) -> Record:
        return [form.prefix + MEMBER, {"MemberId": self._label(member.id)}, form.member(member)]

    def _target(self, form: Form, group: Any, member: str) -> Record:
        return [form.prefix + TARGET, {"MemberId": self._label(member)}, form.target(group, member)]

    def _current(self, form: Form, member: Any) -> Record:
        return [form.prefix + CURRENT, {"MemberId": self._label(member.id)}, form.current(member)]
