"""Kafka Streams' own settings by Kafka's names, and those that it gives to its consumers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from groupsim.coordinator.config import INT_MAX, BadSetting, concerning, names, with_settings
from groupsim.simulation.clients.config import CLASSIC, STREAMS, STREAMS_ASSIGNOR, ConsumerConfig


@dataclass(frozen=True, slots=True)
class StreamsConfig:
    """What decides where tasks of a classic group run, with the defaults of Kafka 4.4 (Kafka: StreamsConfig)."""

    num_standby_replicas: int = 0
    max_warmup_replicas: int = 2
    acceptable_recovery_lag: int = 10_000
    probing_rebalance_interval_ms: int = 600_000


STREAMS_BOUNDS: dict[str, tuple[int, int] | tuple[str, ...]] = {
    "num.standby.replicas": (0, INT_MAX),
    "max.warmup.replicas": (1, INT_MAX),
    "acceptable.recovery.lag": (0, INT_MAX),
    "probing.rebalance.interval.ms": (60_000, INT_MAX),
}
PROTOCOLS = (STREAMS, CLASSIC)
_PROTOCOL = "group.protocol"


def consumer_defaults(protocol: str) -> ConsumerConfig:
    """The settings of a stream thread's main consumer. Kafka: StreamsConfig.CONSUMER_DEFAULT_OVERRIDES."""
    if protocol == STREAMS:
        return replace(ConsumerConfig(), auto_offset_reset="earliest", group_protocol=STREAMS)
    return replace(
        ConsumerConfig(),
        auto_offset_reset="earliest",
        max_poll_records=1_000,
        partition_assignment_strategy=(STREAMS_ASSIGNOR,),
        internal_leave_group_on_close=False,
    )


def divided(
    application: str, given: Mapping[str, object], of_run: Mapping[str, object]
) -> tuple[str, StreamsConfig, dict[str, object]]:
    """The protocol, the settings of Streams, and what is left for consumers. Settings of the run win.

    Raises BadSetting for what is no protocol of Streams, or is a setting of the other one.
    """
    protocol = str(given.get(_PROTOCOL, STREAMS))
    if protocol not in PROTOCOLS:
        raise BadSetting(f"application {application!r}: {_PROTOCOL} must be one of {', '.join(PROTOCOLS)}")
    if of_run.get(_PROTOCOL) == CLASSIC:
        protocol = CLASSIC
    own = concerning(StreamsConfig(), given)
    if own and protocol == STREAMS:
        raise BadSetting(
            f"application {application!r}: {', '.join(own)} cannot be set when {_PROTOCOL}=STREAMS: there the broker"
            " decides (group_config, streams.num.standby.replicas)"
        )
    config = with_settings(StreamsConfig(), {**own, **concerning(StreamsConfig(), of_run)}, STREAMS_BOUNDS)
    rest = {name: value for name, value in given.items() if name not in (*names(StreamsConfig()), _PROTOCOL)}
    return protocol, config, rest
