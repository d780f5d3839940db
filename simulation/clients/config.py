"""A consumer's settings by Kafka's names, and how the application around it behaves."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from groupsim.assignors import ASSIGNORS
from groupsim.coordinator.config import INT_MAX, BadSetting, near
from groupsim.simulation.checks import LONGEST_MS, ms, number

CLASSIC, CONSUMER, STREAMS = "classic", "consumer", "streams"
NATIVE = (CONSUMER, STREAMS)
"""Protocols in which the coordinator assigns, and one kind of request keeps a member."""
STREAMS_ASSIGNOR = "stream"
"""What the leader of a classic group of Kafka Streams assigns by; no other consumer has it."""


@dataclass(frozen=True, slots=True)
class ConsumerConfig:
    """Kafka's consumer settings with the Java client's defaults (Kafka: ConsumerConfig); times in milliseconds."""

    session_timeout_ms: int = 45_000
    heartbeat_interval_ms: int = 3_000
    max_poll_interval_ms: int = 300_000
    max_poll_records: int = 500
    partition_assignment_strategy: tuple[str, ...] = ("range", "cooperative-sticky")
    enable_auto_commit: bool = True
    auto_commit_interval_ms: int = 5_000
    auto_offset_reset: str = "latest"
    request_timeout_ms: int = 30_000
    retry_backoff_ms: int = 100
    retry_backoff_max_ms: int = 1_000
    metadata_max_age_ms: int = 300_000
    group_protocol: str = CLASSIC
    group_remote_assignor: str = ""
    client_rack: str = ""
    internal_leave_group_on_close: bool = True

    def __post_init__(self) -> None:
        """Raises BadSetting where Kafka's client would refuse to start."""
        if self.heartbeat_interval_ms >= self.session_timeout_ms:
            raise BadSetting(
                f"heartbeat.interval.ms ({self.heartbeat_interval_ms}) must be less than "
                f"session.timeout.ms ({self.session_timeout_ms})"
            )
        if not self.partition_assignment_strategy:
            raise BadSetting("partition.assignment.strategy must name at least one assignor")
        clients = sorted(name for name, assignor in ASSIGNORS.items() if assignor.side == "client")
        for name in self.partition_assignment_strategy:
            if name not in clients and name != STREAMS_ASSIGNOR:
                raise BadSetting(f"unknown assignor {name!r}{near(name, clients)}; known: {', '.join(clients)}")


REFUSED = {
    CLASSIC: ("group.remote.assignor",),
    CONSUMER: ("partition.assignment.strategy", "heartbeat.interval.ms", "session.timeout.ms"),
    STREAMS: ("partition.assignment.strategy", "heartbeat.interval.ms", "session.timeout.ms", "group.remote.assignor"),
}
"""What a consumer of each protocol does not take (Kafka: ConsumerConfig.checkUnsupportedConfigsPostProcess)."""


def check_protocol(config: ConsumerConfig, given: Collection[str]) -> None:
    """Raises BadSetting, in the words of Kafka's client, for given settings that the protocol excludes."""
    refused = [name for name in REFUSED[config.group_protocol] if name in given]
    if refused:
        protocol = config.group_protocol
        brokers = [
            f"group.{protocol}.{name}" for name in refused if name in ("heartbeat.interval.ms", "session.timeout.ms")
        ]
        hint = f"; the broker decides: {', '.join(brokers)}" if brokers else ""
        raise BadSetting(f"{', '.join(refused)} cannot be set when group.protocol={protocol.upper()}{hint}")


BOUNDS: dict[str, tuple[int, int] | tuple[str, ...]] = {
    "session.timeout.ms": (1, INT_MAX),
    "heartbeat.interval.ms": (1, INT_MAX),
    "max.poll.interval.ms": (1, INT_MAX),
    "max.poll.records": (1, INT_MAX),
    "auto.commit.interval.ms": (0, INT_MAX),
    "auto.offset.reset": ("latest", "earliest"),
    "request.timeout.ms": (0, INT_MAX),
    "retry.backoff.ms": (0, INT_MAX),
    "retry.backoff.max.ms": (0, INT_MAX),
    "metadata.max.age.ms": (1, INT_MAX),
    "group.protocol": (CLASSIC, CONSUMER),
}


class Library(StrEnum):
    """The client library whose behaviour a consumer has."""

    JAVA = "java"
    LIBRDKAFKA = "librdkafka"
    KAFKA_PYTHON = "kafka-python"
    KAFKAJS = "kafkajs"
    SARAMA = "sarama"
    AIOKAFKA = "aiokafka"


CLIENTS: tuple[str, ...] = tuple(Library)
JAVA, LIBRDKAFKA, KAFKA_PYTHON, KAFKAJS, SARAMA, AIOKAFKA = CLIENTS


class ProtocolMode(StrEnum):
    """How a member chooses between EAGER and COOPERATIVE.

    `static`: what Kafka ships, the highest protocol common to all its assignors, once. `dynamic`: KIP-726, what the
    selected assignor supports. `unsafe`: the same, unguarded where an eager assignor is selected while partitions are
    held.
    """

    STATIC = "static"
    DYNAMIC = "dynamic"
    UNSAFE = "unsafe"


MEASURED = -1


class CallbackTime(NamedTuple):
    """How long a callback takes, and how much longer for each partition, in milliseconds."""

    fixed_ms: int
    partition_ms: int


@dataclass(frozen=True, slots=True)
class Application:
    """How the program around the consumer behaves; all times in milliseconds.

    `process_ms` is what each poll's records take, plus `record_ms` for each of them (`slow`: other values, by
    partition number). With all of them 0 the application is always inside poll() and is up to date. `commit_sync`,
    `commit_async`: commit after each batch, waiting for the answer or not. `callback_ms`: how long the listener runs,
    by `assigned`, `revoked`, `lost`; `callback_draws`: instead of that, times of which each callback takes any;
    `empty_ms`: where it is given an empty set (None: the same). `restore_ms`: how long it takes to rebuild the local
    state of one gained partition, one after the other; `keep_state`: a partition that was revoked and comes back needs
    no restoring. `assignor_ms`: how long the leader's assignor takes (MEASURED:
    as long as ours really does, which no two runs repeat). `assignor_fails`: it raises an exception. `never_syncs`: the
    consumer joins and sends heartbeats, and never sends SyncGroup. `poll_timeout_ms`: how long poll() waits for
    records.
    """

    process_ms: int = 0
    record_ms: float = 0.0
    slow: dict[int, float] = field(default_factory=dict)
    commit_sync: bool = False
    commit_async: bool = False
    callback_ms: dict[str, int] = field(default_factory=dict)
    callback_draws: dict[str, tuple[CallbackTime, ...]] = field(default_factory=dict)
    empty_ms: int | None = None
    restore_ms: int = 0
    keep_state: bool = False
    assignor_ms: int = 0
    assignor_fails: bool = False
    never_syncs: bool = False
    poll_timeout_ms: int = 100

    @property
    def works(self) -> bool:
        """Whether it needs time for its records."""
        return bool(self.process_ms or self.record_ms or self.slow)

    def __post_init__(self) -> None:
        """Raises BadScenario for a time that is none."""
        for what in ("process_ms", "restore_ms", "poll_timeout_ms"):
            ms(getattr(self, what), f"Application.{what}")
        if self.assignor_ms != MEASURED:
            ms(self.assignor_ms, "Application.assignor_ms")
        for kind, duration_ms in self.callback_ms.items():
            ms(duration_ms, f"Application.callback_ms[{kind!r}]")
        for each_ms in (self.record_ms, *self.slow.values()):
            number(each_ms, "Application.record_ms", LONGEST_MS)
