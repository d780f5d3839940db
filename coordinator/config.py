"""Settings by Kafka's names, with Kafka's defaults and bounds; times in milliseconds.

A coordinator has its own settings and those of each group type: `Configs` holds one configuration of each. A new group
type adds its configuration there, and its bounds to BOUNDS; whatever checks or lists settings finds them.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, TypeVar

from groupsim.coordinator.broker_versions import BrokerVersion, default_settings
from groupsim.events.errors import GroupsimError

INT_MAX = 2**31 - 1
BROKER_VERSION = "broker.version"
Config = TypeVar("Config", bound=Any)
Setting = TypeVar("Setting")


class BadSetting(GroupsimError):
    """A setting that does not exist or a value out of its bounds."""


class CoordinatorKind(StrEnum):
    """Which of Kafka's coordinators answers: that of Kafka 4 (`java`), or the older one (`scala`)."""

    JAVA = "java"
    SCALA = "scala"


@dataclass(frozen=True, slots=True)
class ClassicGroupConfig:
    """Settings of classic groups (Kafka: GroupCoordinatorConfig).

    `coordinator` is not Kafka's: it says whose answers are given.
    """

    group_min_session_timeout_ms: int = 6_000
    group_max_session_timeout_ms: int = 1_800_000
    group_initial_rebalance_delay_ms: int = 3_000
    group_max_size: int = INT_MAX
    coordinator: CoordinatorKind = CoordinatorKind.JAVA

    def allows_session(self, session_timeout_ms: int) -> bool:
        """Whether a member that speaks the classic protocol may have this session timeout."""
        return self.group_min_session_timeout_ms <= session_timeout_ms <= self.group_max_session_timeout_ms


class MigrationPolicy(StrEnum):
    """`group.consumer.migration.policy`: which groups may change their protocol while they have members."""

    BIDIRECTIONAL = "bidirectional"
    UPGRADE = "upgrade"
    DOWNGRADE = "downgrade"
    DISABLED = "disabled"


@dataclass(frozen=True, slots=True)
class ConsumerGroupConfig:
    """Settings of consumer groups (KIP-848; Kafka: GroupCoordinatorConfig), with the defaults of Kafka 4.4."""

    group_consumer_session_timeout_ms: int = 45_000
    group_consumer_min_session_timeout_ms: int = 45_000
    group_consumer_max_session_timeout_ms: int = 60_000
    group_consumer_heartbeat_interval_ms: int = 5_000
    group_consumer_min_heartbeat_interval_ms: int = 5_000
    group_consumer_max_heartbeat_interval_ms: int = 15_000
    group_consumer_max_size: int = INT_MAX
    group_consumer_assignors: tuple[str, ...] = ("uniform", "range")
    group_consumer_migration_policy: MigrationPolicy = MigrationPolicy.BIDIRECTIONAL
    group_consumer_assignment_interval_ms: int = 1_000
    group_consumer_min_assignment_interval_ms: int = 0
    group_consumer_max_assignment_interval_ms: int = 15_000
    group_consumer_regex_refresh_interval_ms: int = 600_000


@dataclass(frozen=True, slots=True)
class ShareGroupConfig:
    """Settings of share groups (KIP-932; Kafka: GroupCoordinatorConfig, ShareGroupConfig), with Kafka 4.4's defaults.

    What is about locks and deliveries of records bounds what a group may set; nothing else depends on it.
    """

    group_share_session_timeout_ms: int = 45_000
    group_share_min_session_timeout_ms: int = 45_000
    group_share_max_session_timeout_ms: int = 60_000
    group_share_heartbeat_interval_ms: int = 5_000
    group_share_min_heartbeat_interval_ms: int = 5_000
    group_share_max_heartbeat_interval_ms: int = 15_000
    group_share_assignment_interval_ms: int = 1_000
    group_share_min_assignment_interval_ms: int = 0
    group_share_max_assignment_interval_ms: int = 15_000
    group_share_max_size: int = 200
    group_share_initialize_retry_interval_ms: int = 30_000
    group_share_record_lock_duration_ms: int = 30_000
    group_share_min_record_lock_duration_ms: int = 15_000
    group_share_max_record_lock_duration_ms: int = 60_000
    group_share_delivery_count_limit: int = 5
    group_share_min_delivery_count_limit: int = 2
    group_share_max_delivery_count_limit: int = 10
    group_share_partition_max_record_locks: int = 2_000
    group_share_min_partition_max_record_locks: int = 100
    group_share_max_partition_max_record_locks: int = 4_000


@dataclass(frozen=True, slots=True)
class StreamsGroupConfig:
    """Settings of streams groups (KIP-1071; Kafka: GroupCoordinatorConfig), with the defaults of Kafka 4.4."""

    group_streams_session_timeout_ms: int = 45_000
    group_streams_min_session_timeout_ms: int = 45_000
    group_streams_max_session_timeout_ms: int = 60_000
    group_streams_heartbeat_interval_ms: int = 5_000
    group_streams_min_heartbeat_interval_ms: int = 5_000
    group_streams_max_heartbeat_interval_ms: int = 15_000
    group_streams_max_size: int = INT_MAX
    group_streams_initial_rebalance_delay_ms: int = 3_000
    group_streams_assignment_interval_ms: int = 1_000
    group_streams_min_assignment_interval_ms: int = 0
    group_streams_max_assignment_interval_ms: int = 15_000
    group_streams_num_standby_replicas: int = 0
    group_streams_max_standby_replicas: int = 2
    group_streams_num_warmup_replicas: int = 2
    group_streams_max_warmup_replicas: int = 20
    group_streams_acceptable_recovery_lag: int = 10_000
    group_streams_task_offset_interval_ms: int = 60_000
    group_streams_min_task_offset_interval_ms: int = 15_000
    group_streams_rack_aware_assignment_tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CoordinatorConfig:
    """Settings of the coordinator itself, for groups of every type (Kafka: GroupCoordinatorConfig).

    `group_coordinator_append_linger_ms` is how long an answer that wrote a record is held back: 10 in Kafka 4.0; -1,
    not at all while nothing else waits to be written (KAFKA-19826), in 4.4. `broker_version` is not Kafka's: it says of
    which release consumer groups are; where it is given, settings that are not given have that release's defaults.
    `group_coordinator_rebalance_protocols` are the protocols that it speaks (the feature group.version is taken as 1).
    """

    group_coordinator_rebalance_protocols: tuple[str, ...] = ("classic", "consumer", "streams")
    group_coordinator_append_linger_ms: int = 10
    broker_version: BrokerVersion = BrokerVersion.V4_4


@dataclass(frozen=True, slots=True)
class Configs:
    """One configuration of each kind: the coordinator's own, and one for each group type."""

    coordinator: CoordinatorConfig = field(default_factory=CoordinatorConfig)
    classic: ClassicGroupConfig = field(default_factory=ClassicGroupConfig)
    consumer: ConsumerGroupConfig = field(default_factory=ConsumerGroupConfig)
    streams: StreamsGroupConfig = field(default_factory=StreamsGroupConfig)
    share: ShareGroupConfig = field(default_factory=ShareGroupConfig)

    def names(self) -> list[str]:
        """The Kafka names of all settings."""
        return [name for part in fields(self) for name in names(getattr(self, part.name))]

    def among(self, settings: Mapping[str, Setting]) -> dict[str, Setting]:
        """Those of the settings that one of these configurations has."""
        known = self.names()
        return {name: value for name, value in settings.items() if name in known}

    def with_settings(self, settings: Mapping[str, object]) -> Configs:
        """These configurations with Kafka-named settings replaced; a broker version brings its defaults.

        Raises BadSetting for a name that none of them has, or a bad value.
        """
        known = self.names()
        version = settings.get(BROKER_VERSION)
        if version in tuple(BrokerVersion):
            settings = {**default_settings(BrokerVersion(str(version))), **settings}
        for name in settings:
            if name not in known:
                raise BadSetting(f"unknown setting {name!r}{near(name, known)}")
        changed: dict[str, Any] = {}
        for part in fields(self):
            config = getattr(self, part.name)
            changed[part.name] = with_settings(config, concerning(config, settings), BOUNDS)
        configs = replace(self, **changed)
        _check_together(configs)
        return configs


def kafka_name(field: str) -> str:
    """`group_max_size` -> `group.max.size`."""
    return field.replace("_", ".")


def names(config: Any) -> list[str]:
    """The Kafka names of a configuration's settings, in order."""
    return [kafka_name(f.name) for f in fields(config)]


BOUNDS: dict[str, tuple[int, int] | tuple[str, ...]] = {
    "group.min.session.timeout.ms": (0, INT_MAX),
    "group.max.session.timeout.ms": (0, INT_MAX),
    "group.initial.rebalance.delay.ms": (0, INT_MAX),
    "group.max.size": (1, INT_MAX),
    "group.coordinator.append.linger.ms": (-1, INT_MAX),
    "group.coordinator.rebalance.protocols": ("classic", "consumer", "streams"),
    "broker.version": tuple(BrokerVersion),
    "coordinator": tuple(CoordinatorKind),
    "group.consumer.session.timeout.ms": (1, INT_MAX),
    "group.consumer.min.session.timeout.ms": (1, INT_MAX),
    "group.consumer.max.session.timeout.ms": (1, INT_MAX),
    "group.consumer.heartbeat.interval.ms": (1, INT_MAX),
    "group.consumer.min.heartbeat.interval.ms": (1, INT_MAX),
    "group.consumer.max.heartbeat.interval.ms": (1, INT_MAX),
    "group.consumer.max.size": (1, INT_MAX),
    "group.consumer.assignors": ("uniform", "range"),
    "group.consumer.migration.policy": tuple(MigrationPolicy),
    "group.consumer.assignment.interval.ms": (0, INT_MAX),
    "group.consumer.min.assignment.interval.ms": (0, INT_MAX),
    "group.consumer.max.assignment.interval.ms": (0, INT_MAX),
    "group.consumer.regex.refresh.interval.ms": (10_000, INT_MAX),
    **dict.fromkeys(names(ShareGroupConfig()), (1, INT_MAX)),
    "group.share.assignment.interval.ms": (0, INT_MAX),
    "group.share.min.assignment.interval.ms": (0, INT_MAX),
    "group.share.max.assignment.interval.ms": (0, INT_MAX),
    "group.share.max.size": (1, 1_000),
    **dict.fromkeys(names(StreamsGroupConfig())[:-1], (0, INT_MAX)),
    **{f"group.streams.{bound}session.timeout.ms": (1, INT_MAX) for bound in ("", "min.", "max.")},
    **{f"group.streams.{bound}heartbeat.interval.ms": (1, INT_MAX) for bound in ("", "min.", "max.")},
    "group.streams.max.size": (1, INT_MAX),
}
"""The least and the most, or the known values, of every setting in Configs."""


def _check_together(configs: Configs) -> None:
    """What Kafka's broker checks of several settings before it starts (GroupCoordinatorConfig). Raises BadSetting."""
    if "classic" not in configs.coordinator.group_coordinator_rebalance_protocols:
        raise BadSetting("group.coordinator.rebalance.protocols must have classic")
    assignors = configs.consumer.group_consumer_assignors
    if not assignors or len(set(assignors)) < len(assignors):
        raise BadSetting("group.consumer.assignors must have at least one assignor, and none twice")
    for of in ("consumer", "share", "streams"):
        config = getattr(configs, of)
        values = {kafka_name(field.name): getattr(config, field.name) for field in fields(config)}
        for high_name, high in values.items():
            if not high_name.startswith(f"group.{of}.max.") or high_name == f"group.{of}.max.size":
                continue
            what = high_name.removeprefix(f"group.{of}.max.")
            name = f"group.{of}.num.{what}" if what.endswith(".replicas") else f"group.{of}.{what}"
            low, value = values.get(f"group.{of}.min.{what}", 0), values[name]
            if not low <= value <= high:
                raise BadSetting(f"{name} must be from {low} to {high} (min and max of it), not {value}")
        if values[f"group.{of}.session.timeout.ms"] <= values[f"group.{of}.heartbeat.interval.ms"]:
            raise BadSetting(f"group.{of}.session.timeout.ms must be greater than group.{of}.heartbeat.interval.ms")


NEW_MEMBER_JOIN_TIMEOUT_MS = 300_000
"""Not configurable (Kafka: GroupCoordinatorConfig.CLASSIC_GROUP_NEW_MEMBER_JOIN_TIMEOUT_MS)."""


def concerning(config: object, settings: Mapping[str, Setting]) -> dict[str, Setting]:
    """Those of the settings that this configuration has."""
    known = names(config)
    return {name: value for name, value in settings.items() if name in known}


CALLED = {
    "assignor": "partition.assignment.strategy",
    "assignors": "partition.assignment.strategy",
    "protocol": "group.protocol",
    "static": "group.instance.id",
}
"""What people call some settings of Kafka."""


def near(name: str, known: Iterable[str]) -> str:
    """A sentence part that lists the names nearest to a mistyped one, or Kafka's for what people call it."""
    among = list(known)
    called = [CALLED[name]] if CALLED.get(name) in among else []
    close = called or difflib.get_close_matches(name, among, n=3, cutoff=0.4)
    return f"; near names: {', '.join(close)}" if close else ""


def with_settings(
    config: Config,
    settings: Mapping[str, object],
    bounds: Mapping[str, tuple[int, int] | tuple[str, ...]],
) -> Config:
    """The configuration with Kafka-named settings replaced. Raises BadSetting for an unknown name or a bad value."""
    changes: dict[str, object] = {}
    for name, value in settings.items():
        if name not in names(config):
            raise BadSetting(f"unknown setting {name!r}{near(name, names(config))}")
        changes[name.replace(".", "_")] = checked(name, value, getattr(config, name.replace(".", "_")), bounds)
    return replace(config, **changes)


def checked(
    name: str, value: object, default: object, bounds: Mapping[str, tuple[int, int] | tuple[str, ...]]
) -> object:
    """The value in the type of the default, inside the bounds. Raises BadSetting."""
    if isinstance(default, StrEnum):
        known = tuple(type(default))
        if value not in known:
            raise BadSetting(f"{name} must be one of {', '.join(known)}, not {value!r}")
        return type(default)(str(value))
    if isinstance(default, bool):
        if str(value).lower() not in ("true", "false"):
            raise BadSetting(f"{name} must be true or false, not {value!r}")
        return str(value).lower() == "true"
    if isinstance(default, int):
        try:
            number = int(str(value))
        except ValueError:
            raise BadSetting(f"{name} must be a whole number, not {value!r}") from None
        low, high = bounds.get(name, (-INT_MAX, INT_MAX))
        if not int(low) <= number <= int(high):
            raise BadSetting(f"{name} must be from {low} to {high}, not {number}")
        return number
    if isinstance(default, tuple):
        parts = value if isinstance(value, (list, tuple)) else str(value).split(",")
        given = tuple(str(part).strip() for part in parts if str(part).strip())
        for part in given:
            if name in bounds and part not in bounds[name]:
                raise BadSetting(f"{name} may have {', '.join(map(str, bounds[name]))}, not {part!r}")
        return given
    if name in bounds and value not in bounds[name]:
        raise BadSetting(f"{name} must be one of {', '.join(map(str, bounds[name]))}, not {value!r}")
    return None if value is None else str(value)
