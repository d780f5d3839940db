"""What a consumer process saw and did itself (Kafka: ConsumerCoordinator, AbstractCoordinator).

One stream per process. `process` is `label.incarnation`; `member` is the id it used, empty before it has one. The
availability of a partition (analysis) rests on these facts: ViewChanged, CallbackStart/End, RevocationPending,
PositionReady, RestoreStart/End, Paused/Resumed, Frozen/Thawed, Crashed and Closed.
"""

from __future__ import annotations

from typing import ClassVar

from events.base import Event
from events.types import MemberId, Offsets, Partitions, ProcessId


class ClientEvent(Event):
    """Anything a process says of itself."""

    process: ProcessId


class ProcessStarted(ClientEvent):
    """A process began to run its consumer. `config` holds Kafka's names."""

    client_id: str
    instance_id: str | None = None
    topics: tuple[str, ...] = ()
    config: dict[str, int | str | bool] = {}


class Crashed(ClientEvent):
    """The process died without a word (kill -9)."""


class Frozen(ClientEvent):
    """The process stopped running (SIGSTOP, a long GC pause, a suspended VM); it still holds what it held."""


class Thawed(ClientEvent):
    """The process runs again."""


class CloseStarted(ClientEvent):
    """The application called close()."""


class Closed(ClientEvent):
    """close() returned; the process is gone and holds nothing."""


class CoordinatorFound(ClientEvent):
    """The process knows a coordinator."""


class CoordinatorLost(ClientEvent):
    """The process marked its coordinator unknown and will look it up again."""

    cause: str


class RejoinRequested(ClientEvent):
    """The process knows that it must join (again)."""

    reason: str


class JoinSent(ClientEvent):
    """JoinGroup was sent. `owned` is the view it claims (cooperative members keep theirs)."""

    member: MemberId
    owned: Partitions = ()


class JoinOk(ClientEvent):
    """The answer to JoinGroup was handled by the application thread."""

    member: MemberId
    generation: int
    protocol: str | None = None
    leader: bool | None = None


class AssignorRan(ClientEvent):
    """The leader computed an assignment."""

    generation: int
    assignor: str | None = None
    duration_ms: int = 0


class SyncSent(ClientEvent):
    """SyncGroup was sent."""

    member: MemberId
    generation: int


class SyncOk(ClientEvent):
    """The answer to SyncGroup arrived: the process is Stable; the application learns it at its next poll."""

    member: MemberId
    generation: int
    assignment: Partitions | None = None


class RequestFailed(ClientEvent):
    """A request came back with an error, or did not come back (`TIMEOUT`, `DISCONNECTED`). api: `JoinGroup`, …"""

    api: str
    error: str


class GenerationReset(ClientEvent):
    """The process forgot its generation (and its member id too, if `member_id_too`)."""

    reason: str
    member_id_too: bool


class StateChanged(ClientEvent):
    """The client's own state: UNJOINED, PREPARING_REBALANCE, COMPLETING_REBALANCE, STABLE (Kafka: MemberState)."""

    state: str


class ProtocolSelected(ClientEvent):
    """How the process rebalances: EAGER or COOPERATIVE (KIP-429)."""

    protocol: str


class RevocationPending(ClientEvent):
    """These partitions are not fetched any more, although still in the view: a commit runs before they are revoked."""

    partitions: Partitions


class CallbackStart(ClientEvent):
    """A rebalance listener began to run on the application thread. kind: `assigned`, `revoked`, `lost`."""

    kind: str
    partitions: Partitions
    generation: int | None = None


class CallbackEnd(ClientEvent):
    """The listener returned, or raised `error`."""

    kind: str
    error: str | None = None


class ViewChanged(ClientEvent):
    """The process's local assignment is now exactly `partitions`."""

    partitions: Partitions


class PositionReady(ClientEvent):
    """These partitions of the view can be fetched from here on, starting at these offsets.

    A partition that leaves the view loses its position; until PositionReady names it (again) it is not fetchable.
    """

    offsets: Offsets


class PositionReached(ClientEvent):
    """How far the process had read each partition when it gave it up or died: what a next owner would continue from."""

    offsets: Offsets


class RestoreStart(ClientEvent):
    """The application rebuilds local state for these partitions and does not serve them meanwhile."""

    partitions: Partitions


class RestoreEnd(ClientEvent):
    """The state of these partitions is there."""

    partitions: Partitions


class Paused(ClientEvent):
    """The application paused these partitions."""

    partitions: Partitions


class Resumed(ClientEvent):
    """The application resumed these partitions."""

    partitions: Partitions


class PollStart(ClientEvent):
    """The application called poll(). Recorded where processing takes time."""

    noise: ClassVar[bool] = True


class PollEnd(ClientEvent):
    """poll() returned `records` records, which take `process_ms` to process."""

    noise: ClassVar[bool] = True
    records: int
    process_ms: int


class PollExpired(ClientEvent):
    """max.poll.interval.ms passed without a poll; the heartbeat thread gives the membership up."""


class LeaveSent(ClientEvent):
    """LeaveGroup was sent."""

    member: MemberId
    reason: str


class CommitSent(ClientEvent):
    """OffsetCommit was sent."""

    member: MemberId
    generation: int
    offsets: Offsets


class CommitFailed(ClientEvent):
    """A commit was refused: by the process itself (`local`: nothing was sent) or by the coordinator."""

    error: str
    local: bool
    offsets: Offsets = ()


class Failed(ClientEvent):
    """A fatal error was raised out of poll(); the consumer can't go on."""

    error: str
