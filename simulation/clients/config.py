"""What a consumer is told: Kafka's settings by Kafka's names, and how its application behaves."""

from __future__ import annotations

from dataclasses import dataclass, field

from assignors import ASSIGNORS
from coordinator.config import INT_MAX, BadSetting, near


@dataclass(frozen=True, slots=True)
class ConsumerConfig:
    """Kafka's consumer settings with the Java client's defaults (spec 7.3); times in milliseconds."""

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
            if name not in clients:
                raise BadSetting(f"unknown assignor {name!r}{near(name, clients)}; known: {', '.join(clients)}")


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
}


@dataclass(frozen=True, slots=True)
class Application:
    """How the program round the consumer behaves; all times in milliseconds.

    `process_ms` is what each poll's records take, plus `record_ms` for each of them. With both 0 the application is
    always inside poll() and is up to date. `commit_sync`: commit after each batch and wait for the answer.
    `callback_ms`: how long the listener runs, by `assigned`, `revoked`, `lost`. `assignor_ms`: how long the leader's
    assignor takes.
    """

    process_ms: int = 0
    record_ms: float = 0.0
    commit_sync: bool = False
    callback_ms: dict[str, int] = field(default_factory=dict)
    assignor_ms: int = 0
