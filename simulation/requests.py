"""What travels between a client and the broker: requests for a group's coordinator, and two of the broker's own."""

from __future__ import annotations

import msgspec

from groupsim.coordinator.commands import Request
from groupsim.events.types import GroupId, Offsets, Partitions


class FindCoordinator(msgspec.Struct, frozen=True):
    """Who coordinates this group?"""

    group: GroupId


class CoordinatorIs(msgspec.Struct, frozen=True):
    """The answer; None: nobody at present."""

    address: str | None


class FetchOffsets(msgspec.Struct, frozen=True):
    """Where to start reading these partitions."""

    group: GroupId
    partitions: Partitions


class OffsetsAre(msgspec.Struct, frozen=True):
    """The committed offsets; a partition without one is left out."""

    offsets: Offsets


class ToGroup(msgspec.Struct, frozen=True):
    """A request for a group's coordinator."""

    group: GroupId
    command: Request
