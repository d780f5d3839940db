"""What a member of the consumer protocol knows, and how it changes (Kafka: AbstractMembershipManager)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from groupsim.coordinator.modern.commands import JOIN_EPOCH
from groupsim.events import client as facts
from groupsim.events.client import MemberPhase
from groupsim.events.types import MemberId, Partitions
from groupsim.simulation.clients.client import Client

NO_TARGET = -1
OUTSIDE = (MemberPhase.UNSUBSCRIBED, MemberPhase.LEAVING, MemberPhase.STALE, MemberPhase.FATAL)
"""Phases in which no answer counts and no heartbeat is due."""
AT_ONCE = (MemberPhase.JOINING, MemberPhase.ACKNOWLEDGING)
"""Phases in which a heartbeat is sent without waiting for the interval."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What the last heartbeats said; only what has changed since is said again."""

    topics: tuple[str, ...]
    expression: str | None
    target: int


@dataclass(slots=True, eq=False)
class HeartbeatState:
    """When the next one is due (ms), how much later the thread wakes for it; before `not_before_ms` none is sent.

    `interval_ms` is what the coordinator said last.
    """

    interval_ms: int = 0
    next_ms: int = 0
    late_ms: int = 0
    not_before_ms: int = 0
    in_flight: bool = False
    failures: int = 0


class Wire(Protocol):
    """How a member says what it is and has, and what the coordinator's answer gives it: by consumer or by task."""

    @property
    def api(self) -> str:
        """The request's name."""
        ...

    @property
    def protocol(self) -> str:
        """What the member says that it speaks."""
        ...

    def request(self, m: ConsumerState) -> Any:
        """A heartbeat that says nothing but who sends it."""
        ...

    def everything(self, m: ConsumerState, news: Sent) -> Any:
        """What is said when joining, and after an error."""
        ...

    def changes(self, m: ConsumerState, news: Sent, before: Sent) -> Any:
        """What has changed since the heartbeat before; an acknowledgement says what is held."""
        ...

    def target(self, m: ConsumerState, answer: Any) -> Partitions | None:
        """The partitions that the answer gives it; None: the same as before."""
        ...


@dataclass(slots=True, eq=False, kw_only=True)
class ConsumerState:
    """One client's membership. Only the modules of this package change it.

    `target` was received last; `target_number` counts targets, `held_number` is that of the one that is held
    (Kafka: LocalAssignment.localEpoch). `given_up` was revoked, and the subscription still lists it, until
    what is new is taken over (KAFKA-20106). `reconciling`: a reconciliation runs. `joined` counts joins: what began
    before the last one has no meaning any more. `sent` is None where everything has to be said.
    """

    client: Client
    member_id: MemberId
    wire: Wire
    epoch: int = JOIN_EPOCH
    phase: MemberPhase = MemberPhase.UNSUBSCRIBED
    target: Partitions = ()
    target_number: int = NO_TARGET
    held_number: int = NO_TARGET
    given_up: Partitions = ()
    reconciling: bool = False
    joined: int = 0
    sent: Sent | None = None
    heartbeat: HeartbeatState = field(default_factory=HeartbeatState)

    @property
    def reconciled(self) -> bool:
        """It holds the target that it received last."""
        return self.held_number == self.target_number

    def become(self, phase: MemberPhase) -> None:
        """Change the phase, and let the library's thread look."""
        if phase is not self.phase:
            self.phase = phase
            self.client.record(facts.StateChanged(process=self.client.process.id, state=phase.value))
            self.client.threads.library.notify()

    def join(self) -> None:
        """Begin anew, with the same id and nothing held (Kafka: transitionToJoining)."""
        self.epoch, self.sent = JOIN_EPOCH, None
        self.target, self.target_number, self.held_number = (), NO_TARGET, NO_TARGET
        self.given_up = ()
        self.joined += 1
        self.become(MemberPhase.JOINING)
