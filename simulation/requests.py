"""What travels between a client and the broker: requests for a group's coordinator, and two of the broker's own."""

from __future__ import annotations

from dataclasses import dataclass

from groupsim.coordinator.commands import Request
from groupsim.events.types import GroupId, Offsets, Partitions


@dataclass(frozen=True, slots=True)
class FindCoordinator:
    """Who coordinates this group?"""

    group: GroupId


@dataclass(frozen=True, slots=True)
class CoordinatorIs:
    """The answer; None: nobody at present."""

    address: str | None


@dataclass(frozen=True, slots=True)
class FetchOffsets:
    """Where to start reading these partitions."""

    group: GroupId
    partitions: Partitions


@dataclass(frozen=True, slots=True)
class OffsetsAre:
    """The committed offsets; a partition without one is left out."""

    offsets: Offsets


@dataclass(frozen=True, slots=True)
class ToGroup:
    """A request for a group's coordinator."""

    group: GroupId
    command: Request
