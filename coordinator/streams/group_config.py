"""What is set for one streams group, its own or the broker's (a configuration, a context -> a value)."""

from __future__ import annotations

from typing import NamedTuple

from groupsim.coordinator.broker_versions import behaviour
from groupsim.coordinator.config import Configs
from groupsim.coordinator.context import NOWHERE, Context
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
_warmups = effective("streams", "num.warmup.replicas")
_task_offset_interval_ms = effective("streams", "task.offset.interval.ms")
_acceptable_lag = effective("streams", "acceptable.recovery.lag")
TAGS = "rack.aware.assignment.tags"


class Times(NamedTuple):
    """What every answer has, and how long a member may be silent. The lag has no effect here."""

    heartbeat_interval_ms: int
    session_timeout_ms: int
    task_offset_interval_ms: int
    acceptable_lag: int


class _OfBroker:
    """What holds for a group without settings of its own: computed once for each configuration, by its identity."""

    def __init__(self) -> None:
        self.configs: Configs | None = None
        self.times = Times(0, 0, 0, 0)
        self.assignment: Pairs = ()

    def of(self, configs: Configs) -> _OfBroker:
        if self.configs is not configs:
            self.times, self.assignment = _times(configs, NOWHERE), _assignment_configs(configs, NOWHERE)
            self.configs = configs
        return self


_OF_BROKER = _OfBroker()


def times(configs: Configs, context: Context) -> Times:
    """The values in force."""
    return _times(configs, context) if context.settings else _OF_BROKER.of(configs).times


def _times(configs: Configs, context: Context) -> Times:
    find = (heartbeat_interval_ms, session_timeout_ms, _task_offset_interval_ms, _acceptable_lag)
    found = Times(*(value(configs, context) for value in find))
    return found if behaviour(configs.coordinator.broker_version).streams_task_offsets else Times(*found[:2], 0, 0)


def warmups(configs: Configs, context: Context) -> int:
    """Warm-up tasks: none is assigned in Kafka 4.4, but 0, as always before, switches the copy of the targets off."""
    knows = behaviour(configs.coordinator.broker_version).streams_task_offsets
    return _warmups(configs, context) if knows else 0


def tags(configs: Configs, context: Context) -> str:
    """The keys of tags over which standby tasks are to be spread, with commas."""
    of_broker = ",".join(configs.streams.group_streams_rack_aware_assignment_tags)
    return str(context.settings.get(f"streams.{TAGS}", of_broker))


def assignment_configs(configs: Configs, context: Context) -> Pairs:
    """The settings whose change starts a rebalance, as the group's record keeps them."""
    return _assignment_configs(configs, context) if context.settings else _OF_BROKER.of(configs).assignment


def _assignment_configs(configs: Configs, context: Context) -> Pairs:
    named = tags(configs, context)
    return (("num.standby.replicas", str(standbys(configs, context))), *([(TAGS, named)] if named else []))
