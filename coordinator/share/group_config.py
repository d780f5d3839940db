"""Settings of one share group: what is in force (Kafka: GroupMetadataManager.shareGroupSessionTimeoutMs)."""

from __future__ import annotations

from groupsim.coordinator.modern.group_config import ASSIGNMENT_INTERVAL, HEARTBEAT_INTERVAL, SESSION_TIMEOUT, effective

session_timeout_ms = effective("share", SESSION_TIMEOUT)
"""How long a member may be silent."""
heartbeat_interval_ms = effective("share", HEARTBEAT_INTERVAL)
"""How often a member has to send a heartbeat."""
assignment_interval_ms = effective("share", ASSIGNMENT_INTERVAL)
"""How long a target stands at least before another one is computed."""
