"""What a coordinator of classic groups does and decides (Kafka: ClassicGroup, GroupMetadataManager).

Recorded in the group's stream, with the facts of `events.group`. A field that is None was not in the log that the fact
was read from; simulated facts have every field, except where the docstring gives None a meaning.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

import msgspec

from groupsim.events.base import Event
from groupsim.events.types import LeaveCause, MemberId, Plan, Protocol, RejoinCause, Subscription


class RebalanceCause(StrEnum):
    """Why the coordinator began a rebalance, in one word."""

    MEMBER_JOINED = "member-joined"
    MEMBER_REJOINED = "member-rejoined"
    LEADER_REJOINED = "leader-rejoined"
    MEMBER_LEFT = "member-left"
    SESSION_EXPIRED = "session-expired"
    SYNC_TIMEOUT = "sync-timeout"
    STATIC_REPLACED = "static-replaced"
    OVER_CAPACITY = "over-capacity"
    DOWNGRADED = "downgraded"
    MEMBER_GONE = "member-gone"
    """It left or was removed: `__consumer_offsets` does not say which."""
    UNKNOWN = "unknown"


class RemovalCause(StrEnum):
    """Why the coordinator removed a member or a pending id, in one word."""

    SESSION_EXPIRED = "session-expired"
    EXPIRED = "expired"
    LEFT = "left"
    SYNC_TIMEOUT = "sync-timeout"
    JOIN_TIMEOUT = "join-timeout"
    GROUP_FULL = "group-full"
    UNKNOWN = "unknown"


class MemberIdIssued(Event, frozen=True, kw_only=True):
    """MEMBER_ID_REQUIRED was answered: the id is pending until its owner joins with it (KIP-394)."""

    member: MemberId
    client_id: str | None = None
    client_host: str | None = None
    session_timeout_ms: int | None = None


class PendingMemberRemoved(Event, frozen=True, kw_only=True):
    """A pending id is dropped. `cause` is a RemovalCause: `expired`, `left` or `group-full`."""

    member: MemberId
    cause: str


class MemberAdded(Event, frozen=True, kw_only=True):
    """A member entered the group; its JoinGroup number `request` is parked (None: nothing is parked)."""

    member: MemberId
    instance_id: str | None = None
    client_id: str | None = None
    client_host: str | None = None
    session_timeout_ms: int | None = None
    rebalance_timeout_ms: int | None = None
    protocol_type: str | None = None
    protocols: tuple[Protocol, ...] = ()
    request: int | None = None


class MemberUpdated(Event, frozen=True, kw_only=True):
    """A known member joined again; its JoinGroup is parked. An older parked one of the same member is dropped."""

    member: MemberId
    session_timeout_ms: int
    rebalance_timeout_ms: int
    protocols: tuple[Protocol, ...]
    request: int


class MemberReplaced(Event, frozen=True, kw_only=True):
    """A static member came back under a new id (KIP-345); assignment and leadership follow it.

    `request` is the parked JoinGroup; None where the answer was immediate (a Stable group whose vote is unchanged), the
    only case in which Kafka writes a record of it.
    """

    durable: ClassVar[bool] = True
    instance_id: str
    old: MemberId
    member: MemberId | None = None
    client_id: str | None = None
    client_host: str | None = None
    session_timeout_ms: int | None = None
    rebalance_timeout_ms: int | None = None
    protocols: tuple[Protocol, ...] = ()
    request: int | None = None


class MemberRemoved(Event, frozen=True, kw_only=True):
    """A member was removed. `cause` is a RemovalCause.

    `reason` is what the client said when it left (KIP-800), `leave_cause` the same in one word (None if simulated).
    """

    member: MemberId
    cause: str
    instance_id: str | None = None
    reason: str | None = None
    leave_cause: LeaveCause | None = None


class LeaderElected(Event, frozen=True, kw_only=True):
    """Another member leads: the former leader was removed, or did not rejoin in time."""

    member: MemberId


class RebalanceStarted(Event, frozen=True, kw_only=True):
    """The group went to PreparingRebalance. `generation` is the old one.

    `cause` is a RebalanceCause; `reason` is Kafka's sentence. `initial`: the group was Empty. `timeout_ms`: how long
    the join phase may last from now. `client_cause`: why the member that caused it joined, by its own words (KIP-800);
    None in simulated runs.
    """

    generation: int
    cause: str
    reason: str
    initial: bool = False
    member: MemberId | None = None
    timeout_ms: int | None = None
    client_cause: RejoinCause | None = None


class JoinDelayExtended(Event, frozen=True, kw_only=True):
    """The initial delay ran out while members were still arriving, and is waited out once more."""

    delay_ms: int
    remaining_ms: int


class JoinPhaseCompleted(Event, frozen=True, kw_only=True):
    """The group went to CompletingRebalance at a new generation; parked joins were answered.

    `dropped`: dynamic members that did not rejoin in time. `absent`: static members kept although
    they did not rejoin. A dynamic member dropped has its own MemberRemoved before.
    """

    generation: int
    protocol: str | None = None
    leader: MemberId | None = None
    members: tuple[MemberId, ...] | None = None
    size: int
    dropped: tuple[MemberId, ...] = ()
    absent: tuple[MemberId, ...] = ()


class SyncParked(Event, frozen=True, kw_only=True):
    """A member's SyncGroup number `request` waits for the leader's."""

    member: MemberId
    request: int


class MemberSynced(Event, frozen=True, kw_only=True):
    """A member fetched its assignment from a Stable group."""

    member: MemberId


class ParkedRequestsRefused(Event, frozen=True, kw_only=True):
    """A native member came: every parked JoinGroup and SyncGroup is answered `error`, even if the upgrade then fails.

    (KIP-848; Kafka: GroupMetadataManager.convertToConsumerGroup.)
    """

    error: str


class StoredMember(msgspec.Struct, frozen=True, omit_defaults=True):
    """A member as the group's record keeps it (Kafka: GroupMetadataValue.MemberMetadata)."""

    member: MemberId
    client_id: str
    client_host: str
    session_timeout_ms: int
    rebalance_timeout_ms: int
    subscription: Subscription
    instance_id: str | None = None


class AssignmentStored(Event, frozen=True, kw_only=True):
    """The leader's assignment applies and is written: the group is Stable at `generation`.

    `assignment` has every member, sorted (None: not in the log); `user_data` what a custom assignor added for some of
    them. `members` is what a new coordinator needs.
    """

    durable: ClassVar[bool] = True
    generation: int
    leader: MemberId | None = None
    protocol_type: str | None = None
    protocol: str | None = None
    assignment: Plan | None = None
    user_data: dict[MemberId, str] = {}
    members: tuple[StoredMember, ...] = ()


class SyncTimeout(Event, frozen=True, kw_only=True):
    """These members did not send SyncGroup in time and are about to be removed (KAFKA-12890)."""

    generation: int
    members: tuple[MemberId, ...]


class HeartbeatReceived(Event, frozen=True, kw_only=True):
    """A heartbeat was answered with `error`, ordinarily `NONE`. It re-arms a timer and changes nothing else."""

    noise: ClassVar[bool] = True
    member: MemberId
    generation: int
    error: str
