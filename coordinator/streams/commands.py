"""Requests to a streams group, what is answered, and its timers."""

from __future__ import annotations

from typing import ClassVar

from groupsim.coordinator.commands import Situated
from groupsim.coordinator.modern.commands import ModernHeartbeat, ModernHeartbeatAnswer
from groupsim.coordinator.outcome import Answer, Error
from groupsim.events.streams import Endpoint, InternalTopic, Pairs, TaskOffsets, Tasks, Topology
from groupsim.events.types import Partitions

Route = tuple[Endpoint, Partitions, Partitions]
"""Endpoint, partitions of its active tasks, partitions of its standby tasks; topics by name."""
NO_LAG = -1
LAG_SINCE = 1
"""From this version on an answer has the acceptable recovery lag; before, it reads 0."""


class StreamsHeartbeatAnswer(ModernHeartbeatAnswer, frozen=True, kw_only=True):
    """StreamsGroupHeartbeat response. `tasks` and `routes` are None where the member knows them already.

    `status`: codes with details; `message` explains an error. `creates` are internal topics that the broker makes in
    the background: it is no field of the response.
    """

    message: str | None = None
    task_offset_interval_ms: int = 0
    acceptable_recovery_lag: int = NO_LAG
    status: Pairs = ()
    tasks: Tasks | None = None
    endpoint_epoch: int = 0
    routes: tuple[Route, ...] | None = None
    creates: tuple[InternalTopic, ...] = ()


class StreamsHeartbeat(ModernHeartbeat, frozen=True, kw_only=True):
    """StreamsGroupHeartbeat. A field that is None (-1 for the timeout) was not sent: nothing changes.

    `active`, `standby`, `warmup`: the tasks that the member still has.
    """

    answer: ClassVar[type[Answer]] = StreamsHeartbeatAnswer
    endpoint_epoch: int = -1
    topology: Topology | None = None
    active: Partitions | None = None
    standby: Partitions | None = None
    warmup: Partitions | None = None
    process: str | None = None
    endpoint: Endpoint | None = None
    tags: Pairs | None = None
    offsets: TaskOffsets | None = None
    end_offsets: TaskOffsets | None = None
    shutdown: bool = False
    version: int = 1

    def refused(self, error: Error, message: str | None) -> Answer:
        """With Kafka's message."""
        return StreamsHeartbeatAnswer(error=error, member="", message=message, acceptable_recovery_lag=self.no_lag)

    @property
    def no_lag(self) -> int:
        """The lag in an answer that has none."""
        return NO_LAG if self.version >= LAG_SINCE else 0

    @property
    def owned(self) -> tuple[Partitions, Partitions, Partitions] | None:
        """Active, standby and warm-up tasks, if all three lists were sent."""
        if self.active is None or self.standby is None or self.warmup is None:
            return None
        return self.active, self.standby, self.warmup


class InitialDelayOver(Situated, frozen=True, kw_only=True):
    """The initial delay of a group that was empty is over."""


class InternalTopicsFailed(Situated, frozen=True, kw_only=True):
    """The broker could not make internal topics: name and reason of each."""

    reasons: Pairs
