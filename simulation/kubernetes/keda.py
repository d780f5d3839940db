"""KEDA's Kafka scaler: the lag it reports, and when it wakes and rests (KEDA: kafkaScaler.getTotalLag)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

P = TypeVar("P")
POLLING_MS = 30_000
COOL_DOWN_MS = 300_000


@dataclass(frozen=True, slots=True)
class KafkaTrigger:
    """Settings of a `kafka` trigger by KEDA's names; lag in records."""

    lag_threshold: int = 10
    activation_lag_threshold: int = 0
    allow_idle_consumers: bool = False
    limit_to_partitions_with_lag: bool = False
    exclude_persistent_lag: bool = False

    def total(self, lag: Mapping[P, int], stuck: frozenset[P] = frozenset()) -> tuple[int, bool]:
        """The metric for the autoscaler, and whether the trigger is active.

        `lag` by partition; `stuck` partitions have the offset of the look before: `exclude_persistent_lag` leaves
        them out of the metric, never out of the question whether there is work. Without idle consumers the metric asks
        for no more pods than there are partitions (that lag, where it is limited to those).
        """
        counted = {p: n for p, n in lag.items() if not (self.exclude_persistent_lag and p in stuck)}
        metric = sum(counted.values())
        if not self.allow_idle_consumers or self.limit_to_partitions_with_lag:
            late = sum(1 for n in counted.values() if n > 0)
            most = late if self.limit_to_partitions_with_lag else len(lag)
            if metric // self.lag_threshold > most:
                metric = most * self.lag_threshold
        return metric, sum(lag.values()) > self.activation_lag_threshold
