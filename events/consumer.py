"""What a coordinator of consumer groups decides (KIP-848; Kafka: ConsumerGroup, GroupMetadataManager).

Recorded in the group's stream, with the facts of `events.group`. Each durable fact stands for the records Kafka writes
in its place, in the order of the facts: its docstring names them by Kafka's names without `ConsumerGroup`.
Topics are identified by id: a topic that was deleted and created again is another one.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

import msgspec

from groupsim.events.base import Event
from groupsim.events.types import Held, MemberId, Plan, Protocol


class BumpCause(StrEnum):
    """Why the group epoch grew, in one word; the first that applies. `unknown`: a log does not say."""

    SUBSCRIPTION_CHANGED = "subscription-changed"
    EXPRESSION_CHANGED = "expression-changed"
    EXPRESSION_RESOLVED = "expression-resolved"
    ASSIGNOR_CHANGED = "assignor-changed"
    TOPICS_CHANGED = "topics-changed"
    PARTITIONS_INITIALIZED = "partitions-initialized"
    MEMBER_REMOVED = "member-removed"
    UNKNOWN = "unknown"


class LossCause(StrEnum):
    """Why the coordinator removed a member, in one word."""

    LEFT = "left"
    SESSION_EXPIRED = "session-expired"
    REBALANCE_TIMEOUT = "rebalance-timeout"
    JOIN_TIMEOUT = "join-timeout"
    SYNC_TIMEOUT = "sync-timeout"
    REMOVED = "removed"
    UNKNOWN = "unknown"


class MemberState(StrEnum):
    """How far a member has come to its target (Kafka: MemberState). `unknown` was written by newer software."""

    STABLE = "stable"
    UNREVOKED_PARTITIONS = "unrevoked-partitions"
    UNRELEASED_PARTITIONS = "unreleased-partitions"
    UNKNOWN = "unknown"


class ConsumerGroupCreated(Event, frozen=True, kw_only=True):
    """A first native member came: a new consumer group, at epoch 1, with no members yet.

    `replaces_classic`: an empty classic group had this name; its GroupMetadata record gets a tombstone. Only then is
    the fact durable.
    """

    durable: ClassVar[bool] = True
    replaces_classic: bool = False


class GroupUpgraded(Event, frozen=True, kw_only=True):
    """A native member came to a classic group with members: a consumer group with all of them, as classic members.

    Group epoch and assignment epoch are the `generation`; `assignment` has what each member was assigned last, of
    existing topics: it is both its target and what it holds. Records: tombstone of GroupMetadata; MemberMetadata of
    all; Metadata; TargetAssignmentMember of all; TargetAssignmentMetadata; CurrentMemberAssignment of all.
    """

    durable: ClassVar[bool] = True
    generation: int
    metadata_hash: int
    assignment: Plan


class GroupDowngraded(Event, frozen=True, kw_only=True):
    """The last native member is gone: a Stable classic group of those who stay.

    `removed` are gone for `cause` (None: nobody is, a classic member took the last native one's place). `assignment`
    has the target of each member that stays, topics by name. Tombstones: CurrentMemberAssignment of all,
    TargetAssignmentMember of all, TargetAssignmentMetadata, MemberMetadata of all, RegularExpression of `expressions`,
    PartitionMetadata, Metadata. Then GroupMetadata.
    """

    durable: ClassVar[bool] = True
    generation: int
    protocol: str | None
    leader: MemberId
    assignment: Plan
    removed: tuple[MemberId, ...] = ()
    cause: LossCause | None = None
    expressions: tuple[str, ...] = ()


class EmptyGroupDropped(Event, frozen=True, kw_only=True):
    """A classic member came to an empty consumer group, which makes room for a new classic group.

    Tombstones: TargetAssignmentMetadata, PartitionMetadata, Metadata.
    """

    durable: ClassVar[bool] = True


class EmptyGroupForgotten(Event, frozen=True, kw_only=True):
    """A JoinGroup that names a member came to an empty consumer group: the coordinator forgets the group.

    Kafka writes nothing of it: the records stay, and a failover brings the group back.
    """

    member: MemberId


class ClassicMetadata(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a member that speaks the classic protocol said in JoinGroup (Kafka: ClassicMemberMetadata).

    `protocols` in the member's order, each with its whole subscription.
    """

    session_timeout_ms: int
    protocols: tuple[Protocol, ...] = ()


class ConsumerMemberUpdated(Event, frozen=True, kw_only=True):
    """A member is new, or something about it changed. Record: MemberMetadata.

    `topics` are the subscribed names, sorted and distinct; `expression` is empty for none; `rebalance_timeout_ms` is
    how long it may take to give partitions up; `classic` is None for a member of the consumer protocol.
    """

    durable: ClassVar[bool] = True
    member: MemberId
    instance_id: str | None = None
    rack: str | None = None
    client_id: str = ""
    client_host: str = ""
    topics: tuple[str, ...] = ()
    expression: str = ""
    assignor: str | None = None
    rebalance_timeout_ms: int = -1
    classic: ClassicMetadata | None = None


class ConsumerMemberRemoved(Event, frozen=True, kw_only=True):
    """A member is gone, what it held is free.

    Tombstones: CurrentMemberAssignment, TargetAssignmentMember, MemberMetadata.
    """

    durable: ClassVar[bool] = True
    member: MemberId
    cause: LossCause


class StaticMemberReplaced(Event, frozen=True, kw_only=True):
    """Another id took a static member's place with all it had, at epoch 0.

    The tombstones of the old id as if it were removed; then MemberMetadata, TargetAssignmentMember and
    CurrentMemberAssignment of the new one.
    """

    durable: ClassVar[bool] = True
    instance_id: str
    old: MemberId
    member: MemberId


class StaticMemberAway(Event, frozen=True, kw_only=True):
    """A static member will be back (epoch -2) and keeps what it is assigned. Record: CurrentMemberAssignment."""

    durable: ClassVar[bool] = True
    member: MemberId


class ResolutionStarted(Event, frozen=True, kw_only=True):
    """A heartbeat had the topics of all the group's expressions looked for; `version` is that of the broker's topics.

    A failover forgets it: the next heartbeat starts another one.
    """

    expressions: tuple[str, ...]
    version: int


class ResolutionEnded(Event, frozen=True, kw_only=True):
    """Topics were looked for; facts about those expressions that members still have follow."""


class ExpressionResolved(Event, frozen=True, kw_only=True):
    """The topics that a regular expression matched. Record: RegularExpression.

    `version` is that of the broker's topics; `at_ms` when the resolution began.
    """

    durable: ClassVar[bool] = True
    expression: str
    topics: tuple[str, ...]
    version: int
    at_ms: int


class ExpressionDropped(Event, frozen=True, kw_only=True):
    """Nobody subscribes to the expression any more. Tombstone: RegularExpression."""

    durable: ClassVar[bool] = True
    expression: str


class GroupEpochBumped(Event, frozen=True, kw_only=True):
    """The group epoch grew: a new target is due. Record: Metadata. `metadata_hash` is 0 for no topics."""

    durable: ClassVar[bool] = True
    epoch: int
    metadata_hash: int
    cause: BumpCause
    member: MemberId | None = None


class MetadataChecked(Event, frozen=True, kw_only=True):
    """The subscribed topics were compared with this version of the broker's topics, or had not changed since."""

    version: int


class TargetComputed(Event, frozen=True, kw_only=True):
    """The assignor gave a target, that of `epoch`.

    Records: TargetAssignmentMember of `changed`; TargetAssignmentMetadata. `changed` has the whole target of each
    member whose target is another one than before.
    """

    durable: ClassVar[bool] = True
    epoch: int
    assignor: str
    changed: Plan
    at_ms: int


class MemberReconciled(Event, frozen=True, kw_only=True):
    """A member took a step towards its target. Record: CurrentMemberAssignment.

    `assigned` it may use; `pending` it has to give up first.
    """

    durable: ClassVar[bool] = True
    member: MemberId
    epoch: int
    previous_epoch: int
    state: MemberState
    assigned: Held = ()
    pending: Held = ()


class ConsumerHeartbeatReceived(Event, frozen=True, kw_only=True):
    """A ConsumerGroupHeartbeat was answered with `error`, ordinarily `NONE`."""

    noise: ClassVar[bool] = True
    member: MemberId
    epoch: int
    error: str
