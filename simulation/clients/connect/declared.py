"""What a scenario says of a Connect cluster, checked; the settings of the run win."""

from __future__ import annotations

from collections.abc import Mapping

from groupsim.coordinator.config import BadSetting, concerning, with_settings
from groupsim.simulation import checks
from groupsim.simulation.clients.connect.cluster import (
    CONNECT_BOUNDS,
    PROTOCOL,
    REBALANCE_TIMEOUT,
    ConnectCluster,
    ConnectConfig,
    ConnectProtocol,
    WorkerTimes,
)
from groupsim.simulation.errors import one_of

_TAKEN = {"session.timeout.ms": 10_000, "heartbeat.interval.ms": 3_000, REBALANCE_TIMEOUT: 60_000}
"""What a worker takes of a group's settings, with Connect's defaults (Kafka: DistributedConfig)."""


def cluster_of(
    name: str,
    delay_ms: object,
    protocol: str,
    times: WorkerTimes | None,
    of_run: Mapping[str, object],
) -> ConnectCluster:
    """A cluster without a connector. Raises BadScenario for what is none, BadSetting for what the run sets wrongly."""
    own = ConnectConfig(
        checks.ms(delay_ms, f"cluster {name!r}: delay"),
        one_of(ConnectProtocol, PROTOCOL, protocol),
    )
    config = with_settings(own, concerning(own, of_run), CONNECT_BOUNDS)
    return ConnectCluster({}, config.scheduled_rebalance_max_delay_ms, config.connect_protocol, times or WorkerTimes())


def worker_settings(given: Mapping[str, object], of_run: Mapping[str, object]) -> dict[str, object]:
    """A worker's settings by the names that a consumer has for them. Raises BadSetting for others."""
    for name in given:
        if name not in _TAKEN:
            raise BadSetting(f"{name} is no setting of a worker's membership: it has {', '.join(_TAKEN)}")
    mine = {REBALANCE_TIMEOUT: of_run[REBALANCE_TIMEOUT]} if REBALANCE_TIMEOUT in of_run else {}
    taken = {**_TAKEN, **given, **mine}
    taken["max.poll.interval.ms"] = taken.pop(REBALANCE_TIMEOUT)  # both are the rebalance timeout of JoinGroup
    return {**taken, "enable.auto.commit": False}
