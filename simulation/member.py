"""A member in a scenario's hands: one name, one incarnation after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import simpy

from groupsim.coordinator.config import with_settings
from groupsim.simulation.clients.config import BOUNDS
from groupsim.simulation.clients.consumer import ClassicConsumer, Settings
from groupsim.simulation.clients.process import Script
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.topics import Topic

if TYPE_CHECKING:
    from groupsim.simulation.world import World


class MemberHandle:
    """A client program that can be started, closed, killed, frozen; `consumer` is its present incarnation."""

    def __init__(self, world: World, label: str, settings: Settings) -> None:
        self._world = world
        self.label = label
        self.settings = settings
        self._incarnations = 0
        self._consumer: ClassicConsumer | None = None

    def __repr__(self) -> str:
        return f"<{self.label}>"

    @property
    def consumer(self) -> ClassicConsumer:
        """The present incarnation. Raises BadScenario before the first."""
        if self._consumer is None:
            raise BadScenario(f"member {self.label!r} has not been started yet")
        return self._consumer

    @property
    def running(self) -> bool:
        """Whether a process of this name exists."""
        return self._consumer is not None and self._consumer.process.alive

    @property
    def address(self) -> str:
        """The present process, as an end of a network link."""
        return self.consumer.process.id

    @property
    def member_id(self) -> str:
        """The member id its process uses; empty before it has one."""
        return self._consumer.member.member_id if self._consumer is not None else ""

    @property
    def failed(self) -> str | None:
        """The fatal error its consumer ended with, if it did."""
        return self._consumer.member.fatal if self._consumer is not None else None

    def believes_it_owns(self, topic: Topic) -> bool:
        """Whether its process holds partitions of the topic, rightly or not."""
        return self._consumer is not None and any(p.topic == topic.name for p in self._consumer.view)

    def start(self, after_ms: int = 0) -> simpy.Event:
        """Start a new incarnation."""

        def script() -> Script:
            if after_ms:
                yield self._world.sleep(after_ms)
            if self.running:
                raise BadScenario(f"member {self.label!r} runs already")
            process_id = f"{self.label}.{self._incarnations}"
            self._incarnations += 1
            self._world.act("start", process_id)
            self._consumer = ClassicConsumer(self._world.surroundings, process_id, self.settings)
            self._consumer.start()
            yield self._world.sleep(0)

        return self._world.env.process(script())

    def close(self) -> simpy.Event:
        """Close the consumer properly; fires when it is gone."""
        self._world.act("close", self.address)
        self.consumer.close()
        return self.consumer.gone

    def kill(self) -> None:
        """kill -9."""
        self._world.act("kill", self.address)
        self.consumer.kill()

    def freeze(self, ms: int | None = None) -> simpy.Event:
        """Stop the process, for `ms` or until thaw(); fires when it goes on."""
        self._world.act("freeze", self.address)
        consumer = self.consumer
        consumer.freeze()

        def script() -> Script:
            if ms is not None:
                yield self._world.sleep(ms)
                if consumer.process.alive:
                    self._world.act("thaw", consumer.process.id)
                    consumer.thaw()

        return self._world.env.process(script())

    def thaw(self) -> None:
        """Let a frozen process go on."""
        self._world.act("thaw", self.address)
        self.consumer.thaw()

    def slow_batch(self, ms: int) -> None:
        """Its next batch takes so much longer."""
        self._world.act("slow-batch", self.address)
        self.consumer.slow_batch(ms)

    def subscribe(self, *topics: Topic) -> None:
        """Change the subscription, of the running process and of those to come."""
        names = tuple(sorted(topic.name for topic in topics))
        self.settings = replace(self.settings, topics=names)
        self._world.act("subscribe", self.address)
        self.consumer.subscribe(names)

    def unsubscribe(self) -> simpy.Event:
        """Leave the group and go on running; fires when it has left."""
        self._world.act("unsubscribe", self.address)
        return self.consumer.unsubscribe()

    def enforce_rebalance(self) -> None:
        """KafkaConsumer.enforceRebalance()."""
        self._world.act("enforce-rebalance", self.address)
        self.consumer.enforce_rebalance()

    def raise_in(self, kind: str) -> None:
        """Its next callback of this kind (`assigned`, `revoked`, `lost`) raises."""
        self._world.act(f"raise-in-{kind}", self.address)
        self.consumer.raise_in(kind)

    def configure(self, config: Mapping[str, object]) -> None:
        """Other Kafka settings, from the next start on: a deploy changes them. The run's own settings win."""
        given = {**config, **self._world.consumer_settings()}
        self.settings = replace(self.settings, config=with_settings(self.settings.config, given, BOUNDS))

    def restart(self, downtime: int = 0) -> simpy.Event:
        """Close, stay away for `downtime` ms, start again; fires when the new process runs."""

        def script() -> Script:
            yield self.close()
            if downtime:
                yield self._world.sleep(downtime)
            yield self.start()

        return self._world.env.process(script())
