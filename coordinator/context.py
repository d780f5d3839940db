"""What a decision may look at besides group and command: time, topics, the group's settings and its offsets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from groupsim.coordinator.offsets import NO_OFFSETS, GroupOffsets
from groupsim.coordinator.topics import Topics


@dataclass(frozen=True, slots=True)
class Context:
    """`at_ms` since the run's start; `settings` (by Kafka's names, KIP-848) and `offsets` are of this one group."""

    at_ms: int = 0
    topics: Topics = field(default_factory=Topics)
    settings: Mapping[str, int] = field(default_factory=dict)
    offsets: GroupOffsets = NO_OFFSETS


NOWHERE = Context()
"""Of a command that has no host yet: time 0, no topics. One for all, because nearly every command is made with it."""
