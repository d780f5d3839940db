"""A classic member's own state and how it changes (Kafka: AbstractCoordinator)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import simpy

from groupsim.assignors import ASSIGNORS
from groupsim.assignors.spec import COOPERATIVE, EAGER
from groupsim.coordinator.classic.commands import JoinAnswer
from groupsim.coordinator.config import BadSetting
from groupsim.events import client as facts
from groupsim.events.client import ClientState
from groupsim.events.types import NO_GENERATION, MemberId, Partitions, Plan
from groupsim.events.types import Protocol as Offer
from groupsim.simulation.clients.client import Client
from groupsim.simulation.clients.config import STREAMS_ASSIGNOR, ProtocolMode
from groupsim.simulation.clients.process import Script


def rebalance_protocol(strategy: Sequence[str]) -> str:
    """The highest protocol that all configured assignors support (KIP-429). Raises BadSetting if there is none."""
    common = set.intersection(*(set(_protocols(name)) for name in strategy))
    if not common:
        raise BadSetting(f"the assignors {', '.join(strategy)} share no rebalance protocol")
    return COOPERATIVE if COOPERATIVE in common else EAGER


def _protocols(assignor: str) -> tuple[str, ...]:
    """How groups with this assignor may rebalance; that of Kafka Streams is cooperative (KIP-429)."""
    return (COOPERATIVE,) if assignor == STREAMS_ASSIGNOR else ASSIGNORS[assignor].protocols


@dataclass(slots=True, eq=False)
class PendingJoin:
    """A join under way. `answer`: JoinGroup's, until the application thread handles it; `assigned`: SyncGroup's.

    `topics`: the subscription that it was sent with. `user_data`: what a leader sends to the members besides their
    partitions; `assigned_data`: what this one was sent.
    """

    topics: tuple[str, ...]
    answer: object | None = None
    assigned: Partitions | None = None
    assigned_data: str | None = None
    user_data: tuple[tuple[MemberId, str], ...] = ()


@dataclass(slots=True, eq=False)
class HeartbeatState:
    """When the next heartbeat is due (ms), how much later its thread wakes, whether one is in flight.

    `napping_since_ms`: since when the thread naps, for `nap_ms` at a time: since it sent the heartbeat before.
    `read_answer`: handles an answer that no thread has read yet; the heartbeat thread does it at `read_ms`.
    """

    next_ms: int = 0
    late_ms: int = 0
    napping_since_ms: float = 0.0
    nap_ms: float = 0.0
    in_flight: bool = False
    read_answer: Callable[[], None] | None = None
    read_ms: int = 0


class MemberKind(Protocol):
    """What a consumer and a Connect worker do each in their own way (Kafka: subclasses of AbstractCoordinator)."""

    @property
    def protocol_type(self) -> str:
        """That of their group."""
        ...

    @property
    def always_joins(self) -> bool:
        """Whether it joins without a topic, too."""
        ...

    def offers(self, m: ClassicState) -> tuple[Offer, ...]:
        """What JoinGroup says, for each assignor that the member has."""
        ...

    def prepare(self, m: ClassicState) -> Generator[simpy.Event, Any, bool]:
        """What comes before a join. False: it goes on in a later poll()."""
        ...

    def assign(
        self, m: ClassicState, join: PendingJoin, answer: JoinAnswer
    ) -> Generator[simpy.Event, Any, Plan | None]:
        """What a leader sends with SyncGroup: empty where it may skip the assignment, None if the assignor failed."""
        ...

    def take_over(self, m: ClassicState, join: PendingJoin, assigned: Partitions) -> Generator[simpy.Event, Any, bool]:
        """Apply the assignment. False if a listener raised."""
        ...

    def give_up(self, m: ClassicState) -> Script:
        """Before it leaves the group: nothing is held any more."""
        ...

    def look(self, m: ClassicState) -> None:
        """Whatever is due at each round."""
        ...

    def due(self, m: ClassicState) -> list[int]:
        """When a round is needed (ms) even if nothing happens before."""
        ...

    def alone(self, m: ClassicState) -> None:
        """It knows no coordinator, and is about to look for one."""
        ...


@dataclass(slots=True, eq=False, kw_only=True)
class ClassicState:
    """One client's membership. Only the modules of this package change it.

    `kind`: a consumer or a Connect worker. `join` is the join under way. `rejoin_reason` travels with the next
    JoinGroup (KIP-800). `needs_join_prepare`: what comes before a join is still to be done. `sticky_owned` and
    `sticky_generation` are the last assignment, which eager sticky assignors send along. `watched_topics`: the
    partition counts the leader assigned with. `commits_disabled`: partitions were lost in an unguarded downgrade
    (KIP-726). `commit_in_flight`: what was read is being committed before a join. `rejoin_ms`: a join that another
    rebalance interrupted begins again then. `follow_up_ms`: when the leader of Kafka Streams wants this member to join
    again (None: not).
    """

    client: Client
    kind: MemberKind
    protocol_mode: ProtocolMode
    rebalance_protocol: str
    state: ClientState = ClientState.UNJOINED
    member_id: MemberId = ""
    generation: int = NO_GENERATION
    assignor: str | None = None
    leads: bool = False
    rejoin_needed: bool = True
    rejoin_reason: str | None = None
    needs_join_prepare: bool = True
    join: PendingJoin | None = None
    sticky_owned: Partitions = ()
    sticky_generation: int = NO_GENERATION
    watched_topics: dict[str, int] | None = None
    commits_disabled: bool = False
    commit_in_flight: simpy.Process | None = None
    rejoin_ms: int = 0
    follow_up_ms: int | None = None
    heartbeat: HeartbeatState = field(default_factory=HeartbeatState)

    def become(self, state: ClientState) -> None:
        """Change the client's own state."""
        if state is not self.state:
            self.state = state
            self.client.record(facts.StateChanged(process=self.client.process.id, state=state.value))

    def request_rejoin(self, reason: str) -> None:
        """Join again at the next poll (Kafka: requestRejoin)."""
        self.rejoin_needed = True
        self.rejoin_reason = reason
        self.client.record(facts.RejoinRequested(process=self.client.process.id, reason=reason))
        self.client.threads.wake()

    def follow_up(self) -> None:
        """Join again if it is time to, and no rebalance is under way (Kafka: StreamThread.runLoop)."""
        due_ms = self.follow_up_ms
        if due_ms is not None and self.client.now >= due_ms and self.join is None and not self.rejoin_needed:
            self.follow_up_ms = None
            self.request_rejoin(f"triggered followup rebalance scheduled for {due_ms}")

    def interrupted(self, reason: str) -> None:
        """Another rebalance has begun before this join was complete: join again, as soon as the library does."""
        self.rejoin_ms = self.client.now + self.client.traits.rejoins_after_ms
        self.request_rejoin(reason)

    def reset(self, reason: str, *, member_id_too: bool) -> None:
        """Forget the generation: the view is lost at the next poll (Kafka: resetStateAndGeneration)."""
        self.generation = NO_GENERATION
        self.assignor = None
        if member_id_too:
            self.member_id = ""
        self.client.record(
            facts.GenerationReset(process=self.client.process.id, reason=reason, member_id_too=member_id_too)
        )
        self.become(ClientState.UNJOINED)
        self.needs_join_prepare = True
        self.request_rejoin(reason)

    def change_rebalance_protocol(self, protocol: str) -> None:
        """Rebalance this way from now on."""
        if protocol != self.rebalance_protocol:
            self.rebalance_protocol = protocol
            self.client.record(facts.ProtocolSelected(process=self.client.process.id, protocol=protocol))
