"""A member in a scenario's hands: one name, one incarnation after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import simpy

from simulation.clients.classic import ClassicConsumer
from simulation.clients.config import Application, ConsumerConfig
from simulation.clients.process import Script
from simulation.errors import BadScenario
from simulation.topics import Topic

if TYPE_CHECKING:
    from simulation.group import GroupHandle
    from simulation.world import World


class MemberHandle:
    """A client program that can be started, closed, killed, frozen; `consumer` is its present incarnation."""

    def __init__(
        self,
        world: World,
        group: GroupHandle,
        label: str,
        *,
        subscription: tuple[str, ...],
        instance_id: str | None,
        config: ConsumerConfig,
        application: Application,
    ) -> None:
        self._world = world
        self._group = group
        self.label = label
        self.subscription = subscription
        self.instance_id = instance_id
        self.config = config
        self.application = application
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
            world = self._world
            world.act("start", process_id)
            self._consumer = ClassicConsumer(
                world.env,
                world.network,
                world.broker,
                world.topics,
                world.rng,
                world.record,
                process_id=process_id,
                group=self._group.name,
                subscription=self.subscription,
                instance_id=self.instance_id,
                config=self.config,
                application=self.application,
            )
            self._consumer.start()
            yield world.sleep(0)

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
                self._thaw(consumer)

        return self._world.env.process(script())

    def thaw(self) -> None:
        """Let a frozen process go on."""
        self._thaw(self.consumer)

    def _thaw(self, consumer: ClassicConsumer) -> None:
        """The process that was frozen may be gone, and another have its name."""
        if consumer.process.alive and consumer.process.frozen:
            self._world.act("thaw", consumer.process.id)
            consumer.thaw()

    def slow_batch(self, ms: int) -> None:
        """Its next batch takes so much longer."""
        self._world.act("slow-batch", self.address)
        self.consumer.slow_batch(ms)

    def restart(self, downtime: int = 0) -> simpy.Event:
        """Close, stay away for `downtime` ms, start again; fires when the new process runs."""

        def script() -> Script:
            yield self.close()
            if downtime:
                yield self._world.sleep(downtime)
            yield self.start()

        return self._world.env.process(script())
