"""What analysis asks of a group's state by its coordinator's facts, whatever the group's protocol."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from groupsim.events.types import MemberId, Partitions


class ReportedGroupState(Protocol):
    """What is asked of a group's state where a recorded log is silent; `ClassicGroupState` says what it means."""

    @property
    def members(self) -> Collection[MemberId]:
        """The ids of the members now."""
        ...

    @property
    def stable(self) -> bool:
        """The last assignment is in force."""
        ...

    @property
    def generation(self) -> int:
        """The number of the last assignment."""
        ...

    @property
    def size(self) -> int:
        """How many members it was for."""
        ...

    @property
    def assignment_known(self) -> bool:
        """The coordinator's log has it."""
        ...

    @property
    def has_coordinator_facts(self) -> bool:
        """There is a coordinator's log, and it has begun."""
        ...

    removed: set[MemberId]
    members_at_last_assignment: frozenset[MemberId]
    self_reported_generation: dict[MemberId, int]

    def learn(self, member: MemberId, generation: int, partitions: Partitions) -> None:
        """Take a member's own report of its assignment."""
        ...
