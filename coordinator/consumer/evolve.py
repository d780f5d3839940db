"""Facts applied to a group that is, was or becomes a consumer group; nothing is decided here."""

from __future__ import annotations

from msgspec.structs import replace

from groupsim.coordinator import classic
from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.consumer.converted import downgraded, upgraded
from groupsim.coordinator.consumer.state import ConsumerGroup, Member, Resolved
from groupsim.coordinator.modern.evolve import (
    APPLY,
    Apply,
    created,
    gone,
    holding,
    loaded,
    member_as,
    removed,
    same,
    targeted,
)
from groupsim.coordinator.modern.state import absent
from groupsim.events import consumer as facts
from groupsim.events.base import Event
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded, GroupCreated

State = ClassicGroup | ConsumerGroup
NO_VERSION = -1
"""Older than any version of the broker's topics."""


def evolve(state: State, event: Event) -> State:
    """The group after one more fact, of whichever protocol. Facts that change no coordinator state pass by."""
    if isinstance(state, ClassicGroup):
        if isinstance(event, facts.ConsumerGroupCreated):
            return created(state, ConsumerGroup)
        if isinstance(event, facts.GroupUpgraded):
            return upgraded(state, event)
        return classic.evolve(state, event)
    apply = _APPLY.get(type(event))
    return state if apply is None else apply(state, event)


def survives(event: Event) -> bool:
    """Whether Kafka writes a record of it: of a group that did not exist before, only its members' records tell."""
    if isinstance(event, facts.ConsumerGroupCreated):
        return event.replaces_classic
    return classic.survives(event)


def _resolved(group: ConsumerGroup, e: facts.ExpressionResolved) -> ConsumerGroup:
    resolved = Resolved(topics=e.topics, version=e.version, at_ms=e.at_ms)
    return replace(group, resolved={**group.resolved, e.expression: resolved})


def _resolution_started(group: ConsumerGroup, e: facts.ResolutionStarted) -> ConsumerGroup:
    return replace(group, resolving=True)


def _resolution_ended(group: ConsumerGroup, e: facts.ResolutionEnded) -> ConsumerGroup:
    return replace(group, resolving=False)


def _dropped(group: ConsumerGroup, e: facts.ExpressionDropped) -> ConsumerGroup:
    return replace(group, resolved={x: kept for x, kept in group.resolved.items() if x != e.expression})


def _reconciled(group: ConsumerGroup, e: facts.MemberReconciled) -> ConsumerGroup:
    held = {"assigned": holding(e.assigned), "pending": holding(e.pending)}
    return group.placed(replace(group.members[e.member], **same(e, facts.MemberReconciled, *held), **held))


def _forgotten(group: ConsumerGroup, e: facts.EmptyGroupForgotten) -> ConsumerGroup:
    return replace(group, forgotten=True)


def _taken_over(group: ConsumerGroup, e: GroupCreated | facts.ConsumerGroupCreated) -> State:
    """A new group under the name of one that was forgotten: its records replace the former ones."""
    return evolve(absent(group), e)


def _unloaded(group: ConsumerGroup, e: CoordinatorUnloaded) -> ConsumerGroup:
    return replace(group, loaded=False, forgotten=False)


def _loaded(group: ConsumerGroup, e: CoordinatorLoaded) -> ConsumerGroup:
    """Everything but the metadata check and a running resolution is durable.

    A new coordinator takes all topics that it finds for new ones.
    """
    resolved = {expression: replace(matched, version=NO_VERSION) for expression, matched in group.resolved.items()}
    return replace(loaded(group, e), resolved=resolved, resolving=False, forgotten=False)


_APPLY: Apply = {
    **APPLY,
    facts.ConsumerMemberUpdated: member_as(facts.ConsumerMemberUpdated, Member),
    facts.ConsumerMemberRemoved: removed,
    facts.ResolutionStarted: _resolution_started,
    facts.ResolutionEnded: _resolution_ended,
    facts.ExpressionResolved: _resolved,
    facts.ExpressionDropped: _dropped,
    facts.TargetComputed: targeted,
    facts.MemberReconciled: _reconciled,
    facts.GroupDowngraded: downgraded,
    facts.EmptyGroupDropped: gone,
    facts.EmptyGroupForgotten: _forgotten,
    facts.ConsumerGroupCreated: _taken_over,
    GroupCreated: _taken_over,
    CoordinatorUnloaded: _unloaded,
    CoordinatorLoaded: _loaded,
}
