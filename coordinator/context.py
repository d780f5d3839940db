"""What a decision may look at besides group and command: the time, the broker's topics, the group's settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from groupsim.coordinator.topics import Topics


@dataclass(frozen=True, slots=True)
class Context:
    """`at_ms` since the run's start; `settings` of this one group by Kafka's names (KIP-848)."""

    at_ms: int = 0
    topics: Topics = field(default_factory=Topics)
    settings: Mapping[str, int] = field(default_factory=dict)
