"""What a consumer process saw and did itself (Kafka: ConsumerCoordinator, AbstractCoordinator).

One stream per process. `process` is `label.incarnation`; `member` is the id it used, empty before it has one. The
availability of a partition (analysis) rests on these facts: ViewChanged, CallbackStart/End, RevocationPending,
PositionReady, RestoreStart/End, Paused/Resumed, Frozen/Thawed, Crashed and Closed.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

from groupsim.events.base import Event
from groupsim.events.types import MemberId, Offsets, Partitions, ProcessId, RejoinCause


class ClientState(StrEnum):
    """A classic client's own state (Kafka: AbstractCoordinator.MemberState)."""

    UNJOINED = "UNJOINED"
    PREPARING_REBALANCE = "PREPARING_REBALANCE"
    COMPLETING_REBALANCE = "COMPLETING_REBALANCE"
    STABLE = "STABLE"


class MemberPhase(StrEnum):
    """A client's own state by the consumer protocol (Kafka: the client's MemberState)."""

    UNSUBSCRIBED = "UNSUBSCRIBED"
    JOINING = "JOINING"
    RECONCILING = "RECONCILING"
    ACKNOWLEDGING = "ACKNOWLEDGING"
    STABLE = "STABLE"
    FENCED = "FENCED"
    STALE = "STALE"
    LEAVING = "LEAVING"
    FATAL = "FATAL"


class CallbackKind(StrEnum):
    """The method of the rebalance listener that runs (Kafka: ConsumerRebalanceListener)."""

    ASSIGNED = "assigned"
    REVOKED = "revoked"
    LOST = "lost"


class ClientEvent(Event, frozen=True, kw_only=True):
    """Anything a process says of itself."""

    process: ProcessId


class ProcessStarted(ClientEvent, frozen=True, kw_only=True):
    """A process began to run its consumer. `config` holds Kafka's names.

    `library` is the client library that wrote the log (`java`, `librdkafka`, …); None in simulated runs.
    """

    client_id: str
    instance_id: str | None = None
    topics: tuple[str, ...] = ()
    config: dict[str, int | str | bool] = {}
    library: str | None = None


class Crashed(ClientEvent, frozen=True, kw_only=True):
    """The process died without a word (kill -9)."""


class Frozen(ClientEvent, frozen=True, kw_only=True):
    """The process stopped running (SIGSTOP, a long GC pause, a suspended VM); it still holds what it held."""


class Thawed(ClientEvent, frozen=True, kw_only=True):
    """The process runs again."""


class CloseStarted(ClientEvent, frozen=True, kw_only=True):
    """The application called close()."""


class Closed(ClientEvent, frozen=True, kw_only=True):
    """close() returned; the process is gone and holds nothing."""


class CoordinatorFound(ClientEvent, frozen=True, kw_only=True):
    """The process knows a coordinator."""


class CoordinatorLost(ClientEvent, frozen=True, kw_only=True):
    """The process marked its coordinator unknown and will look it up again."""

    cause: str


class RejoinRequested(ClientEvent, frozen=True, kw_only=True):
    """The process knows that it must join (again).

    `cause` is the reason in one word, where the log prints a known sentence; None in simulated runs. `topics` is the
    new subscription, where that is the cause.
    """

    reason: str
    cause: RejoinCause | None = None
    topics: tuple[str, ...] | None = None


class JoinSent(ClientEvent, frozen=True, kw_only=True):
    """JoinGroup, or a ConsumerGroupHeartbeat at epoch 0, was sent. `owned`: the view it claims (what it has kept)."""

    member: MemberId
    owned: Partitions = ()


class JoinOk(ClientEvent, frozen=True, kw_only=True):
    """The answer to JoinGroup was handled by the application thread."""

    member: MemberId
    generation: int
    protocol: str | None = None
    leader: bool | None = None


class AssignorRan(ClientEvent, frozen=True, kw_only=True):
    """The leader computed an assignment."""

    generation: int
    assignor: str | None = None
    duration_ms: int = 0


class SyncSent(ClientEvent, frozen=True, kw_only=True):
    """SyncGroup was sent."""

    member: MemberId
    generation: int


class SyncOk(ClientEvent, frozen=True, kw_only=True):
    """The answer to SyncGroup arrived: the process is Stable; the application learns it at its next poll."""

    member: MemberId
    generation: int
    assignment: Partitions | None = None


class EpochReceived(ClientEvent, frozen=True, kw_only=True):
    """The answer to a ConsumerGroupHeartbeat had another member epoch."""

    member: MemberId
    epoch: int


class TargetReceived(ClientEvent, frozen=True, kw_only=True):
    """The answer to a ConsumerGroupHeartbeat had another assignment: what the member may use now."""

    member: MemberId
    epoch: int
    partitions: Partitions


class RequestFailed(ClientEvent, frozen=True, kw_only=True):
    """A request came back with an error, or not at all (`TIMEOUT`, `DISCONNECTED`). api: `JoinGroup`, `Metadata`, …"""

    api: str
    error: str


class GenerationReset(ClientEvent, frozen=True, kw_only=True):
    """The process forgot its generation (and its member id too, if `member_id_too`)."""

    reason: str
    member_id_too: bool


class StateChanged(ClientEvent, frozen=True, kw_only=True):
    """The client's own state: a ClientState, or a MemberPhase."""

    state: str


class ProtocolSelected(ClientEvent, frozen=True, kw_only=True):
    """How the process rebalances: EAGER or COOPERATIVE (KIP-429)."""

    protocol: str


class RevocationPending(ClientEvent, frozen=True, kw_only=True):
    """These partitions are not fetched any more, although still in the view: a commit runs before they are revoked."""

    partitions: Partitions


class CallbackStart(ClientEvent, frozen=True, kw_only=True):
    """A rebalance listener began to run on the application thread. `kind` is a CallbackKind."""

    kind: str
    partitions: Partitions
    generation: int | None = None


class CallbackEnd(ClientEvent, frozen=True, kw_only=True):
    """The listener returned, or raised `error`."""

    kind: str
    error: str | None = None


class ViewChanged(ClientEvent, frozen=True, kw_only=True):
    """The process's local assignment is now exactly `partitions`."""

    partitions: Partitions


class PositionReady(ClientEvent, frozen=True, kw_only=True):
    """These partitions of the view can be fetched from here on, starting at these offsets.

    A partition that leaves the view loses its position; until PositionReady names it (again) it is not fetchable.
    """

    offsets: Offsets


class PositionReached(ClientEvent, frozen=True, kw_only=True):
    """How far the process had read each partition when it gave it up or died: what a next owner would continue from."""

    offsets: Offsets


class RestoreStart(ClientEvent, frozen=True, kw_only=True):
    """The application rebuilds local state for these partitions and does not serve them meanwhile."""

    partitions: Partitions


class RestoreEnd(ClientEvent, frozen=True, kw_only=True):
    """The state of these partitions is there."""

    partitions: Partitions


class Paused(ClientEvent, frozen=True, kw_only=True):
    """The application paused these partitions."""

    partitions: Partitions


class Resumed(ClientEvent, frozen=True, kw_only=True):
    """The application resumed these partitions."""

    partitions: Partitions


class PollStart(ClientEvent, frozen=True, kw_only=True):
    """The application called poll(). Recorded where processing takes time."""

    noise: ClassVar[bool] = True


class PollEnd(ClientEvent, frozen=True, kw_only=True):
    """poll() returned `records` records, which take `process_ms` to process."""

    noise: ClassVar[bool] = True
    records: int
    process_ms: int


class PollExpired(ClientEvent, frozen=True, kw_only=True):
    """max.poll.interval.ms passed without a poll; the heartbeat thread gives the membership up."""


class LeaveSent(ClientEvent, frozen=True, kw_only=True):
    """LeaveGroup was sent."""

    member: MemberId
    reason: str


class CommitSent(ClientEvent, frozen=True, kw_only=True):
    """OffsetCommit was sent."""

    member: MemberId
    generation: int
    offsets: Offsets


class CommitFailed(ClientEvent, frozen=True, kw_only=True):
    """A commit was refused: by the process itself (`local`: nothing was sent) or by the coordinator."""

    error: str
    local: bool
    offsets: Offsets = ()


class Failed(ClientEvent, frozen=True, kw_only=True):
    """A fatal error was raised out of poll(); the consumer can't go on."""

    error: str
