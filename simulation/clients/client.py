"""What the threads of one client process share, and the facts that they record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import simpy

from groupsim.events import client as facts
from groupsim.events.base import Event
from groupsim.events.client import CallbackKind
from groupsim.events.types import Partitions
from groupsim.simulation.clients.config import Application, ConsumerConfig
from groupsim.simulation.clients.connection import Connection
from groupsim.simulation.clients.fetch_state import FetchState
from groupsim.simulation.clients.membership import Membership
from groupsim.simulation.clients.process import Process, Signal, Waiter
from groupsim.simulation.clients.streams.application import StreamsApplication
from groupsim.simulation.clients.streams.task_states import TaskStates
from groupsim.simulation.clients.traits import Traits
from groupsim.simulation.topics import Topics


class Threads:
    """Where each thread of a client waits, and what the application's thread is doing.

    `application` polls and works; `heartbeat` sends heartbeats; `library` keeps the membership in libraries that have
    such a thread; `polling` is notified when the application calls poll(), and when a callback inside one has ended.
    `informed_ms` is when the library's thread was last informed of a poll(), `informed` whether it was of the last of
    `polls`; `waits_since_ms`: since when poll() waits for records. `away_since_ms`: since when the application runs its
    own code, None inside poll(). `closing`: close() was asked for; `closed`: it has begun. `ends_rebalance`: close() is
    asked for of a stream thread, which first ends the rebalance that is under way. `failed` is the fatal error.
    `poll_expired`: max.poll.interval.ms passed without a poll.
    """

    def __init__(self, env: simpy.Environment) -> None:
        self.application = Waiter(env)
        self.heartbeat = Waiter(env)
        self.library = Waiter(env)
        self.polling = Signal(env)
        self.in_poll = False
        self.in_callback = False
        self.last_poll_ms = 0
        self.informed = False
        self.informed_ms = 0
        self.polls = 0
        self.waits_since_ms = 0
        self.away_since_ms: int | None = None
        self.poll_expired = False
        self.ends_rebalance = False
        self.closing = False
        self.closed = False
        self.failed: str | None = None

    @property
    def ending(self) -> bool:
        """The application leaves its poll loop: it closes, or a fatal error will be raised."""
        return self.closing or self.failed is not None

    def wake(self) -> None:
        """Let the thread that keeps the membership look again."""
        self.application.notify()
        self.library.notify()

    def wake_all(self) -> None:
        """Let every thread look again."""
        for waiter in (self.application, self.heartbeat, self.polling, self.library):
            waiter.notify()


@dataclass(slots=True, eq=False)
class CoordinatorLink:
    """Whether the coordinator is known, whether a thread looks for it, and when it last answered (ms).

    `no_broker_since_ms`: since when it reaches no broker of the cluster, None while it does (ms).
    `refused`: how often in a row no broker could be connected to; `connect_ms`: when to try that again (ms).
    """

    known: bool = False
    lookup_running: bool = False
    last_answer_ms: int = 0
    no_broker_since_ms: int | None = None
    refused: int = 0
    connect_ms: int = 0


@dataclass(slots=True, eq=False)
class MetadataState:
    """Whether the topics are known, and when to ask for metadata again (ms)."""

    known: bool = True
    next_refresh_ms: int = 0


@dataclass(slots=True, eq=False, kw_only=True)
class Client:
    """One client: its identity, its connections, and the state of its parts.

    `raising`: the callbacks that raise the next time. `next_batch_extra_ms`: how much longer the next batch takes.
    `polled_before_ms`: for how long poll() has waited when this client begins to act.
    `streams`: the Kafka Streams application that it is a part of; `tasks`: the state of its tasks.
    `data_cut_since`: since when the data can't be reached, None if it can. `heartbeat_late_ms`: how late its thread
    wakes for the next heartbeat, by the interval and whether it naps at work, `nap_late_ms`: from each nap before it.
    `no_broker`: whether no broker of the cluster can be reached.
    """

    env: simpy.Environment
    process: Process
    group: str
    client_id: str
    instance_id: str | None
    topics: tuple[str, ...]
    pattern: str | None
    config: ConsumerConfig
    application: Application
    traits: Traits
    cluster_topics: Topics
    append: Callable[[Sequence[Event]], None]
    connection: Connection
    bootstrap: Connection
    random: Callable[[], float]
    heartbeat_late_ms: Callable[[int, bool], int]
    nap_late_ms: Callable[[], float]
    data_cut_since: Callable[[], int | None]
    no_broker: Callable[[], bool]
    threads: Threads
    fetch: FetchState = field(default_factory=FetchState)
    coordinator: CoordinatorLink = field(default_factory=CoordinatorLink)
    metadata: MetadataState = field(default_factory=MetadataState)
    membership: Membership = field(init=False)
    streams: StreamsApplication | None = None
    tasks: TaskStates | None = None
    next_commit_ms: int = 0
    raising: set[CallbackKind] = field(default_factory=set)
    next_batch_extra_ms: int = 0
    polled_before_ms: int = 0

    @property
    def now(self) -> int:
        """Milliseconds since the run's start."""
        return self.env.now  # type: ignore[return-value]  # only whole numbers are ever given to SimPy

    def fetchable_until(self) -> int:
        """Until when (ms) records could be fetched: now, or since when it is cut from the data or reaches no broker."""
        since = [at for at in (self.data_cut_since(), self.coordinator.no_broker_since_ms) if at is not None]
        return min(since, default=self.now)

    def record(self, event: Event) -> None:
        """Record one fact of this process."""
        self.append((event,))

    def request_failed(self, api: str, error: str) -> None:
        """Record that a request came back with an error, or not at all."""
        self.record(facts.RequestFailed(process=self.process.id, api=api, error=error))

    def fail(self, error: str) -> None:
        """A fatal error: raised out of the next poll."""
        self.threads.failed = error
        self.threads.wake()

    def lose_coordinator(self, cause: str) -> None:
        """Forget who coordinates; requests in flight to it fail."""
        if not self.coordinator.known:
            return
        self.coordinator.known = False
        self.record(facts.CoordinatorLost(process=self.process.id, cause=cause))
        self.connection.disconnect()
        self.threads.wake()
        self.threads.heartbeat.notify()

    def brokers_gone(self) -> None:
        """The cluster's only broker has gone: no other one answers, and no bootstrap server."""
        if self.coordinator.no_broker_since_ms is not None:
            return
        self.coordinator.no_broker_since_ms = self.now
        self.request_failed("Metadata", "DISCONNECTED")

    def set_view(self, partitions: Partitions) -> None:
        """Change the local assignment; what leaves it loses its position."""
        if partitions == self.fetch.view:
            return
        if self.tasks is not None:
            self.tasks.hold(partitions)
        reached = self.fetch.assign(partitions, self.now, keep_state=self.application.keep_state)
        if reached:
            self.record(facts.PositionReached(process=self.process.id, offsets=reached))
        self.record(facts.ViewChanged(process=self.process.id, partitions=partitions))

    def reconnect_backoff_ms(self) -> int:
        """How long it waits before it connects again: twice as long each time (Kafka: ClusterConnectionStates)."""
        first, most = self.traits.reconnect_backoff_ms
        wait = min(first << min(self.coordinator.refused, 30), most)
        self.coordinator.refused += 1
        return max(1, round(wait * (0.8 + 0.4 * self.random())))

    def backoff_ms(self) -> int:
        """retry.backoff.ms, 20 % more or less."""
        return max(1, round(self.config.retry_backoff_ms * (0.8 + 0.4 * self.random())))
