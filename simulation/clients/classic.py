"""A classic consumer: its application thread, and what an operator can do to it (Kafka: ClassicKafkaConsumer)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import asdict
from typing import Any

import simpy

from coordinator.config import kafka_name
from events import client as facts
from events.base import Event, process_stream
from events.types import NO_GENERATION, Partitions
from simulation.broker import Broker
from simulation.clients import heartbeat, join, listener, lookup, offsets
from simulation.clients.config import Application, ConsumerConfig
from simulation.clients.connection import Connection
from simulation.clients.member import Member, State, rebalance_protocol
from simulation.clients.process import Process, Script, Waiter
from simulation.network import Message, Network
from simulation.rng import Rng
from simulation.topics import Topics

CLOSE_TIMEOUT_MS = 30_000


class ClassicConsumer:
    """One incarnation of one client. It lives from `start` until close(), kill() or a fatal error."""

    def __init__(
        self,
        env: simpy.Environment,
        network: Network,
        broker: Broker,
        topics: Topics,
        rng: Rng,
        record: Callable[[str, Sequence[Event]], None],
        *,
        process_id: str,
        group: str,
        subscription: tuple[str, ...],
        instance_id: str | None,
        config: ConsumerConfig,
        application: Application,
    ) -> None:
        self._env = env
        self._network = network
        self.process = Process(env, process_id)
        self.gone = env.event()
        self._next_batch_extra_ms = 0
        self._held: list[Message] = []
        stream = process_stream(group, process_id)
        self._bootstrap, self._connection = (
            Connection(env, network, self.process, broker.address, i, lambda c: broker.disconnect(process_id, c))
            for i in (0, 1)
        )
        self.member = Member(
            env=env,
            process=self.process,
            group=group,
            client_id=process_id.rpartition(".")[0],
            instance_id=instance_id,
            topics=subscription,
            config=config,
            application=application,
            world_topics=topics,
            record=lambda events: record(stream, events),
            connection=self._connection,
            bootstrap=self._bootstrap,
            jitter=rng.stream(f"backoff/{process_id}").random,
            app=Waiter(env),
            beat=Waiter(env),
            protocol=rebalance_protocol(config.partition_assignment_strategy),
        )

    def start(self) -> None:
        """Build the consumer and begin to poll."""
        m = self.member
        settings = {
            kafka_name(k): v if isinstance(v, int | str | bool) else ",".join(v) for k, v in asdict(m.config).items()
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
        self._network.attach(self.process.id, self._receive)
        m.last_poll_ms = m.now
        self.process.thread(self._run())
        self.process.thread(heartbeat.thread(m))

    def _run(self) -> Script:
        m = self.member
        while not m.closing and m.fatal is None:
            batch = yield from self._poll()
            if batch:
                yield from self._work(batch)
        if m.fatal is not None and not m.closing:
            m.tell(facts.Failed(process=self.process.id, error=m.fatal))
            m.closing = True
        yield from self._close()

    def _poll(self) -> Generator[simpy.Event, Any, int]:
        """poll(): the coordinator's part first, then records (spec 5.2). The number of records."""
        m = self.member
        m.in_poll, m.last_poll_ms = True, m.now
        records = 0
        while m.fatal is None and not m.closing:
            if not m.coordinator_known:
                yield from lookup.find_coordinator(m)
            yield from join.ensure_active(m)
            offsets.auto_commit_if_due(m)
            offsets.fetch_positions(m)
            records, wake = self._take_records()
            if records or m.closing:
                break
            if not m.coordinator_known:
                continue
            times = [t for t in (wake, self._commit_due()) if t is not None]
            yield from self.process.wait(m.app.wait(min(times, default=None)))
        m.in_poll, m.last_poll_ms = False, m.now
        return records

    def _commit_due(self) -> int | None:
        m = self.member
        return m.next_commit_ms if m.config.enable_auto_commit and m.view else None

    def _take_records(self) -> tuple[int, int | None]:
        """How many records this poll returns, and when to look again if none has arrived."""
        m = self.member
        if offsets.instant(m):
            return 0, None
        room, wake = m.config.max_poll_records, None
        for p in offsets.fetchable(m):
            topic, position = m.world_topics[p.topic], m.positions[p]
            taken = min(room, topic.end_offset(m.now) - position)
            if taken > 0:
                m.positions[p] = position + taken
                room -= taken
            elif (arrival := topic.arrival_ms(position)) is not None:
                wake = arrival if wake is None else min(wake, arrival)
        return m.config.max_poll_records - room, wake

    def _work(self, records: int) -> Script:
        """Process what poll() returned, then commit if the application does that itself."""
        m = self.member
        extra, self._next_batch_extra_ms = self._next_batch_extra_ms, 0
        duration = m.application.process_ms + round(records * m.application.record_ms) + extra
        m.tell(facts.PollEnd(process=self.process.id, records=records, process_ms=duration))
        yield from self.process.sleep(duration)
        if m.application.commit_sync:
            yield from join.drive(m)
            yield from offsets.commit_and_wait(m, CLOSE_TIMEOUT_MS)
        m.tell(facts.PollStart(process=self.process.id))

    def _close(self) -> Script:
        """close(): commit, give everything back, leave (spec 5.9)."""
        m = self.member
        m.tell(facts.CloseStarted(process=self.process.id))
        if m.config.enable_auto_commit and m.view:
            yield from offsets.commit_and_wait(m, m.config.request_timeout_ms)
        if m.view:
            lost = m.generation == NO_GENERATION or m.state is not State.STABLE or m.rejoin_needed
            yield from listener.call(m, "lost" if lost else "revoked", m.view)
        m.set_view(())
        done = self._env.event()
        if heartbeat.leave(m, "the consumer is being closed", done):
            yield self._env.any_of([done, self._env.timeout(CLOSE_TIMEOUT_MS)])
            yield from self.process.gate()
        m.tell(facts.Closed(process=self.process.id))
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

    # What an operator, or misfortune, does:

    def close(self) -> None:
        """Ask the application to close its consumer; `gone` fires when it has."""
        self.member.closing = True
        self.member.app.notify()
        self.member.beat.notify()

    def kill(self) -> None:
        """kill -9: nothing is said to anybody."""
        if not self.process.alive:
            return
        m = self.member
        if not self.process.frozen:
            offsets.catch_up(m)
        reached = offsets.consumed(m)
        if reached:
            m.tell(facts.PositionReached(process=self.process.id, offsets=reached))
        m.tell(facts.Crashed(process=self.process.id))
        self._end()

    def freeze(self) -> None:
        """Stop the process: SIGSTOP, a long garbage collection, a suspended machine. It can't stop twice."""
        if not self.process.alive or self.process.frozen:
            return
        offsets.catch_up(self.member)
        self.member.tell(facts.Frozen(process=self.process.id))
        self.process.freeze()

    def thaw(self) -> None:
        """Let it go on. What arrived meanwhile is read before anything is found to be late."""

        def read_buffers() -> None:
            held, self._held = self._held, []
            for message in held:
                self._receive(message)
            self._bootstrap.expire()
            self._connection.expire()

        if self.process.alive and self.process.frozen:
            self.member.tell(facts.Thawed(process=self.process.id))
            self.process.thaw(read_buffers)

    def slow_batch(self, ms: int) -> None:
        """The next batch takes so much longer."""
        self._next_batch_extra_ms += ms

    @property
    def view(self) -> Partitions:
        """What the process believes it owns."""
        return self.member.view if self.process.alive else ()
