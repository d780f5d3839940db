"""Requests to a share group, what is answered, and the share coordinator's word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from groupsim.coordinator.commands import Request, Situated
from groupsim.coordinator.modern.commands import ModernHeartbeat, ModernHeartbeatAnswer
from groupsim.coordinator.outcome import Answer, Error
from groupsim.events.types import Offsets, Partitions

UNDECIDED = -1
"""The start offset of a partition that is not known yet, or that the group has no state of."""


class ShareHeartbeatAnswer(ModernHeartbeatAnswer, frozen=True, kw_only=True):
    """ShareGroupHeartbeat response; `assignment` is None where the member knows it already."""

    assignment: Partitions | None = None


class ShareHeartbeat(ModernHeartbeat, frozen=True, kw_only=True):
    """ShareGroupHeartbeat. A field that is None was not sent: nothing changes."""

    answer: ClassVar[type[Answer]] = ShareHeartbeatAnswer
    topics: tuple[str, ...] | None = None


class ShareOffsetsAnswer(Answer, frozen=True, kw_only=True):
    """DescribeShareGroupOffsets response: start offsets, -1 for none; topics by name."""

    offsets: Offsets = ()


class DescribeShareOffsets(Request, frozen=True, kw_only=True):
    """DescribeShareGroupOffsets, for one group. `partitions` by name; None for all that there are."""

    answer: ClassVar[type[Answer]] = ShareOffsetsAnswer
    partitions: Partitions | None = None


class AlterShareOffsetsAnswer(Answer, frozen=True, kw_only=True):
    """AlterShareGroupOffsets response: a top-level error, or one result per partition, sorted."""

    partitions: tuple[tuple[str, int, Error], ...] = ()


class AlterShareOffsets(Request, frozen=True, kw_only=True):
    """AlterShareGroupOffsets; topics by name."""

    answer: ClassVar[type[Answer]] = AlterShareOffsetsAnswer
    offsets: Offsets


class DeleteShareOffsetsAnswer(Answer, frozen=True, kw_only=True):
    """DeleteShareGroupOffsets response: a top-level error, or one result per topic."""

    topics: Mapping[str, Error] = {}


class DeleteShareOffsets(Request, frozen=True, kw_only=True):
    """DeleteShareGroupOffsets; topics by name."""

    answer: ClassVar[type[Answer]] = DeleteShareOffsetsAnswer
    topics: tuple[str, ...]


class StateInitialized(Situated, frozen=True, kw_only=True):
    """The share coordinator has initialised what it was asked for."""

    partitions: Partitions
