"""ConsumerContext: what all groups and consumers of one simulated world share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import simpy

from groupsim.coordinator.config import concerning
from groupsim.events.base import WORLD_STREAM, Event, Recorded
from groupsim.events.world import ActionTaken
from groupsim.simulation.broker import Broker
from groupsim.simulation.clients.config import ConsumerConfig
from groupsim.simulation.heartbeat_timers import HeartbeatTimers
from groupsim.simulation.member_ids import MemberIds
from groupsim.simulation.network import Network
from groupsim.simulation.rng import Rng
from groupsim.simulation.settings import Settings
from groupsim.simulation.topics import Topics
from groupsim.simulation.world_host import Host

DATA = "data"
"""The address of the brokers that hold the data, as an end of a link that can be cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerContext:
    """The shared parts of a world; `groups` and `labels` are the names in use.

    `settings` are the run's own. `record` appends facts to a stream; `watch` calls a function with every recorded fact.
    """

    env: simpy.Environment
    network: Network
    broker: Broker
    topics: Topics
    rng: Rng
    member_ids: MemberIds
    host: Host
    settings: Settings
    record: Callable[[str, Sequence[Event]], None]
    watch: Callable[[Callable[[Recorded], None]], None]
    heartbeat_timers: HeartbeatTimers = field(default_factory=HeartbeatTimers)
    groups: set[str] = field(default_factory=set)
    labels: set[str] = field(default_factory=set)

    @property
    def now(self) -> int:
        """Milliseconds since the run's start."""
        return int(self.env.now)

    def consumer_settings(self) -> dict[str, int | float | str | bool]:
        """The run's settings that concern consumers."""
        return concerning(ConsumerConfig(), self.settings)

    def act(self, action: str, target: str) -> None:
        """Record what is done to a process."""
        self.record(WORLD_STREAM, [ActionTaken(action=action, target=target)])
