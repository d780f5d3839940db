"""A group that changes its protocol: which state answers for it from a fact on."""

from __future__ import annotations

from groupsim.analysis.classic_group_state import ClassicGroupState
from groupsim.analysis.consumer_group_state import ConsumerGroupState, ConsumerMember
from groupsim.events import consumer as c
from groupsim.events.base import Event
from groupsim.events.group import GroupDeleted

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
