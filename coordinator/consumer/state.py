"""The state of a consumer group: immutable, changed by `evolve` alone (Kafka: ConsumerGroup, ConsumerGroupMember)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from groupsim.coordinator.broker_versions import Behaviour, BrokerVersion, behaviour
from groupsim.coordinator.classic.state import Elect
from groupsim.coordinator.classic.votes import elect_by_hash
from groupsim.coordinator.config import Configs, ConsumerGroupConfig
from groupsim.coordinator.consumer.owners import Owners
from groupsim.coordinator.server_assignors import Assign, assign_by_name
from groupsim.coordinator.topics import NO_HASH
from groupsim.events.consumer import ClassicMetadata, MemberState
from groupsim.events.types import GroupId, MemberId, Partitions, Plan, TopicPartition

AWAY_EPOCH = -2
"""The epoch of a static member that said it will be back."""
Holding = Mapping[TopicPartition, int]
"""Partition -> assignment epoch, sorted by partition."""


class Phase(StrEnum):
    """Kafka's ConsumerGroupState, with the names ConsumerGroupDescribe shows."""

    EMPTY = "Empty"
    ASSIGNING = "Assigning"
    RECONCILING = "Reconciling"
    STABLE = "Stable"


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """A member. `classic` is what its JoinGroup said if it speaks the classic protocol, else None.

    `topics` are the subscribed names, sorted and distinct; `expression` is empty for none. `assigned` it may use,
    `pending` it has to give up.
    """

    id: MemberId
    instance_id: str | None = None
    rack: str | None = None
    client_id: str = ""
    client_host: str = ""
    topics: tuple[str, ...] = ()
    expression: str = ""
    assignor: str | None = None
    rebalance_timeout_ms: int = -1
    classic: ClassicMetadata | None = None
    epoch: int = 0
    previous_epoch: int = 0
    state: MemberState = MemberState.STABLE
    assigned: Holding = msgspec.field(default_factory=dict)
    pending: Holding = msgspec.field(default_factory=dict)

    @property
    def vote(self) -> str:
        """The assignor it votes for, empty for none. One that becomes classic keeps it: defect `kept-vote`."""
        return self.assignor or ""

    def settled(self, assignment_epoch: int) -> bool:
        """It has reached the target of this epoch (Kafka: ConsumerGroupMember.isReconciledTo)."""
        return self.state is MemberState.STABLE and self.epoch == assignment_epoch


class Resolved(msgspec.Struct, frozen=True, kw_only=True):
    """The topics an expression matched, at this version of the broker's topics; `at_ms` when resolution began."""

    topics: tuple[str, ...]
    version: int
    at_ms: int


class ConsumerGroup(msgspec.Struct, frozen=True, kw_only=True):
    """A group as its coordinator knows it.

    `epoch` is the group epoch, `target_epoch` the assignment epoch: that of `targets`. `target_at_ms` is when the
    target was computed, None if a new one may be computed at once. `most_members`: how many there
    ever were at once. `expressions`, `votes`: how many members have each;
    `resolving`: topics are being looked for (not durable). `topics_version`: the broker's topics that the
    metadata hash was last compared with, None if a heartbeat has to look (not durable). `loaded` is False between
    unloading and loading. `forgotten`: the records are there, but requests are answered as if the group did not exist
    (not durable). `assign` runs a server-side assignor; `elect` is for the classic group it may become.
    """

    id: GroupId
    configs: Configs = msgspec.field(default_factory=Configs)
    elect: Elect = elect_by_hash
    assign: Assign = assign_by_name
    epoch: int = 1
    metadata_hash: int = NO_HASH
    target_epoch: int = 1
    target_at_ms: int | None = None
    members: Mapping[MemberId, Member] = msgspec.field(default_factory=dict)
    most_members: int = 0
    targets: Mapping[MemberId, Partitions] = msgspec.field(default_factory=dict)
    statics: Mapping[str, MemberId] = msgspec.field(default_factory=dict)
    owners: Owners = msgspec.field(default_factory=Owners)
    expressions: Mapping[str, int] = msgspec.field(default_factory=dict)
    votes: Mapping[str, int] = msgspec.field(default_factory=dict)
    resolved: Mapping[str, Resolved] = msgspec.field(default_factory=dict)
    resolving: bool = False
    topics_version: int | None = None
    loaded: bool = True
    forgotten: bool = False

    @property
    def config(self) -> ConsumerGroupConfig:
        """The settings of consumer groups."""
        return self.configs.consumer

    @property
    def version(self) -> BrokerVersion:
        """The release of Kafka whose answers are given."""
        return self.configs.coordinator.broker_version

    @property
    def behaviour(self) -> Behaviour:
        """What a broker of this release does."""
        return behaviour(self.version)

    @property
    def generation(self) -> int:
        """The group epoch: what a classic group calls its generation."""
        return self.epoch

    @property
    def assignment(self) -> Plan:
        """The partitions each member may use, sorted by member id; topics by id."""
        return {m: tuple(sorted(self.members[m].assigned)) for m in sorted(self.members)}

    @property
    def classic_epoch(self) -> int:
        """A classic member below this epoch has to rejoin: since 4.3 that of the target, before, the group's."""
        return self.target_epoch if self.behaviour.classic_members_wait_for_target else self.epoch

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
