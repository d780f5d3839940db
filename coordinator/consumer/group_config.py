"""Settings of one consumer group: Kafka's names, and what is in force (a configuration, a context -> milliseconds)."""

from __future__ import annotations

from groupsim.coordinator.modern import group_config as settings

SESSION_TIMEOUT, HEARTBEAT_INTERVAL, ASSIGNMENT_INTERVAL = (
    f"consumer.{stem}" for stem in (settings.SESSION_TIMEOUT, settings.HEARTBEAT_INTERVAL, settings.ASSIGNMENT_INTERVAL)
)
session_timeout_ms = settings.effective("consumer", settings.SESSION_TIMEOUT)
"""How long a native member may be silent."""
heartbeat_interval_ms = settings.effective("consumer", settings.HEARTBEAT_INTERVAL)
"""How often a native member has to send a heartbeat."""
assignment_interval_ms = settings.effective("consumer", settings.ASSIGNMENT_INTERVAL)
"""How long a target stands at least before another one is computed (Kafka 4.4)."""
