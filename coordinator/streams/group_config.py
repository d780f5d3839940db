"""What is set for one streams group, its own or the broker's (a configuration, a context -> a value)."""

from __future__ import annotations

from groupsim.coordinator.config import Configs
from groupsim.coordinator.context import Context
from groupsim.coordinator.modern import group_config as settings
from groupsim.coordinator.modern.group_config import effective
from groupsim.events.streams import Pairs

session_timeout_ms = effective("streams", settings.SESSION_TIMEOUT)
"""How long a member may be silent."""
heartbeat_interval_ms = effective("streams", settings.HEARTBEAT_INTERVAL)
"""How often a member has to send a heartbeat."""
assignment_interval_ms = effective("streams", settings.ASSIGNMENT_INTERVAL)
"""How long a target stands at least before another one is computed."""
initial_delay_ms = effective("streams", "initial.rebalance.delay.ms")
"""How long a group that was empty waits for more members before its first target."""
standbys = effective("streams", "num.standby.replicas")
"""Standby tasks of each stateful task."""
warmups = effective("streams", "num.warmup.replicas")
"""Warm-up tasks: none is assigned in Kafka 4.4, but 0 switches the copy of the targets off."""
acceptable_lag = effective("streams", "acceptable.recovery.lag")
"""Clients learn it; no effect here."""
task_offset_interval_ms = effective("streams", "task.offset.interval.ms")
"""How often a member tells its tasks' offsets."""
TAGS = "rack.aware.assignment.tags"


def tags(configs: Configs, context: Context) -> str:
    """The keys of tags over which standby tasks are to be spread, with commas."""
    of_broker = ",".join(configs.streams.group_streams_rack_aware_assignment_tags)
    return str(context.settings.get(f"streams.{TAGS}", of_broker))


def assignment_configs(configs: Configs, context: Context) -> Pairs:
    """The settings whose change starts a rebalance, as the group's record keeps them."""
    named = tags(configs, context)
    return (("num.standby.replicas", str(standbys(configs, context))), *([(TAGS, named)] if named else []))
