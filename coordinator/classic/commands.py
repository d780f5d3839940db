"""Requests to a classic group and what is answered; a timer that fires is one more command.

`request` numbers a request within its group; its Reply carries the same number. `new_member` is the id to give if the
coordinator needs a fresh one: the machine has no chance of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from groupsim.coordinator.outcome import Error
from groupsim.events.types import NO_GENERATION, MemberId, Offsets, Partitions, Protocol, Subscription


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """JoinGroup. `version` is the API version: below 4 no MEMBER_ID_REQUIRED, from 9 on skipAssignment."""

    request: int
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Sync:
    """SyncGroup. protocol_type and protocol are None where the API version (below 5) has none."""

    request: int
    member: MemberId
    generation: int
    instance_id: str | None = None
    protocol_type: str | None = None
    protocol: str | None = None
    assignment: tuple[tuple[MemberId, Partitions], ...] = ()
    version: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat:
    """Heartbeat."""

    request: int
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
class Leave:
    """LeaveGroup, a batch."""

    request: int
    members: tuple[Leaving, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """OffsetCommit, or TxnOffsetCommit if `transactional`."""

    request: int
    offsets: Offsets
    member: MemberId = ""
    generation: int = NO_GENERATION
    instance_id: str | None = None
    transactional: bool = False
    version: int = 9


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


@dataclass(frozen=True, slots=True)
class Unload:
    """The broker gives this group's offsets partition up."""


@dataclass(frozen=True, slots=True)
class Load:
    """A broker takes this group's offsets partition over."""


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


@dataclass(frozen=True, slots=True)
class Listed:
    """A member as the leader sees it in its JoinGroup answer."""

    member: MemberId
    instance_id: str | None
    metadata: Subscription


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinAnswer:
    """JoinGroup response; `members` only for the leader, sorted by id."""

    error: Error = Error.NONE
    generation: int = NO_GENERATION
    protocol_type: str | None = None
    protocol: str | None = None
    leader: MemberId = ""
    member: MemberId = ""
    members: tuple[Listed, ...] = ()
    skip_assignment: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncAnswer:
    """SyncGroup response."""

    error: Error = Error.NONE
    protocol_type: str | None = None
    protocol: str | None = None
    assignment: Partitions = ()


@dataclass(frozen=True, slots=True)
class HeartbeatAnswer:
    """Heartbeat response."""

    error: Error = Error.NONE


@dataclass(frozen=True, slots=True)
class LeaveAnswer:
    """LeaveGroup response: a top-level error, or one result per entry."""

    error: Error = Error.NONE
    members: tuple[tuple[MemberId, str | None, Error], ...] = ()


@dataclass(frozen=True, slots=True)
class CommitAnswer:
    """OffsetCommit and TxnOffsetCommit response."""

    error: Error = Error.NONE
