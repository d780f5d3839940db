"""Requests to a classic group and what is answered; a timer that fires is one more command.

`new_member` is the id to give if the coordinator needs a fresh one: the machine draws nothing itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Self

import msgspec

from groupsim.coordinator.commands import (
    Commit,
    DeleteGroup,
    DeleteOffsets,
    FetchOffsets,
    Load,
    Request,
    TopicDeleted,
    Unload,
    base64_uuid,
)
from groupsim.coordinator.config import Configs, CoordinatorKind
from groupsim.coordinator.outcome import Answer, Error
from groupsim.events.types import NO_GENERATION, MemberId, Partitions, Protocol, Subscription

REVOKED = "need to revoke partitions and re-join"
"""Why a cooperative member joins again after its revoked callback (Kafka: ConsumerCoordinator.onJoinComplete)."""


class Listed(msgspec.Struct, frozen=True):
    """A member as the leader sees it in its JoinGroup answer."""

    member: MemberId
    instance_id: str | None
    metadata: Subscription


class JoinAnswer(Answer, frozen=True, kw_only=True):
    """JoinGroup response; `members` only for the leader, sorted by id."""

    generation: int = NO_GENERATION
    protocol_type: str | None = None
    protocol: str | None = None
    leader: MemberId = ""
    member: MemberId = ""
    members: tuple[Listed, ...] = ()
    skip_assignment: bool = False


class SyncAnswer(Answer, frozen=True, kw_only=True):
    """SyncGroup response. `user_data`: what a custom assignor has added to the assignment, as text."""

    protocol_type: str | None = None
    protocol: str | None = None
    assignment: Partitions = ()
    user_data: str | None = None

    @classmethod
    def while_loading(cls, configs: Configs) -> Self:
        """The older coordinator forces a rejoin instead of a retry (Kafka: GroupCoordinator.handleSyncGroup)."""
        older = configs.classic.coordinator is CoordinatorKind.SCALA
        return cls(error=Error.REBALANCE_IN_PROGRESS if older else Error.COORDINATOR_LOAD_IN_PROGRESS)

    @classmethod
    def when_cancelled(cls) -> Self:
        """In Kafka the group is not Stable before its assignment is durable: a rebalance may still begin first."""
        return cls(error=Error.REBALANCE_IN_PROGRESS)


class HeartbeatAnswer(Answer, frozen=True):
    """Heartbeat response."""

    @classmethod
    def while_loading(cls, configs: Configs) -> Self:
        """A coordinator that loads accepts heartbeats blindly (Kafka: GroupCoordinatorService.heartbeat)."""
        return cls()


class LeaveAnswer(Answer, frozen=True):
    """LeaveGroup response: a top-level error, or one result per entry."""

    members: tuple[tuple[MemberId, str | None, Error], ...] = ()


class Join(Request, frozen=True, kw_only=True):
    """JoinGroup. `version` is the API version: below 4 no MEMBER_ID_REQUIRED, from 9 on skipAssignment.

    `new_uuid` is the id to give in a consumer group instead of `new_member`, where it is given.
    """

    answer: ClassVar[type[Answer]] = JoinAnswer
    member: MemberId = ""
    new_member: MemberId = ""
    new_uuid: MemberId = ""
    instance_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    session_timeout_ms: int = 45_000
    rebalance_timeout_ms: int = 300_000
    protocol_type: str = "consumer"
    protocols: tuple[Protocol, ...] = ()
    reason: str | None = None
    version: int = 9

    def with_new_id(self, uuid: Callable[[], str]) -> Self:
        """The new id is the instance id or the client id, and a UUID (Kafka: ClassicGroup.generateMemberId)."""
        drawn = uuid()
        named = f"{self.instance_id or self.client_id}-{drawn}"
        return msgspec.structs.replace(self, new_member=named, new_uuid=base64_uuid(drawn))


class Sync(Request, frozen=True, kw_only=True):
    """SyncGroup. protocol_type and protocol are None where the API version (below 5) has none.

    `user_data`: what a custom assignor adds to the assignment of a member, as text.
    """

    answer: ClassVar[type[Answer]] = SyncAnswer
    member: MemberId
    generation: int
    instance_id: str | None = None
    protocol_type: str | None = None
    protocol: str | None = None
    assignment: tuple[tuple[MemberId, Partitions], ...] = ()
    user_data: tuple[tuple[MemberId, str], ...] = ()
    version: int = 5


class Heartbeat(Request, frozen=True, kw_only=True):
    """Heartbeat."""

    answer: ClassVar[type[Answer]] = HeartbeatAnswer
    member: MemberId
    generation: int
    instance_id: str | None = None


class Leaving(msgspec.Struct, frozen=True):
    """One entry of a LeaveGroup."""

    member: MemberId
    instance_id: str | None = None
    reason: str | None = None


class Leave(Request, frozen=True, kw_only=True):
    """LeaveGroup, a batch."""

    answer: ClassVar[type[Answer]] = LeaveAnswer
    members: tuple[Leaving, ...]


class SessionExpired(msgspec.Struct, frozen=True):
    """The heartbeat timer of a member, or of a pending id, fired."""

    member: MemberId


class InitialDelayElapsed(msgspec.Struct, frozen=True):
    """The join timer of an initial rebalance fired after `delay_ms`; `remaining_ms` may still be waited."""

    delay_ms: int
    remaining_ms: int


class JoinTimeout(msgspec.Struct, frozen=True):
    """The join timer of an ordinary rebalance fired."""


class SyncTimedOut(msgspec.Struct, frozen=True):
    """The sync timer of this generation fired."""

    generation: int


Command = (
    Join
    | Sync
    | Heartbeat
    | Leave
    | Commit
    | FetchOffsets
    | DeleteOffsets
    | TopicDeleted
    | DeleteGroup
    | SessionExpired
    | InitialDelayElapsed
    | JoinTimeout
    | SyncTimedOut
    | Unload
    | Load
)
