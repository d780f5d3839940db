"""ClientProcess: one incarnation of one client, and what an operator can do to it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial

import simpy

from groupsim.coordinator.config import kafka_name
from groupsim.events import client as facts
from groupsim.events.base import process_stream
from groupsim.events.client import CallbackKind
from groupsim.events.connect import CONFIGURED
from groupsim.events.types import Partitions
from groupsim.simulation.clients import commits, metadata, positions, records
from groupsim.simulation.clients.application_thread import application_thread
from groupsim.simulation.clients.classic.membership import ClassicMembership
from groupsim.simulation.clients.client import Client, Threads
from groupsim.simulation.clients.config import (
    CLASSIC,
    NATIVE,
    REFUSED,
    Application,
    ConsumerConfig,
    Library,
    ProtocolMode,
)
from groupsim.simulation.clients.connect.cluster import ConnectCluster
from groupsim.simulation.clients.connect.worker import WorkerKind
from groupsim.simulation.clients.connection import Connection
from groupsim.simulation.clients.consumer.membership import ConsumerMembership
from groupsim.simulation.clients.consumer.state import Wire
from groupsim.simulation.clients.consumer.wire import ConsumerWire
from groupsim.simulation.clients.maintenance import library_thread
from groupsim.simulation.clients.membership import Membership
from groupsim.simulation.clients.process import Process, Script, Waiter
from groupsim.simulation.clients.streams.application import StreamsApplication
from groupsim.simulation.clients.streams.task_states import CLOSE_MS, Disk, TaskStates
from groupsim.simulation.clients.streams.wire import StreamsWire
from groupsim.simulation.clients.traits import CONSUMER_TRAITS, RELEASES, TRAITS, Traits, check_client
from groupsim.simulation.consumer_context import DATA, ConsumerContext
from groupsim.simulation.network import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientSettings:
    """What one client is built with. `pattern` subscribes to all topics it matches, now and later.

    `release`: of the library, None for the newest that is known. `streams`: the application, of a streams group;
    `connect`: the cluster, of Connect's workers. `as_recorded`: a record says which assignors it offers.
    """

    group: str
    topics: tuple[str, ...]
    config: ConsumerConfig
    application: Application
    instance_id: str | None = None
    pattern: str | None = None
    library: Library = Library.JAVA
    protocol_mode: ProtocolMode = ProtocolMode.STATIC
    release: str | None = None
    streams: StreamsApplication | None = None
    connect: ConnectCluster | None = None
    as_recorded: bool = False


def checked(settings: ClientSettings) -> ClientSettings:
    """The same. Raises BadScenario where its library has not its protocol, or one of its assignors."""
    if settings.streams is None and settings.connect is None:
        check_client(settings.library, settings.config, as_recorded=settings.as_recorded)
    return settings


def traits_of(settings: ClientSettings) -> Traits:
    """How the library behaves as a member by this protocol."""
    protocol = settings.config.group_protocol
    known = CONSUMER_TRAITS if protocol in NATIVE else TRAITS
    return RELEASES.get((settings.library, settings.release or "", protocol), known[settings.library])


def _printed(settings: ClientSettings) -> dict[str, int | str | bool]:
    """The settings by Kafka's names, but for those that mean nothing in this protocol, or are not set."""
    config = settings.config
    if settings.connect is not None:
        return settings.connect.printed(config)
    unused = {*REFUSED[config.group_protocol], *(("group.protocol",) if config.group_protocol == CLASSIC else ())}
    unused |= set() if config.client_rack else {"client.rack"}
    unused |= {"internal.leave.group.on.close"} if config.internal_leave_group_on_close else set()
    named = ((kafka_name(name), value) for name, value in asdict(config).items())
    return {n: ",".join(value) if isinstance(value, tuple) else value for n, value in named if n not in unused}


def _classic(client: Client, settings: ClientSettings, context: ConsumerContext) -> ClassicMembership:
    """Raises BadSetting for settings that make no membership."""
    if settings.connect is None:
        return ClassicMembership.of_consumer(client, settings.protocol_mode)
    kind = WorkerKind(settings.connect, context.rng.stream(f"work/{client.process.id}").random)
    return ClassicMembership(client, kind, settings.protocol_mode, kind.first)


def _wire(settings: ClientSettings) -> Wire:
    return ConsumerWire() if settings.streams is None else StreamsWire(settings.streams)


class ClientProcess:
    """It lives from `start` until close(), kill() or a fatal error; the event `gone` fires then."""

    def __init__(
        self,
        context: ConsumerContext,
        process_id: str,
        settings: ClientSettings,
        disk: Disk | None = None,
    ) -> None:
        """`disk`: what a process of this name left on it. Raises BadSetting for settings that make no membership."""
        env, network, broker = context.env, context.network, context.broker
        self._network = network
        self._settings = settings
        self.process = Process(env, process_id)
        self.gone = env.event()
        self._unread: list[Message] = []
        self._reset_while_frozen = False
        self._bootstrap, self._connection = (
            Connection(env, network, self.process, broker.address, i, lambda c: broker.disconnect(process_id, c))
            for i in (0, 1)
        )
        stream = process_stream(settings.group, process_id)
        self._client = Client(
            env=env,
            process=self.process,
            group=settings.group,
            client_id=process_id.rpartition(".")[0],
            instance_id=settings.instance_id,
            topics=settings.topics,
            pattern=settings.pattern,
            config=settings.config,
            application=settings.application,
            traits=traits_of(settings),
            cluster_topics=context.topics,
            append=lambda events: context.record(stream, events),
            connection=self._connection,
            bootstrap=self._bootstrap,
            random=context.rng.stream(f"backoff/{process_id}").random,
            heartbeat_late_ms=partial(context.heartbeat_timers.late_ms, process_id),
            nap_late_ms=partial(context.heartbeat_timers.nap_late_ms, process_id),
            data_cut_since=lambda: network.cut_since(process_id, DATA),
            no_broker=lambda: broker.nobody_answers,
            threads=Threads(env),
            streams=settings.streams,
        )
        if settings.streams is not None:
            self._client.tasks = self._tasks(context, settings.streams, disk or Disk())
        if settings.config.group_protocol in NATIVE:
            own_id = context.member_ids.own(process_id, settings.library)
            self._client.membership = ConsumerMembership(self._client, own_id, _wire(settings))
            waited = context.rng.stream(f"polls/{process_id}").random() * settings.application.poll_timeout_ms
            self._client.polled_before_ms = int(waited)
        else:
            self._client.membership = _classic(self._client, settings, context)

    def _tasks(self, context: ConsumerContext, application: StreamsApplication, disk: Disk) -> TaskStates:
        """The process id is on the disk, if anything is (Kafka: StateDirectory.initializeProcessId)."""
        client = self._client
        name = client.client_id
        known = application.processes.get(name) or (disk.process if application.persistent else None)
        disk.process = known or context.rng.uuid(f"process-ids/{name}")
        return TaskStates(
            application,
            disk,
            client.process,
            Waiter(context.env),
            context.topics,
            client.random,
            lambda partition: records.reached(client, partition),
            lambda partitions: positions.task_runs(client, partitions),
            lambda partitions, then: positions.ask_committed(client, partitions, then),
        )

    def start(self) -> None:
        """Build the consumer and begin to poll."""
        client = self._client
        client.record(
            facts.ProcessStarted(
                process=self.process.id,
                client_id=client.client_id,
                instance_id=client.instance_id,
                topics=client.topics,
                config=_printed(self._settings),
            )
        )
        membership_threads = client.membership.start()
        self._network.attach(self.process.id, self._receive, self._reset)
        client.threads.last_poll_ms = client.threads.informed_ms = client.now
        client.next_commit_ms = client.now + client.config.auto_commit_interval_ms
        metadata.start(client)
        self.process.thread(self._run())
        for script in membership_threads:
            self.process.thread(script)
        if client.tasks is not None:
            self.process.thread(client.tasks.restore())
        if client.traits.library_thread:
            self.process.thread(library_thread(client))

    @property
    def membership(self) -> Membership:
        """The client's membership of its group."""
        return self._client.membership

    @property
    def view(self) -> Partitions:
        """What the process believes it owns."""
        return self._client.fetch.view if self.process.alive else ()

    @property
    def subscribed(self) -> bool:
        """Whether it subscribes to any topic, or is a Connect worker."""
        return bool(self._client.topics) or self._settings.connect is not None

    @property
    def closing(self) -> bool:
        """Whether close() was called, or has to be after a fatal error."""
        return self._client.threads.closing or self._client.threads.ends_rebalance

    @property
    def failed(self) -> str | None:
        """The fatal error it ended with, if it did."""
        return self._client.threads.failed

    def settled_with(self, assigned: Partitions) -> bool:
        """Whether it holds exactly this assignment, reads all of it, and nothing is under way: a task is restored."""
        client, fetch = self._client, self._client.fetch
        awaited = client.streams is not None or self._settings.connect is not None
        restores = awaited and bool(fetch.restoring)
        return not client.threads.in_callback and fetch.view == assigned and fetch.complete and not restores

    def _run(self) -> Script:
        yield from application_thread(self._client)
        self._end()

    def _end(self) -> None:
        if self._client.tasks is not None:
            self._client.tasks.end()
        self.process.die()
        self._network.detach(self.process.id)
        self.gone.succeed()

    def _receive(self, message: Message) -> None:
        """A response reached this machine; a frozen process reads it when it runs again."""
        if self.process.frozen:
            self._unread.append(message)
        elif not self._bootstrap.receive(message):
            self._connection.receive(message)

    def _reset(self) -> None:
        """The broker closed its connections."""
        if self.process.alive and not self.process.frozen:
            self._bootstrap.disconnect()
            self._client.lose_coordinator("disconnected")
            if self._client.no_broker():
                self._client.brokers_gone()
        elif self.process.alive:
            self._reset_while_frozen = True

    # What an operator, or a failure, does:

    def close(self) -> None:
        """Ask the application to close its consumer; `gone` fires when it has. A stream thread ends poll() first."""
        client = self._client
        if client.tasks is None:
            self._ask_to_close()
        else:
            self.process.thread(
                self._close_after(CLOSE_MS + round(client.random() * client.application.poll_timeout_ms))
            )

    def _close_after(self, ms: int) -> Script:
        yield from self.process.sleep(ms)
        self._ask_to_close()

    def _ask_to_close(self) -> None:
        threads = self._client.threads
        if self._client.tasks is not None and self._client.config.group_protocol == CLASSIC:
            threads.ends_rebalance = True
        else:
            threads.closing = True
        threads.wake_all()

    def kill(self) -> None:
        """kill -9: the group is not informed."""
        if not self.process.alive:
            return
        client = self._client
        if not self.process.frozen:
            records.catch_up(client)
        reached = client.fetch.offsets()
        if reached:
            client.record(facts.PositionReached(process=self.process.id, offsets=reached))
        client.record(facts.Crashed(process=self.process.id))
        self._end()

    def freeze(self) -> None:
        """Stop the process: SIGSTOP, a long garbage collection, a suspended machine."""
        if not self.process.alive or self.process.frozen:
            return
        records.catch_up(self._client)
        self._client.record(facts.Frozen(process=self.process.id))
        self.process.freeze()

    def thaw(self) -> None:
        """Let it go on. Messages that arrived meanwhile are read before anything is found to be late."""

        def read_buffers() -> None:
            unread, self._unread = self._unread, []
            for message in unread:
                self._receive(message)
            if self._reset_while_frozen:
                self._reset_while_frozen = False
                self._reset()
            self._bootstrap.expire()
            self._connection.expire()

        if self.process.alive and self.process.frozen:
            self._client.record(facts.Thawed(process=self.process.id))
            self.process.thaw(read_buffers)

    def slow_batch(self, ms: int) -> None:
        """The next batch takes so much longer."""
        records.catch_up(self._client)
        self._client.next_batch_extra_ms += ms
        self._client.threads.application.notify()

    def commit(self) -> None:
        """Commit the positions now, without waiting for the answer."""
        commits.send_commit(self._client)

    def subscribe(self, topics: tuple[str, ...]) -> None:
        """Change the subscription; the client rejoins its group at the next poll."""
        if topics != self._client.topics:
            self._client.topics = topics
            self.membership.request_rejoin("subscription has changed")

    def unsubscribe(self) -> simpy.Event:
        """KafkaConsumer.unsubscribe(): leave, hold nothing, go on polling. Fires when it has left."""
        return self.process.thread(self.membership.unsubscribe())

    def enforce_rebalance(self) -> None:
        """KafkaConsumer.enforceRebalance()."""
        self.membership.request_rejoin("rebalance enforced by user")

    def configured(self) -> None:
        """A Connect worker has read that connectors or their tasks are others now."""
        self.membership.request_rejoin(CONFIGURED)

    def refresh_metadata(self) -> None:
        """Ask for metadata now instead of when metadata.max.age.ms is over."""
        self._client.metadata.next_refresh_ms = self._client.now
        self._client.threads.wake()

    def raise_in(self, kind: CallbackKind) -> None:
        """The next callback of this kind raises."""
        self._client.raising.add(kind)
