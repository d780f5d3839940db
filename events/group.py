"""What a coordinator does with a group of any protocol: creates and empties it, takes commits, unloads and loads it.

One stream per group (Kafka: Group, OffsetMetadataManager, GroupCoordinatorService). The facts of the group's own
protocol are in the same stream (`events.classic`).
"""

from __future__ import annotations

from typing import ClassVar

from groupsim.events.base import Event
from groupsim.events.types import MemberId, Offsets, Partitions


class GroupCreated(Event, frozen=True, kw_only=True):
    """A JoinGroup or an offset commit named a group that did not exist."""


class GroupEmptied(Event, frozen=True, kw_only=True):
    """The last member is gone; the group is Empty at `generation`."""

    durable: ClassVar[bool] = True
    generation: int
    protocol_type: str | None = None


class CommitAccepted(Event, frozen=True, kw_only=True):
    """Offsets were committed. `member` is empty for a commit outside group management."""

    durable: ClassVar[bool] = True
    member: MemberId
    generation: int
    offsets: Offsets
    transactional: bool = False


class CommitRefused(Event, frozen=True, kw_only=True):
    """Offsets were not committed."""

    member: MemberId
    generation: int
    error: str
    offsets: Offsets = ()


class OffsetsDeleted(Event, frozen=True, kw_only=True):
    """Committed offsets, or offsets of open transactions, were deleted. Tombstones: OffsetCommit; topics by name."""

    durable: ClassVar[bool] = True
    partitions: Partitions


class GroupDeleted(Event, frozen=True, kw_only=True):
    """An empty group was deleted: it does not exist any more, of whichever protocol it was.

    Tombstones: GroupMetadata of a classic group; TargetAssignmentMetadata, PartitionMetadata and Metadata of a consumer
    group. A group that is created later under this name begins anew.
    """

    durable: ClassVar[bool] = True


class CoordinatorUnloaded(Event, frozen=True, kw_only=True):
    """The coordinator gave the group up: parked requests are answered NOT_COORDINATOR."""


class CoordinatorLoaded(Event, frozen=True, kw_only=True):
    """A coordinator took the group over. It knows the group's durable facts only."""
