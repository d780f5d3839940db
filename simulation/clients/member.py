"""What the threads of one classic consumer share, and the few ways in which it changes (Kafka: AbstractCoordinator)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

import simpy

from groupsim.assignors import ASSIGNORS
from groupsim.assignors.spec import COOPERATIVE, EAGER
from groupsim.coordinator.config import BadSetting
from groupsim.events import client as facts
from groupsim.events.base import Event
from groupsim.events.types import NO_GENERATION, MemberId, Partitions, TopicPartition
from groupsim.simulation.clients.config import STATIC, Application, ConsumerConfig
from groupsim.simulation.clients.connection import Connection
from groupsim.simulation.clients.process import Process, Waiter
from groupsim.simulation.clients.traits import Traits
from groupsim.simulation.topics import Topics

RebalanceInProgress = "REBALANCE_IN_PROGRESS"
CommitFailed = "COMMIT_FAILED"
AssignmentLost = "_ASSIGNMENT_LOST"


class State(Enum):
    """Kafka: AbstractCoordinator.MemberState."""

    UNJOINED = "UNJOINED"
    PREPARING_REBALANCE = "PREPARING_REBALANCE"
    COMPLETING_REBALANCE = "COMPLETING_REBALANCE"
    STABLE = "STABLE"


def rebalance_protocol(strategy: Sequence[str]) -> str:
    """The highest protocol that all configured assignors support (KIP-429). Raises BadSetting if there is none."""
    common = set.intersection(*(set(ASSIGNORS[name].protocols) for name in strategy))
    if not common:
        raise BadSetting(f"the assignors {', '.join(strategy)} share no rebalance protocol")
    return COOPERATIVE if COOPERATIVE in common else EAGER


@dataclass(slots=True, eq=False)
class Joining:
    """A JoinGroup or SyncGroup under way; `answer` is the JoinGroup's, not yet seen by the application thread."""

    answer: object | None = None
    assigned: Partitions | None = None


@dataclass(slots=True, eq=False, kw_only=True)
class Member:
    """One consumer's side of its membership. Only the modules beside this one change it."""

    env: simpy.Environment
    process: Process
    group: str
    client_id: str
    instance_id: str | None
    topics: tuple[str, ...]
    config: ConsumerConfig
    application: Application
    world_topics: Topics
    record: Callable[[Sequence[Event]], None]
    connection: Connection
    bootstrap: Connection
    jitter: Callable[[], float]
    data_cut_since: Callable[[], int | None]
    traits: Traits
    protocol_mode: str = STATIC
    pattern: str | None = None

    app: Waiter
    beat: Waiter
    poll_started: Waiter
    main: Waiter

    protocol: str = EAGER
    state: State = State.UNJOINED
    member_id: MemberId = ""
    generation: int = NO_GENERATION
    assignor: str | None = None
    leads: bool = False
    coordinator_known: bool = False
    finding: bool = False
    rejoin_needed: bool = True
    reason: str | None = None
    needs_join_prepare: bool = True
    joining: Joining | None = None
    view: Partitions = ()
    given_up: Partitions = ()
    given_up_ms: int = 0
    sticky_owned: Partitions = ()
    sticky_generation: int = NO_GENERATION
    fatal: str | None = None
    closing: bool = False
    closed: bool = False
    in_callback: bool = False
    in_poll: bool = False
    last_poll_ms: int = 0
    last_heard_ms: int = 0
    next_beat_ms: int = 0
    beating: bool = False
    away_since_ms: int | None = None
    unread: Callable[[], None] | None = None
    read_ms: int = 0
    positions: dict[TopicPartition, int] = field(default_factory=dict)
    not_fetchable: set[TopicPartition] = field(default_factory=set)
    fetching: set[TopicPartition] = field(default_factory=set)
    restoring: dict[TopicPartition, int] = field(default_factory=dict)
    restored: set[TopicPartition] = field(default_factory=set)
    next_commit_ms: int = 0
    next_metadata_ms: int = 0
    watched: dict[str, int] | None = None
    topics_known: bool = True
    commits_disabled: bool = False
    raising: set[str] = field(default_factory=set)
    poll_expired: bool = False
    batch_extra_ms: int = 0

    @property
    def now(self) -> int:
        """Milliseconds since the run's start."""
        return self.env.now  # type: ignore[return-value]  # only whole numbers are ever given to SimPy

    def data_until(self) -> int:
        """Until when records could be fetched: now, or since when this process is cut from the data."""
        since = self.data_cut_since()
        return self.now if since is None else since

    def tell(self, event: Event) -> None:
        """Record one fact of this process."""
        self.record((event,))

    def wake(self) -> None:
        """Let whichever thread keeps the membership look again."""
        self.app.notify()
        self.main.notify()

    def become(self, state: State) -> None:
        """Change the client's own state."""
        if state is not self.state:
            self.state = state
            self.tell(facts.StateChanged(process=self.process.id, state=state.value))

    def request_rejoin(self, reason: str) -> None:
        """Join again at the next poll."""
        self.rejoin_needed = True
        self.reason = reason
        self.tell(facts.RejoinRequested(process=self.process.id, reason=reason))
        self.wake()

    def reset(self, reason: str, *, member_id_too: bool) -> None:
        """Forget the generation: whatever is held is lost at the next poll (Kafka: resetStateAndGeneration)."""
        self.generation = NO_GENERATION
        self.assignor = None
        if member_id_too:
            self.member_id = ""
        self.tell(facts.GenerationReset(process=self.process.id, reason=reason, member_id_too=member_id_too))
        self.become(State.UNJOINED)
        self.needs_join_prepare = True
        self.request_rejoin(reason)

    def change_protocol(self, protocol: str) -> None:
        """Rebalance this way from now on."""
        if protocol != self.protocol:
            self.protocol = protocol
            self.tell(facts.ProtocolSelected(process=self.process.id, protocol=protocol))

    def lose_coordinator(self, cause: str) -> None:
        """Forget who coordinates; requests in flight to it fail."""
        if not self.coordinator_known:
            return
        self.coordinator_known = False
        self.tell(facts.CoordinatorLost(process=self.process.id, cause=cause))
        self.connection.disconnect()
        self.wake()
        self.beat.notify()

    def fail(self, error: str) -> None:
        """A fatal error: raised out of the next poll."""
        self.fatal = error
        self.wake()

    def set_view(self, partitions: Partitions) -> None:
        """Change the local assignment; what leaves loses its position."""
        kept = set(partitions)
        reached = tuple(
            (p.topic, p.partition, self.positions[p]) for p in self.view if p in self.positions and p not in kept
        )
        self.positions = {p: o for p, o in self.positions.items() if p in kept}
        self.not_fetchable &= kept
        self.fetching &= kept
        self.restoring = {p: since for p, since in self.restoring.items() if p in kept}
        if not self.application.keep_state:
            self.restored &= kept
        if reached:
            self.tell(facts.PositionReached(process=self.process.id, offsets=reached))
        if partitions != self.view:
            self.given_up, self.given_up_ms = self.view, self.now
            self.view = partitions
            self.tell(facts.ViewChanged(process=self.process.id, partitions=partitions))

    def backoff_ms(self) -> int:
        """retry.backoff.ms, 20 % more or less."""
        return max(1, round(self.config.retry_backoff_ms * (0.8 + 0.4 * self.jitter())))
