"""MemberHandle: how a scenario controls one member: start, close, kill, freeze, configure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import simpy

from groupsim.coordinator.config import with_settings
from groupsim.events.client import CallbackKind
from groupsim.simulation import checks
from groupsim.simulation.clients.client_process import ClientProcess, ClientSettings, checked
from groupsim.simulation.clients.config import BOUNDS, NATIVE, Library, check_protocol
from groupsim.simulation.clients.process import Script
from groupsim.simulation.clients.streams.task_states import Disk
from groupsim.simulation.consumer_context import ConsumerContext
from groupsim.simulation.errors import BadScenario, one_of
from groupsim.simulation.topics import Topic


class MemberHandle:
    """A client program with one name and one incarnation after another; `client` is the present incarnation."""

    def __init__(self, context: ConsumerContext, label: str, settings: ClientSettings) -> None:
        self._context = context
        self.label = label
        self.settings = settings
        self._incarnations = 0
        self._client: ClientProcess | None = None
        self._disk = Disk()

    def __repr__(self) -> str:
        return f"<{self.label}>"

    @property
    def client(self) -> ClientProcess:
        """The present incarnation. Raises BadScenario before the first."""
        if self._client is None:
            raise BadScenario(f"member {self.label!r} has not been started yet: group.stable(members=…) waits for it")
        return self._client

    @property
    def running(self) -> bool:
        """Whether a process of this name exists."""
        return self._client is not None and self._client.process.alive

    @property
    def address(self) -> str:
        """The present process, as an end of a network link."""
        return self.client.process.id

    @property
    def member_id(self) -> str:
        """The member id its process uses; empty before it has one."""
        return self._client.membership.member_id if self._client is not None else ""

    @property
    def failed(self) -> str | None:
        """The fatal error its consumer ended with, if it did."""
        return self._client.failed if self._client is not None else None

    @property
    def leads(self) -> bool:
        """Whether its process computes the group's assignment."""
        return self.client.membership.leads

    @property
    def rebalance_protocol(self) -> str:
        """EAGER or COOPERATIVE: how its process rebalances."""
        return self.client.membership.rebalance_protocol

    @property
    def closing(self) -> bool:
        """Whether its process is closing, or has closed, its consumer."""
        return self.client.closing

    @property
    def gone(self) -> simpy.Event:
        """Fires when its process has ended."""
        return self.client.gone

    def believes_it_owns(self, topic: Topic) -> bool:
        """Whether its process holds partitions of the topic, whatever the coordinator has assigned."""
        return self._client is not None and any(p.topic == topic.name for p in self._client.view)

    def start(self, after_ms: int = 0) -> simpy.Event:
        """Start a new incarnation."""
        after_ms = checks.ms(after_ms, f"member {self.label!r}: start(after_ms=…)")

        def script() -> Script:
            if after_ms:
                yield self._context.env.timeout(after_ms)
            if self.running:
                raise BadScenario(f"member {self.label!r} runs already")
            process_id = f"{self.label}.{self._incarnations}"
            self._incarnations += 1
            self._context.act("start", process_id)
            starts_ms = self._starts_ms(process_id)
            if starts_ms:
                yield self._context.env.timeout(starts_ms)
            self._client = ClientProcess(self._context, process_id, self.settings, self._disk)
            self._client.start()
            yield self._context.env.timeout(0)

        return self._context.env.process(script())

    def _starts_ms(self, process_id: str) -> int:
        """How long the program takes until its first request."""
        native = self.settings.config.group_protocol in NATIVE
        usual_ms = self._context.host.start_ms(process_id, self.settings.library, native)
        if self.settings.connect is None:
            return usual_ms
        return self.settings.connect.times.boot.draw(self._context.rng.stream(f"work/{process_id}").random)

    def close(self) -> simpy.Event:
        """Close the consumer properly; fires when it is gone."""
        self._context.act("close", self.address)
        self.client.close()
        return self.client.gone

    def kill(self) -> None:
        """kill -9."""
        self._context.act("kill", self.address)
        self.client.kill()

    def freeze(self, ms: int | None = None) -> simpy.Event:
        """Stop the process, for `ms` or until thaw(); fires when it goes on."""
        ms = None if ms is None else checks.ms(ms, f"member {self.label!r}: freeze")
        self._context.act("freeze", self.address)
        client = self.client
        client.freeze()

        def script() -> Script:
            if ms is not None:
                yield self._context.env.timeout(ms)
                if client.process.alive:
                    self._context.act("thaw", client.process.id)
                    client.thaw()

        return self._context.env.process(script())

    def thaw(self) -> None:
        """Let a frozen process go on."""
        self._context.act("thaw", self.address)
        self.client.thaw()

    def slow_batch(self, ms: int) -> None:
        """Its next batch takes so much longer."""
        ms = checks.ms(ms, f"member {self.label!r}: slow_batch")
        self._context.act("slow-batch", self.address)
        self.client.slow_batch(ms)

    def subscribe(self, *topics: Topic) -> None:
        """Change the subscription, of the running process and of those to come."""
        names = tuple(sorted(topic.name for topic in topics))
        self.settings = replace(self.settings, topics=names)
        self._context.act("subscribe", self.address)
        self.client.subscribe(names)

    def unsubscribe(self) -> simpy.Event:
        """Leave the group and go on running; fires when it has left."""
        self._context.act("unsubscribe", self.address)
        return self.client.unsubscribe()

    def enforce_rebalance(self) -> None:
        """KafkaConsumer.enforceRebalance()."""
        self._context.act("enforce-rebalance", self.address)
        self.client.enforce_rebalance()

    def refresh_metadata(self) -> None:
        """Ask for metadata now instead of when metadata.max.age.ms is over."""
        self.client.refresh_metadata()

    def commit(self) -> None:
        """Commit the positions now, without waiting for the answer."""
        self.client.commit()

    def raise_in(self, kind: str) -> None:
        """Its next callback of this kind (`assigned`, `revoked`, `lost`) raises."""
        self._context.act(f"raise-in-{kind}", self.address)
        self.client.raise_in(CallbackKind(kind))

    def configure(self, config: Mapping[str, object], client: str | None = None) -> None:
        """Other Kafka settings, from the next start on: a deploy changes them. The run's own settings win.

        `client`: another client library (`clients.config.Library`), None for the same one.
        """
        given = {**config, **self._context.consumer_settings()}
        changed = with_settings(self.settings.config, given, BOUNDS)
        check_protocol(changed, given)
        library = self.settings.library if client is None else one_of(Library, "client", client)
        self.settings = checked(replace(self.settings, config=changed, library=library))

    def restart(self, downtime: int = 0) -> simpy.Event:
        """Close, stay down for `downtime` ms, start again; fires when the new process runs."""
        downtime = checks.ms(downtime, f"member {self.label!r}: restart(downtime=…)")

        def script() -> Script:
            yield self.close()
            if downtime:
                yield self._context.env.timeout(downtime)
            yield self.start()

        return self._context.env.process(script())
