"""The broker configurations that scripts name: the group protocol they are for, and their settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from groupsim.conformance.scripts.script import BadScript, Script
from groupsim.coordinator.config import Configs

STARTED_WITH = {"group.initial.rebalance.delay.ms": "0", "group.min.session.timeout.ms": "300"}
"""Settings about groups that every recorded broker is started with."""


class GroupProtocol(StrEnum):
    """Kafka's group protocols (`group.protocol`)."""

    CLASSIC = "classic"
    CONSUMER = "consumer"


@dataclass(frozen=True, slots=True)
class BrokerConfig:
    """`properties`: settings by Kafka's names that differ from STARTED_WITH."""

    protocol: GroupProtocol = GroupProtocol.CLASSIC
    properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def configs(self) -> Configs:
        """The same settings for the simulated coordinator."""
        configs = Configs()
        return configs.with_settings(configs.among(STARTED_WITH | dict(self.properties)))


CONFIGS = {
    "d0": BrokerConfig(),
    "d300": BrokerConfig(properties={"group.initial.rebalance.delay.ms": "300"}),
    "d3000": BrokerConfig(properties={"group.initial.rebalance.delay.ms": "3000"}),
    "max3": BrokerConfig(properties={"group.max.size": "3"}),
}
"""Of scripts of the classic protocol."""
SHORT_TIMES = {
    "group.consumer.min.session.timeout.ms": "200",
    "group.consumer.min.heartbeat.interval.ms": "50",
    "group.consumer.assignment.interval.ms": "0",
}
"""So that scripts about sessions do not last for minutes, and each change brings a target at once."""


def _consumer(**differs: str) -> BrokerConfig:
    """One of a broker with consumer groups; settings with `_` for a dot."""
    named = {name.replace("_", "."): value for name, value in differs.items()}
    return BrokerConfig(GroupProtocol.CONSUMER, SHORT_TIMES | named)


CONSUMER_CONFIGS = {
    "base": _consumer(),
    "interval1000": _consumer(group_consumer_assignment_interval_ms="1000"),
    "max3": _consumer(group_consumer_max_size="3", group_max_size="2"),
    "disabled": _consumer(group_consumer_migration_policy="disabled"),
    "upgrade": _consumer(group_consumer_migration_policy="upgrade"),
    "downgrade": _consumer(group_consumer_migration_policy="downgrade"),
    "range": _consumer(group_consumer_assignors="range,uniform"),
    "short": _consumer(group_consumer_session_timeout_ms="1500", group_consumer_heartbeat_interval_ms="500"),
    "regex": _consumer(group_consumer_regex_refresh_interval_ms="14000"),
}
"""Of scripts of the consumer protocol and of migration."""


def protocol_of(script: Script) -> GroupProtocol:
    """The protocol a script is for: one of the consumer protocol tells what an administrator sees."""
    steps = script.get("steps")
    listed = [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    seen = any("seen" in step or step.get("op") == "consumer_heartbeat" for step in listed)
    return GroupProtocol.CONSUMER if seen else GroupProtocol.CLASSIC


def config_of(script: Script) -> BrokerConfig:
    """The configuration a script names. Raises BadScript for an unknown one."""
    known = CONSUMER_CONFIGS if protocol_of(script) is GroupProtocol.CONSUMER else CONFIGS
    named = str(script.get("config"))
    if named not in known:
        raise BadScript(f"script {script.get('name')!r}: unknown config {named!r}")
    return known[named]
