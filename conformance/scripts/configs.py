"""The brokers that scripts were recorded with: configurations by their names, and topics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from groupsim.conformance.scripts.script import BadScript, Script
from groupsim.coordinator.broker_versions import BrokerVersion
from groupsim.coordinator.config import Configs

STARTED_WITH = {"group.initial.rebalance.delay.ms": "0", "group.min.session.timeout.ms": "300"}
"""Settings about groups that every recorded broker is started with."""

BROKER_VERSION = "broker_version"
"""The key by which a script says of which release the broker is; 4.4 where it does not."""


@dataclass(frozen=True, slots=True)
class BrokerConfig:
    """`properties`: settings by Kafka's names that differ from STARTED_WITH."""

    properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def configs(self) -> Configs:
        """The same settings for the simulated coordinator."""
        configs = Configs()
        return configs.with_settings(configs.among(STARTED_WITH | dict(self.properties)))


@dataclass(frozen=True, slots=True)
class Brokers:
    """The brokers of one set of recordings.

    `configs`: by the name that scripts use; `topics`: those that every broker has, name -> partitions.
    """

    configs: Mapping[str, BrokerConfig]
    topics: Mapping[str, int]


CONFIGS = {
    "d0": BrokerConfig(),
    "d300": BrokerConfig({"group.initial.rebalance.delay.ms": "300"}),
    "d3000": BrokerConfig({"group.initial.rebalance.delay.ms": "3000"}),
    "max3": BrokerConfig({"group.max.size": "3"}),
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
    return BrokerConfig(SHORT_TIMES | named)


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


STREAMS_AND_SHARE_TIMES = {
    f"group.{kind}.{name}.ms": value
    for kind in ("streams", "share")
    for name, value in (("min.session.timeout", "200"), ("min.heartbeat.interval", "50"), ("assignment.interval", "0"))
} | {"group.streams.initial.rebalance.delay.ms": "0", "group.streams.min.task.offset.interval.ms": "100"}
"""The same of streams and of share groups."""


def _streams_and_share(**differs: str) -> BrokerConfig:
    """One of a broker with groups of every protocol."""
    return _consumer(**{name.replace(".", "_"): value for name, value in STREAMS_AND_SHARE_TIMES.items()} | differs)


CLASSIC = Brokers(CONFIGS, {"t": 4})
CONSUMER = Brokers(CONSUMER_CONFIGS, {"t1": 4, "t2": 3, "t3": 6})
STREAMS_AND_SHARE = Brokers(
    configs={
        "base": _streams_and_share(),
        "delay": _streams_and_share(group_streams_initial_rebalance_delay_ms="1500"),
        "interval1000": _streams_and_share(
            group_streams_assignment_interval_ms="1000", group_share_assignment_interval_ms="1000"
        ),
        "max2": _streams_and_share(group_streams_max_size="2", group_share_max_size="2"),
        "standby": _streams_and_share(group_streams_num_standby_replicas="1"),
        "nowarm": _streams_and_share(group_streams_num_warmup_replicas="0"),
        "tags": _streams_and_share(
            group_streams_num_standby_replicas="1", group_streams_rack_aware_assignment_tags="zone"
        ),
        "disabled": _streams_and_share(group_coordinator_rebalance_protocols="classic,consumer"),
    },
    topics={"t1": 4, "t2": 3, "t3": 6, "t4": 4, "l1": 4, "l2": 3, "l3": 6, "l4": 4, "r1": 4, "lr": 4},
)


def brokers_of(script: Script) -> Brokers:
    """Those that a script is for, by its operations and its configuration.

    A script that is not CLASSIC tells what an administrator sees.
    """
    steps, config = script.get("steps"), str(script.get("config"))
    listed = [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    if any(str(step.get("op")).startswith(("streams_", "share_")) for step in listed):
        return STREAMS_AND_SHARE
    seen = any("seen" in step or step.get("op") == "consumer_heartbeat" for step in listed)
    if not seen and config in CLASSIC.configs:
        return CLASSIC
    return CONSUMER if config in CONSUMER.configs else STREAMS_AND_SHARE


def config_of(script: Script) -> BrokerConfig:
    """The configuration that a script names, of its `broker_version` if it says one.

    Raises BadScript for an unknown one of either.
    """
    known, named = brokers_of(script).configs, str(script.get("config"))
    if named not in known:
        raise BadScript(f"script {script.get('name')!r}: unknown config {named!r}")
    if (version := script.get(BROKER_VERSION)) is None:
        return known[named]
    if version not in tuple(BrokerVersion):
        raise BadScript(f"script {script.get('name')!r}: broker_version must be one of {', '.join(BrokerVersion)}")
    return BrokerConfig({**known[named].properties, "broker.version": version})
