"""The state of a group whose members send heartbeats with epochs, whatever they are assigned; immutable.

Kafka: ModernGroup, ModernGroupMember. A protocol derives its own group and its own member from these two.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, ClassVar, Generic, Self, TypeVar

import msgspec
from msgspec.structs import replace

from groupsim.coordinator.broker_versions import Behaviour, BrokerVersion, behaviour
from groupsim.coordinator.classic.state import ClassicGroup, Elect
from groupsim.coordinator.classic.votes import elect_by_hash
from groupsim.coordinator.config import Configs
from groupsim.coordinator.server_assignors import Assign, assign_by_name
from groupsim.coordinator.topics import NO_HASH
from groupsim.events.consumer import MemberState
from groupsim.events.types import GroupId, MemberId, TopicPartition

AWAY_EPOCH = -2
"""The epoch of a static member that said it will be back."""
Holding = Mapping[TopicPartition, int]
"""Partition -> assignment epoch, sorted by partition."""
AnyMember = TypeVar("AnyMember", bound="ModernMember")
Target = TypeVar("Target")
"""What a member is to have: the kind of assignment of the protocol."""


class Phase(StrEnum):
    """The states of these groups, with the names that administrators see."""

    EMPTY = "Empty"
    NOT_READY = "NotReady"
    ASSIGNING = "Assigning"
    RECONCILING = "Reconciling"
    STABLE = "Stable"


class ModernMember(msgspec.Struct, frozen=True, kw_only=True):
    """A member: who it is, and how far it has come. `epoch` is that of the target it reached last."""

    id: MemberId
    instance_id: str | None = None
    rack: str | None = None
    client_id: str = ""
    client_host: str = ""
    rebalance_timeout_ms: int = -1
    epoch: int = 0
    previous_epoch: int = 0
    state: MemberState = MemberState.STABLE

    @property
    def may_be_replaced(self) -> bool:
        """Whether another member may take its instance id over: it said that it will be back."""
        return self.epoch == AWAY_EPOCH

    def settled(self, assignment_epoch: int) -> bool:
        """It has reached the target of this epoch (Kafka: ConsumerGroupMember.isReconciledTo)."""
        return self.state is MemberState.STABLE and self.epoch == assignment_epoch

    def away(self) -> Self:
        """The member after it said that it will be back; a protocol adds what becomes of its assignment."""
        return replace(self, epoch=AWAY_EPOCH)


class ModernGroup(msgspec.Struct, Generic[AnyMember, Target], frozen=True, kw_only=True):
    """A group as its coordinator knows it.

    `epoch` is the group epoch, `target_epoch` the assignment epoch: that of `targets`. `target_at_ms` is when the
    target was computed, None if a new one may be computed at once. `most_members`: how many there
    ever were at once. `topics_version`: the broker's topics that the metadata hash was last compared with, None if a
    heartbeat has to look (not durable). `loaded` is False between unloading and loading. `assign` and `elect` are for
    the consumer group or the classic group that it may become.
    """

    no_target: ClassVar[Any] = ()
    id: GroupId
    configs: Configs = msgspec.field(default_factory=Configs)
    elect: Elect = elect_by_hash
    assign: Assign = assign_by_name
    epoch: int = 1
    metadata_hash: int = NO_HASH
    target_epoch: int = 1
    target_at_ms: int | None = None
    members: Mapping[MemberId, AnyMember] = msgspec.field(default_factory=dict)
    most_members: int = 0
    targets: Mapping[MemberId, Target] = msgspec.field(default_factory=dict)
    statics: Mapping[str, MemberId] = msgspec.field(default_factory=dict)
    topics_version: int | None = None
    loaded: bool = True

    @property
    def version(self) -> BrokerVersion:
        """The release of Kafka whose answers are given."""
        return self.configs.coordinator.broker_version

    @property
    def behaviour(self) -> Behaviour:
        """What a broker of this release does."""
        return behaviour(self.version)

    @property
    def commits_by_assignment_epoch(self) -> bool:
        """Whether a commit may name an older epoch at which the member had what it commits (KAFKA-19779)."""
        return True

    @property
    def generation(self) -> int:
        """The group epoch: what a classic group calls its generation."""
        return self.epoch

    @property
    def phase(self) -> Phase:
        """The group's state as an administrator sees it (Kafka: ConsumerGroup.maybeUpdateGroupState)."""
        if not self.members:
            return Phase.EMPTY
        if self.epoch > self.target_epoch:
            return Phase.ASSIGNING
        if all(member.settled(self.target_epoch) for member in self.members.values()):
            return Phase.STABLE
        return Phase.RECONCILING

    def placed(self, member: AnyMember) -> Self:
        """The group with this member in place of the one with its id; who is static follows."""
        members = {**self.members, member.id: member}
        most = max(self.most_members, len(members))
        former = getattr(self.members.get(member.id), "instance_id", None)
        if member.instance_id == former:
            return replace(self, members=members, most_members=most)
        # An instance id that a member no longer has is free (Kafka: ConsumerGroup.updateMember, 4.4).
        statics = {i: m for i, m in self.statics.items() if i != former or m != member.id}
        if member.instance_id is not None:
            statics[member.instance_id] = member.id
        return replace(self, members=members, most_members=most, statics=statics)

    def without(self, member: MemberId) -> Self:
        """The group without this member, and without its target."""
        gone = self.members[member].instance_id
        static = gone is not None and self.statics.get(gone) == member
        return replace(
            self,
            members={m: kept for m, kept in self.members.items() if m != member},
            targets={m: target for m, target in self.targets.items() if m != member},
            statics={i: m for i, m in self.statics.items() if m != member} if static else self.statics,
        )


def absent(group: ModernGroup[Any, Any]) -> ClassicGroup:
    """A group of this name that does not exist."""
    return ClassicGroup(id=group.id, configs=group.configs, elect=group.elect, assign=group.assign)
