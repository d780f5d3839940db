"""A Connect cluster: its connectors and their tasks, its settings, and how long its workers take for what they do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from groupsim.assignors.kafka.connect import ConnectorTask, Load
from groupsim.coordinator.config import INT_MAX
from groupsim.events.connect import CONNECTOR, DELAY, connectors_and_tasks
from groupsim.events.types import Partitions, TopicPartition
from groupsim.simulation.checks import ms
from groupsim.simulation.clients.config import ConsumerConfig
from groupsim.simulation.errors import BadScenario

PROTOCOL, REBALANCE_TIMEOUT = "connect.protocol", "rebalance.timeout.ms"


class ConnectProtocol(StrEnum):
    """`connect.protocol`, by the names that workers offer (Kafka: ConnectProtocolCompatibility)."""

    SESSIONED = "sessioned"
    COMPATIBLE = "compatible"
    EAGER = "eager"

    @property
    def offers(self) -> tuple[str, ...]:
        """What a worker of this setting offers, the preferred one first; `default` is the eager one."""
        everything = (self.SESSIONED.value, self.COMPATIBLE.value, EAGER_NAME)
        return everything[list(ConnectProtocol).index(self) :]


@dataclass(frozen=True, slots=True)
class ConnectConfig:
    """Settings of workers alone, with the defaults of Kafka 4.4 (Kafka: DistributedConfig)."""

    scheduled_rebalance_max_delay_ms: int = 300_000
    connect_protocol: ConnectProtocol = ConnectProtocol.SESSIONED
    rebalance_timeout_ms: int = 60_000


CONNECT_BOUNDS = {DELAY: (0, INT_MAX), REBALANCE_TIMEOUT: (0, INT_MAX)}
EAGER_NAME = "default"
Chance = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Between:
    """A time (ms) that is anywhere between two."""

    least_ms: int
    most_ms: int

    def __post_init__(self) -> None:
        """Raises BadScenario for what are no times, or the wrong way round."""
        if ms(self.least_ms, "Between(least)") > ms(self.most_ms, "Between(most)"):
            raise BadScenario(f"Between({self.least_ms}, {self.most_ms}): the first must not be more than the second")

    def draw(self, chance: Chance) -> int:
        """One of these times."""
        return self.least_ms + round((self.most_ms - self.least_ms) * chance())


@dataclass(frozen=True, slots=True)
class WorkerTimes:
    """How long workers take; the defaults are those of recorded workers of Kafka 4.4.0 with connectors that do nothing.

    `boot`: from the start of the process to its first JoinGroup, which takes far longer with many plugins. `configure`:
    from the creation of a connector until its tasks are in the config topic. `first`:
    until what a worker was given first in its life runs; `start`: the same later, `stop`: until what it has to stop has
    stopped. `leave`: on a shutdown, from the last stop to LeaveGroup. `ready_ms`: how much longer one connector or task
    needs until it does its work (`start()` of your connector: connections, snapshots).
    """

    boot: Between = Between(1_680, 2_860)
    configure: Between = Between(100, 400)
    first: Between = Between(50, 160)
    start: Between = Between(12, 60)
    stop: Between = Between(40, 110)
    leave: Between = Between(270, 740)
    ready_ms: int = 0

    def __post_init__(self) -> None:
        """Raises BadScenario for what is no time."""
        ms(self.ready_ms, "WorkerTimes(ready_ms=…)")


@dataclass(frozen=True, slots=True)
class ConnectCluster:
    """What all workers of a cluster know. `connectors`: how many tasks each has, as the config topic has it now.

    `delay_ms`: scheduled.rebalance.max.delay.ms.
    """

    connectors: dict[str, int]
    delay_ms: int = 300_000
    protocol: ConnectProtocol = ConnectProtocol.SESSIONED
    times: WorkerTimes = field(default_factory=WorkerTimes)

    @property
    def topics(self) -> dict[str, int]:
        """The topics that stand for connectors and their tasks, with how many partitions each has."""
        own = {CONNECTOR + name: 1 for name in self.connectors}
        return dict(sorted({**own, **{name: tasks for name, tasks in self.connectors.items() if tasks}}.items()))

    def printed(self, config: ConsumerConfig) -> dict[str, int | str | bool]:
        """A worker's settings by Kafka's names (DistributedConfig)."""
        return {
            "session.timeout.ms": config.session_timeout_ms,
            "heartbeat.interval.ms": config.heartbeat_interval_ms,
            REBALANCE_TIMEOUT: config.max_poll_interval_ms,
            DELAY: self.delay_ms,
            PROTOCOL: self.protocol.value,
        }

    @property
    def units(self) -> Partitions:
        """All connectors and tasks, sorted."""
        return tuple(TopicPartition(topic, i) for topic, count in self.topics.items() for i in range(count))


def load_of(units: Iterable[TopicPartition]) -> Load:
    """Units as the assignor knows them."""
    connectors, tasks = connectors_and_tasks(units)
    return Load(tuple(connectors), tuple(ConnectorTask(*task) for task in tasks))


def units_of(load: Load) -> Partitions:
    """The same the other way round, sorted."""
    connectors = [TopicPartition(CONNECTOR + name, 0) for name in load.connectors]
    return tuple(sorted([*connectors, *(TopicPartition(task.connector, task.task) for task in load.tasks)]))
