"""Settings in force for one group: its own (`kafka-configs --group`) within the broker's bounds, else the broker's.

Kafka: GroupConfigManager, GroupConfig, GroupMetadataManager.consumerGroupSessionTimeoutMs.
"""

from __future__ import annotations

from groupsim.coordinator.config import ConsumerGroupConfig
from groupsim.coordinator.context import Context

SESSION_TIMEOUT = "consumer.session.timeout.ms"
HEARTBEAT_INTERVAL = "consumer.heartbeat.interval.ms"
ASSIGNMENT_INTERVAL = "consumer.assignment.interval.ms"


def session_timeout_ms(config: ConsumerGroupConfig, context: Context) -> int:
    """How long a native member may be silent."""
    return _clamped(
        context.settings.get(SESSION_TIMEOUT, config.group_consumer_session_timeout_ms),
        config.group_consumer_min_session_timeout_ms,
        config.group_consumer_max_session_timeout_ms,
    )


def heartbeat_interval_ms(config: ConsumerGroupConfig, context: Context) -> int:
    """How often a native member has to send a heartbeat."""
    return _clamped(
        context.settings.get(HEARTBEAT_INTERVAL, config.group_consumer_heartbeat_interval_ms),
        config.group_consumer_min_heartbeat_interval_ms,
        config.group_consumer_max_heartbeat_interval_ms,
    )


def assignment_interval_ms(config: ConsumerGroupConfig, context: Context) -> int:
    """How long a target stands at least before another one is computed (Kafka 4.4)."""
    return _clamped(
        context.settings.get(ASSIGNMENT_INTERVAL, config.group_consumer_assignment_interval_ms),
        config.group_consumer_min_assignment_interval_ms,
        config.group_consumer_max_assignment_interval_ms,
    )


def _clamped(value: int, low: int, high: int) -> int:
    # comparisons, because every heartbeat asks twice and min() and max() cost three times as much
    if value < low:
        return low
    return high if value > high else value
