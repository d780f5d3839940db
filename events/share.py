"""What a coordinator of share groups decides (KIP-932; Kafka: ShareGroup, GroupMetadataManager).

Recorded in the group's stream, with the facts of `events.group`, and of `events.consumer` those that the group epoch
grew and that topics were compared. Each durable fact stands for the records Kafka writes in its place, in the order of
the facts: its docstring names them by Kafka's names without `ShareGroup`. Topics are identified by id.

What a group knows of each partition is its share state. It lies with the share coordinator, which initialises and
deletes it; the group only keeps account of that, in one record that is written whole each time: StatePartitionMetadata.
"""

from __future__ import annotations

from typing import ClassVar

from groupsim.events.base import Event
from groupsim.events.consumer import LossCause
from groupsim.events.types import MemberId, Offsets, Partitions, Plan, TopicId


class ShareGroupCreated(Event, frozen=True, kw_only=True):
    """A member came, or offsets were set, and there was no group of this name. The facts that follow have records."""

    durable: ClassVar[bool] = True


class ShareMemberUpdated(Event, frozen=True, kw_only=True):
    """A member is new, or something about it changed. Record: MemberMetadata. `topics` are names, sorted, distinct."""

    durable: ClassVar[bool] = True
    member: MemberId
    rack: str | None = None
    client_id: str = ""
    client_host: str = ""
    topics: tuple[str, ...] = ()


class ShareMemberRemoved(Event, frozen=True, kw_only=True):
    """A member is gone. Tombstones: CurrentMemberAssignment, TargetAssignmentMember, MemberMetadata."""

    durable: ClassVar[bool] = True
    member: MemberId
    cause: LossCause


class ShareTargetComputed(Event, frozen=True, kw_only=True):
    """The assignor gave a target, that of `epoch`: a partition may be in the targets of several members.

    Records: TargetAssignmentMember of `changed`; TargetAssignmentMetadata. `changed` has the whole target of each
    member whose target is another one than before; `bare` the topics that stand in the record of such a member without
    a partition: it had some of them before.
    """

    durable: ClassVar[bool] = True
    epoch: int
    changed: Plan
    at_ms: int
    bare: dict[MemberId, tuple[TopicId, ...]] = {}


class ShareMemberAssigned(Event, frozen=True, kw_only=True):
    """A member was given its part of the target, at once and whole. Record: CurrentMemberAssignment.

    `bare` are topics that stand in the record without a partition.
    """

    durable: ClassVar[bool] = True
    member: MemberId
    epoch: int
    previous_epoch: int
    assigned: Partitions = ()
    bare: tuple[TopicId, ...] = ()


class ShareStateInitializing(Event, frozen=True, kw_only=True):
    """The share coordinator is asked to initialise partitions of `topics`, each with the start offset in `offsets`.

    Record: StatePartitionMetadata. A start offset of -1 is decided at the first fetch (`share.auto.offset.reset`). A
    topic without a partition in `offsets` stands in the record all the same.
    """

    durable: ClassVar[bool] = True
    topics: tuple[TopicId, ...]
    offsets: Offsets
    at_ms: int


class ShareStateInitialized(Event, frozen=True, kw_only=True):
    """The share coordinator has initialised these partitions. Record: StatePartitionMetadata."""

    durable: ClassVar[bool] = True
    partitions: Partitions


class ShareStateDeleting(Event, frozen=True, kw_only=True):
    """The share coordinator is asked to delete the state of these topics. Record: StatePartitionMetadata.

    `group`: of all topics, because the group is deleted.
    """

    durable: ClassVar[bool] = True
    topics: tuple[TopicId, ...]
    group: bool = False


class ShareStateDeleted(Event, frozen=True, kw_only=True):
    """The share coordinator has deleted the state of these topics. Record: StatePartitionMetadata."""

    durable: ClassVar[bool] = True
    topics: tuple[TopicId, ...]


class ShareTopicsDeleted(Event, frozen=True, kw_only=True):
    """Topics are gone, and their share state with them. Record: StatePartitionMetadata."""

    durable: ClassVar[bool] = True
    topics: tuple[TopicId, ...]


class ShareHeartbeatReceived(Event, frozen=True, kw_only=True):
    """A ShareGroupHeartbeat was answered with `error`, ordinarily `NONE`."""

    noise: ClassVar[bool] = True
    member: MemberId
    epoch: int
    error: str
