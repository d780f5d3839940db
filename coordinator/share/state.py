"""The state of a share group: immutable, changed by `evolve` alone (Kafka: ShareGroup, ShareGroupMember)."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from groupsim.coordinator.modern.state import ModernGroup, ModernMember, Phase
from groupsim.events.types import MemberId, Partitions, Plan, TopicId, TopicPartition


class Member(ModernMember, frozen=True, kw_only=True):
    """A member. `topics` are the subscribed names, sorted and distinct; `assigned` it may read at once.

    `bare` are topics of its assignment that it has no partition of any more.
    """

    topics: tuple[str, ...] = ()
    assigned: Partitions = ()
    bare: tuple[TopicId, ...] = ()


class Initializing(msgspec.Struct, frozen=True):
    """Partitions of a topic that the share coordinator was asked for, with their start offsets; `since_ms` last."""

    offsets: Mapping[int, int]
    since_ms: int


class ShareGroup(ModernGroup[Member, Partitions], frozen=True, kw_only=True):
    """A group as its coordinator knows it. `targets` may have a partition several times; `bare` as in a member.

    Of the share state of each topic: `initializing`; `initialized`, start offsets by partition; `deleting`. The start
    offsets themselves lie with the share coordinator. `has_state`: there is a record of it, perhaps an empty one.
    """

    bare: Mapping[MemberId, tuple[TopicId, ...]] = msgspec.field(default_factory=dict)
    initializing: Mapping[TopicId, Initializing] = msgspec.field(default_factory=dict)
    initialized: Mapping[TopicId, Mapping[int, int]] = msgspec.field(default_factory=dict)
    deleting: tuple[TopicId, ...] = ()
    has_state: bool = False

    @property
    def phase(self) -> Phase:
        """Stable with any member, also while a target is due or a member has not heard of it."""
        return Phase.STABLE if self.members else Phase.EMPTY

    @property
    def assignment(self) -> Plan:
        """The partitions each member may use, sorted by member id; topics by id."""
        return {m: self.members[m].assigned for m in sorted(self.members)}

    def subscribed(self) -> set[str]:
        """The names that somebody subscribes to."""
        return {name for topics in {member.topics for member in self.members.values()} for name in topics}

    def known_partitions(self) -> set[TopicPartition]:
        """The partitions whose state is initialised."""
        return {TopicPartition(topic, number) for topic, offsets in self.initialized.items() for number in offsets}
