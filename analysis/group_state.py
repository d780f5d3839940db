"""What analysis asks of a group's state by its coordinator's facts, whatever the group's protocol."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from groupsim.events.base import Event
from groupsim.events.types import MemberId, Partitions, TopicPartition


class GroupState(Protocol):
    """What availability asks of a group's state, whatever its protocol; `apply` folds the protocol's facts."""

    @property
    def owners(self) -> Mapping[TopicPartition, tuple[MemberId, ...]]:
        """The members to which the last assignment gives a partition; another object whenever it changes."""
        ...

    @property
    def members(self) -> Collection[MemberId]:
        """The ids of the members now."""
        ...

    @property
    def topics(self) -> set[str]:
        """What the members subscribe to."""
        ...

    @property
    def rebalancing(self) -> bool:
        """A new assignment is on its way."""
        ...

    @property
    def empty(self) -> bool:
        """It has no members."""
        ...

    def owner(self, partition: TopicPartition) -> MemberId | None:
        """The member that the last assignment gives the partition, if it is still in the group."""
        ...

    def assigned(self, member: MemberId) -> Collection[TopicPartition]:
        """What the last assignment gives the member, in any order."""
        ...

    def may_commit(self, member: MemberId) -> bool:
        """Its commits would not be refused for good."""
        ...

    def entitled(self, member: MemberId, partition: TopicPartition) -> bool:
        """The last assignment gives the partition to the member, and it may commit."""
        ...

    def subscribed(self, topic: str) -> bool:
        """Some member subscribes to the topic."""
        ...

    def delivers(self, *, surrendered: bool) -> bool:
        """A member that has not applied its assignment will still do so; `surrendered`: it gave the partition up."""
        ...

    def apply(self, event: Event) -> bool:
        """Fold one fact; True if it can have changed what somebody has, may do or subscribes to."""
        ...


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
