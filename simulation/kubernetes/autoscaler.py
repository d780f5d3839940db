"""An autoscaler that follows a group's lag: HorizontalPodAutoscaler with an external metric, alone or under KEDA."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import simpy

from groupsim.events.types import TopicPartition
from groupsim.simulation.consumer_context import ConsumerContext
from groupsim.simulation.errors import BadScenario
from groupsim.simulation.kubernetes.hpa import DOWN, SYNC_MS, TOLERANCE, UP, Behaviour, Rules, desired_for_average
from groupsim.simulation.kubernetes.workload import Workload
from groupsim.simulation.topics import Topic

KINDS = ("hpa", "keda")
P = TypeVar("P")
POLLING_MS = 30_000
COOL_DOWN_MS = 300_000


@dataclass(frozen=True, slots=True)
class KafkaTrigger:
    """KEDA's Kafka scaler: settings of a `kafka` trigger by KEDA's names; lag in records (kafkaScaler.getTotalLag)."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaling:
    """The settings of an autoscaler. `lag_threshold`: records of lag for each pod.

    `least` and `most` pods; under KEDA `least` may be 0: after `cool_down_ms` without work there is none. The
    autoscaler looks every `sync_ms`, KEDA for work every `polling_ms`. Raises BadScenario.
    """

    kind: str = "hpa"
    lag_threshold: int = 10
    least: int = 1
    most: int = 10
    up: Rules = UP
    down: Rules = DOWN
    tolerance: float = TOLERANCE
    sync_ms: int = SYNC_MS
    polling_ms: int = POLLING_MS
    cool_down_ms: int = COOL_DOWN_MS
    trigger: KafkaTrigger | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise BadScenario(f"kind must be one of {', '.join(KINDS)}, not {self.kind!r}")
        lowest = 0 if self.kind == "keda" else 1
        if not lowest <= self.least <= self.most:
            raise BadScenario(f"least must be between {lowest} and most ({self.most}), not {self.least}")
        if self.lag_threshold < 1:
            raise BadScenario(f"lag_threshold must be 1 or more, not {self.lag_threshold}")

    def metric(self) -> KafkaTrigger:
        """How lag becomes the metric: KEDA's way, or plainly all of it."""
        if self.trigger is not None:
            return self.trigger
        return KafkaTrigger(lag_threshold=self.lag_threshold, allow_idle_consumers=self.kind == "hpa")


@dataclass(slots=True)
class Autoscaler:
    """`decisions`: (time, lag of all partitions, pods from then on), one for each look that changed the count."""

    context: ConsumerContext
    workload: Workload
    group: str
    topics: tuple[Topic, ...]
    scaling: Scaling
    decisions: list[tuple[int, int, int]] = field(default_factory=list)
    _active_ms: int = 0
    _before: dict[TopicPartition, int] = field(default_factory=dict)

    def start(self) -> None:
        """Begin to look."""
        self.context.env.process(self._follow())
        if self.scaling.kind == "keda":
            self.context.env.process(self._wake_and_rest())

    def lag(self) -> dict[TopicPartition, int]:
        """Records behind, by partition; one without a commit counts from its beginning."""
        done = self.context.broker.committed(self.group)
        now = self.context.now
        ends = {p: self.context.topics.end_offset(p, now) for topic in self.topics for p in topic.all()}
        return {p: max(end - done.get(p, 0), 0) for p, end in ends.items()}

    def _follow(self) -> Generator[simpy.Event]:
        scaling, metric = self.scaling, self.scaling.metric()
        behaviour = Behaviour(up=scaling.up, down=scaling.down, least=max(scaling.least, 1), most=scaling.most)
        while True:
            yield self.context.env.timeout(scaling.sync_ms)
            replicas = self.workload.replicas
            if not replicas:  # an autoscaler does nothing for a workload without pods
                continue
            total, _ = metric.total(self.lag(), self._stuck())
            running = len(self.workload.present)
            desired = desired_for_average(total, scaling.lag_threshold, running, scaling.tolerance)
            self._scale(behaviour.allowed(self.context.now, replicas, desired))

    def _wake_and_rest(self) -> Generator[simpy.Event]:
        metric, least = self.scaling.metric(), self.scaling.least
        self._active_ms = self.context.now
        while True:
            yield self.context.env.timeout(self.scaling.polling_ms)
            lag, now = self.lag(), self.context.now
            _, active = metric.total(lag)
            if active:
                self._active_ms = now
                if not self.workload.replicas:
                    self._scale(max(least, 1))
            elif not least and self.workload.replicas and now - self._active_ms > self.scaling.cool_down_ms:
                self._scale(0)

    def _stuck(self) -> frozenset[TopicPartition]:
        """Partitions with the committed offset of the look before."""
        done = self.context.broker.committed(self.group)
        stuck = frozenset(p for p, offset in done.items() if self._before.get(p) == offset)
        self._before = dict(done)
        return stuck

    def _scale(self, replicas: int) -> None:
        if replicas != self.workload.replicas:
            self.decisions.append((self.context.now, sum(self.lag().values()), replicas))
            self.workload.scale(replicas)


def autoscale(
    context: ConsumerContext, workload: Workload, group: str, topics: Iterable[Topic], **settings: object
) -> Autoscaler:
    """Start an autoscaler; `settings` are those of `Scaling`. Raises BadScenario."""
    try:
        scaling = Scaling(**settings)  # type: ignore[arg-type]
    except TypeError as error:
        raise BadScenario(f"autoscaler: {error}") from None
    autoscaler = Autoscaler(context, workload, group, tuple(topics), scaling)
    autoscaler.start()
    return autoscaler
