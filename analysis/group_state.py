"""A group's state by its coordinator's facts, whatever its protocol: which one answers, and what is asked of it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from groupsim.analysis.classic_group_state import ClassicGroupState
from groupsim.analysis.consumer_group_state import ConsumerGroupState, ConsumerMember
from groupsim.events import consumer as c
from groupsim.events.base import Event
from groupsim.events.group import GroupDeleted
from groupsim.events.types import MemberId, Partitions

AnyGroupState = ClassicGroupState | ConsumerGroupState
BEGINS = (c.ConsumerGroupCreated, c.GroupUpgraded)
"""It is a consumer group by this fact."""
ENDS = (c.GroupDowngraded, c.EmptyGroupDropped, GroupDeleted)
"""It is no consumer group any more by this fact."""


def converted(state: AnyGroupState, event: Event) -> AnyGroupState:
    """The state that folds this fact and the next ones: another one, where the group changes its protocol by it."""
    if isinstance(event, BEGINS):
        members = state.members if isinstance(state, ClassicGroupState) else {}
        return ConsumerGroupState({name: ConsumerMember(member.topics) for name, member in members.items()})
    if isinstance(event, ENDS):
        return ClassicGroupState()
    return state


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

    @property
    def unassigned(self) -> bool:
        """Nobody can have anything: it has no members, or has stored no assignment since it had none."""
        ...

    removed: set[MemberId]
    members_at_last_assignment: frozenset[MemberId]
    self_reported_generation: dict[MemberId, int]

    def learn(self, member: MemberId, generation: int, partitions: Partitions) -> None:
        """Take a member's own report of its assignment."""
        ...
