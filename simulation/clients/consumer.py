"""One incarnation of one client: its process, its threads, and what an operator can do to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import simpy

from groupsim.assignors.spec import EAGER
from groupsim.coordinator.config import kafka_name
from groupsim.events import client as facts
from groupsim.events.base import Event, process_stream
from groupsim.events.types import Partitions
from groupsim.simulation.broker import Broker
from groupsim.simulation.clients import classic, heartbeat, metadata, records
from groupsim.simulation.clients.config import JAVA, STATIC, Application, ConsumerConfig
from groupsim.simulation.clients.connection import Connection
from groupsim.simulation.clients.member import Member, rebalance_protocol
from groupsim.simulation.clients.process import Process, Script, Waiter
from groupsim.simulation.clients.traits import TRAITS
from groupsim.simulation.network import Message, Network
from groupsim.simulation.rng import Rng
from groupsim.simulation.topics import Topics

DATA = "data"
"""The address of the brokers that hold the data, as an end of a link that can be cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerContext:
    """What every consumer of a world shares."""

    env: simpy.Environment
    network: Network
    broker: Broker
    topics: Topics
    rng: Rng
    record: Callable[[str, Sequence[Event]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What one consumer is built with. `pattern` subscribes to all topics it matches, now and later."""

    group: str
    topics: tuple[str, ...]
    config: ConsumerConfig
    application: Application
    instance_id: str | None = None
    pattern: str | None = None
    client: str = JAVA
    protocol_mode: str = STATIC


class ClassicConsumer:
    """It lives from `start` until close(), kill() or a fatal error; `gone` fires then."""

    def __init__(self, around: ConsumerContext, process_id: str, settings: Settings) -> None:
        env, network, broker = around.env, around.network, around.broker
        self._network = network
        self.process = Process(env, process_id)
        self.gone = env.event()
        self._held: list[Message] = []
        self._bootstrap, self._connection = (
            Connection(env, network, self.process, broker.address, i, lambda c: broker.disconnect(process_id, c))
            for i in (0, 1)
        )
        stream = process_stream(settings.group, process_id)
        self.member = Member(
            env=env,
            process=self.process,
            group=settings.group,
            client_id=process_id.rpartition(".")[0],
            instance_id=settings.instance_id,
            topics=settings.topics,
            config=settings.config,
            application=settings.application,
            world_topics=around.topics,
            record=lambda events: around.record(stream, events),
            connection=self._connection,
            bootstrap=self._bootstrap,
            jitter=around.rng.stream(f"backoff/{process_id}").random,
            data_cut_since=lambda: network.cut_since(process_id, DATA),
            traits=TRAITS[settings.client],
            protocol_mode=settings.protocol_mode,
            pattern=settings.pattern,
            app=Waiter(env),
            beat=Waiter(env),
            poll_started=Waiter(env),
            main=Waiter(env),
            protocol=_first_protocol(settings),
        )
        self._application = classic.Application(self.member)

    def start(self) -> None:
        """Build the consumer and begin to poll."""
        m = self.member
        settings = {
            kafka_name(name): ",".join(value) if isinstance(value, tuple) else value
            for name, value in asdict(m.config).items()
        }
        m.tell(
            facts.ProcessStarted(
                process=self.process.id,
                client_id=m.client_id,
                instance_id=m.instance_id,
                topics=m.topics,
                config=settings,
            )
        )
        m.tell(facts.ProtocolSelected(process=self.process.id, protocol=m.protocol))
        self._network.attach(self.process.id, self._receive, self._reset)
        m.last_poll_ms = m.now
        m.next_commit_ms = m.now + m.config.auto_commit_interval_ms
        metadata.start(m)
        self.process.thread(self._run())
        self.process.thread(heartbeat.thread(m))
        if m.traits.background:
            self.process.thread(classic.background(m))

    def _run(self) -> Script:
        yield from self._application.run()
        self._end()

    def _end(self) -> None:
        self.process.die()
        self._network.detach(self.process.id)
        self.gone.succeed()

    def _receive(self, message: Message) -> None:
        """A response reached this machine; a frozen process reads it when it runs again."""
        if self.process.frozen:
            self._held.append(message)
        elif not self._bootstrap.receive(message):
            self._connection.receive(message)

    def _reset(self) -> None:
        """The broker closed its connections."""
        if self.process.alive and not self.process.frozen:
            self._bootstrap.disconnect()
            self.member.lose_coordinator("disconnected")
        elif self.process.alive:
            self._reset_while_frozen = True

    _reset_while_frozen = False

    # What an operator, or misfortune, does:

    def close(self) -> None:
        """Ask the application to close its consumer; `gone` fires when it has."""
        m = self.member
        m.closing = True
        for waiter in (m.app, m.beat, m.poll_started, m.main):
            waiter.notify()

    def kill(self) -> None:
        """kill -9: nothing is said to anybody."""
        if not self.process.alive:
            return
        m = self.member
        if not self.process.frozen:
            records.catch_up(m)
        reached = records.consumed(m)
        if reached:
            m.tell(facts.PositionReached(process=self.process.id, offsets=reached))
        m.tell(facts.Crashed(process=self.process.id))
        self._end()

    def freeze(self) -> None:
        """Stop the process: SIGSTOP, a long garbage collection, a suspended machine."""
        if not self.process.alive or self.process.frozen:
            return
        records.catch_up(self.member)
        self.member.tell(facts.Frozen(process=self.process.id))
        self.process.freeze()

    def thaw(self) -> None:
        """Let it go on. What arrived meanwhile is read before anything is found to be late."""

        def read_buffers() -> None:
            held, self._held = self._held, []
            for message in held:
                self._receive(message)
            if self._reset_while_frozen:
                self._reset_while_frozen = False
                self._reset()
            self._bootstrap.expire()
            self._connection.expire()

        if self.process.alive and self.process.frozen:
            self.member.tell(facts.Thawed(process=self.process.id))
            self.process.thaw(read_buffers)

    def slow_batch(self, ms: int) -> None:
        """The next batch takes so much longer."""
        records.catch_up(self.member)
        self.member.batch_extra_ms += ms
        self.member.app.notify()

    def subscribe(self, topics: tuple[str, ...]) -> None:
        """Change the subscription; the group is joined anew at the next poll."""
        m = self.member
        if topics != m.topics:
            m.topics = topics
            m.request_rejoin("subscription has changed")

    def unsubscribe(self) -> simpy.Event:
        """KafkaConsumer.unsubscribe(): leave, hold nothing, go on polling. Fires when it has left."""
        return self.process.thread(classic.unsubscribe(self.member))

    def enforce_rebalance(self) -> None:
        """KafkaConsumer.enforceRebalance()."""
        self.member.request_rejoin("rebalance enforced by user")

    def refresh_metadata(self) -> None:
        """Ask for metadata now instead of when metadata.max.age.ms is over."""
        self.member.next_metadata_ms = self.member.now
        self.member.wake()

    def raise_in(self, kind: str) -> None:
        """The next callback of this kind raises."""
        self.member.raising.add(kind)

    @property
    def view(self) -> Partitions:
        """What the process believes it owns."""
        return self.member.view if self.process.alive else ()


def _first_protocol(settings: Settings) -> str:
    """A dynamic member rebalances eagerly until an assignor has been selected (KIP-726)."""
    common = rebalance_protocol(settings.config.partition_assignment_strategy)
    return common if settings.protocol_mode == STATIC else EAGER


__all__ = ["DATA", "ClassicConsumer", "ConsumerContext", "Settings"]
