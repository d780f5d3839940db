"""Requests to a classic group and what is answered; a timer that fires is one more command.

`new_member` is the id to give if the coordinator needs a fresh one: the machine draws nothing itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from groupsim.coordinator.commands import Commit, Load, Request, Unload
from groupsim.coordinator.config import Configs, CoordinatorKind
from groupsim.coordinator.outcome import Answer, Error
from groupsim.events.types import NO_GENERATION, MemberId, Partitions, Protocol, Subscription


@dataclass(frozen=True, slots=True)
class Listed:
    """A member as the leader sees it in its JoinGroup answer."""

    member: MemberId
    instance_id: str | None
    metadata: Subscription


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinAnswer(Answer):
    """JoinGroup response; `members` only for the leader, sorted by id."""

    generation: int = NO_GENERATION
    protocol_type: str | None = None
    protocol: str | None = None
    leader: MemberId = ""
    member: MemberId = ""
    members: tuple[Listed, ...] = ()
    skip_assignment: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncAnswer(Answer):
    """SyncGroup response."""

    protocol_type: str | None = None
    protocol: str | None = None
    assignment: Partitions = ()

    @classmethod
    def while_loading(cls, configs: Configs) -> Self:
        """The older coordinator forces a rejoin instead of a retry (Kafka: GroupCoordinator.handleSyncGroup)."""
        older = configs.classic.coordinator is CoordinatorKind.SCALA
        return cls(error=Error.REBALANCE_IN_PROGRESS if older else Error.COORDINATOR_LOAD_IN_PROGRESS)

    @classmethod
    def when_cancelled(cls) -> Self:
        """In Kafka the group is not Stable before its assignment is durable: a rebalance may still begin first."""
        return cls(error=Error.REBALANCE_IN_PROGRESS)


@dataclass(frozen=True, slots=True)
class HeartbeatAnswer(Answer):
    """Heartbeat response."""

    @classmethod
    def while_loading(cls, configs: Configs) -> Self:
        """A coordinator that loads accepts heartbeats blindly (Kafka: GroupCoordinatorService.heartbeat)."""
        return cls()


@dataclass(frozen=True, slots=True)
class LeaveAnswer(Answer):
    """LeaveGroup response: a top-level error, or one result per entry."""

    members: tuple[tuple[MemberId, str | None, Error], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Join(Request):
    """JoinGroup. `version` is the API version: below 4 no MEMBER_ID_REQUIRED, from 9 on skipAssignment."""

    answer: ClassVar[type[Answer]] = JoinAnswer
    member: MemberId = ""
    new_member: MemberId = ""
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
        return replace(self, new_member=f"{self.instance_id or self.client_id}-{uuid()}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sync(Request):
    """SyncGroup. protocol_type and protocol are None where the API version (below 5) has none."""

    answer: ClassVar[type[Answer]] = SyncAnswer
    member: MemberId
    generation: int
    instance_id: str | None = None
    protocol_type: str | None = None
    protocol: str | None = None
    assignment: tuple[tuple[MemberId, Partitions], ...] = ()
    version: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat(Request):
    """Heartbeat."""

    answer: ClassVar[type[Answer]] = HeartbeatAnswer
    member: MemberId
    generation: int
    instance_id: str | None = None


@dataclass(frozen=True, slots=True)
class Leaving:
    """One entry of a LeaveGroup."""

    member: MemberId
    instance_id: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave(Request):
    """LeaveGroup, a batch."""

    answer: ClassVar[type[Answer]] = LeaveAnswer
    members: tuple[Leaving, ...]


@dataclass(frozen=True, slots=True)
class SessionExpired:
    """The heartbeat timer of a member, or of a pending id, fired."""

    member: MemberId


@dataclass(frozen=True, slots=True)
class InitialDelayElapsed:
    """The join timer of an initial rebalance fired after `delay_ms`; `remaining_ms` may still be waited."""

    delay_ms: int
    remaining_ms: int


@dataclass(frozen=True, slots=True)
class JoinTimeout:
    """The join timer of an ordinary rebalance fired."""


@dataclass(frozen=True, slots=True)
class SyncTimedOut:
    """The sync timer of this generation fired."""

    generation: int


Command = (
    Join
    | Sync
    | Heartbeat
    | Leave
    | Commit
    | SessionExpired
    | InitialDelayElapsed
    | JoinTimeout
    | SyncTimedOut
    | Unload
    | Load
)
