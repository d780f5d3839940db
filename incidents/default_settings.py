"""Kafka's defaults of settings, and the least that brokers allow by default: what is assumed where no log shows one.

All in milliseconds. Of a broker's settings: `coordinator.config`; of a client's: Kafka's ConsumerConfig.
"""

from __future__ import annotations

from groupsim.coordinator.config import ClassicGroupConfig, ConsumerGroupConfig

LEAST_SESSION_MS = ClassicGroupConfig().group_min_session_timeout_ms
"""group.min.session.timeout.ms: a classic member's session is as long at least, if nobody says more."""
LEAST_CONSUMER_SESSION_MS = ConsumerGroupConfig().group_consumer_min_session_timeout_ms
"""group.consumer.min.session.timeout.ms: the same of a consumer group (KIP-848)."""
SESSION_MS = 45_000
"""session.timeout.ms of a consumer, since Kafka 3.0 (KIP-735)."""
HEARTBEAT_MS = 3_000
"""heartbeat.interval.ms of a consumer."""
CONSUMER_HEARTBEAT_MS = ConsumerGroupConfig().group_consumer_heartbeat_interval_ms
"""group.consumer.heartbeat.interval.ms."""
METADATA_AGE_MS = 300_000
"""metadata.max.age.ms of a consumer; topic.metadata.refresh.interval.ms of librdkafka is the same."""
STEP_MS = 100
"""Who chooses an interval takes a multiple of this in most cases; a printed or observed one is rounded to it."""
