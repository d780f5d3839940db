"""The broker configurations that scripts name: the group protocol they are for, and their settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from groupsim.conformance.broker.kafka import DEFAULTS
from groupsim.conformance.scripts.script import BadScript, Script
from groupsim.coordinator.config import Configs


class GroupProtocol(StrEnum):
    """Kafka's group protocols (`group.protocol`)."""

    CLASSIC = "classic"


@dataclass(frozen=True, slots=True)
class BrokerConfig:
    """`properties`: settings by Kafka's names that differ from those every broker here is started with."""

    protocol: GroupProtocol = GroupProtocol.CLASSIC
    properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def configs(self) -> Configs:
        """The same settings for the simulated coordinator."""
        configs = Configs()
        return configs.with_settings(configs.among(DEFAULTS | dict(self.properties)))


CONFIGS = {
    "d0": BrokerConfig(),
    "d300": BrokerConfig(properties={"group.initial.rebalance.delay.ms": "300"}),
    "d3000": BrokerConfig(properties={"group.initial.rebalance.delay.ms": "3000"}),
    "max3": BrokerConfig(properties={"group.max.size": "3"}),
}


def config_of(script: Script) -> BrokerConfig:
    """The configuration a script names. Raises BadScript for an unknown one."""
    if script.get("config") not in CONFIGS:
        raise BadScript(f"script {script.get('name')!r}: unknown config {script.get('config')!r}")
    return CONFIGS[script["config"]]
