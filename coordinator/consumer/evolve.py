"""Facts applied to a group that is, was or becomes a consumer group; nothing is decided here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from groupsim.coordinator import classic
from groupsim.coordinator.broker_versions import behaviour
from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.consumer.converted import absent, downgraded, upgraded
from groupsim.coordinator.consumer.state import AWAY_EPOCH, ConsumerGroup, Holding, Member, Resolved
from groupsim.events import consumer as facts
from groupsim.events.base import Event
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded, GroupCreated, GroupDeleted, GroupEmptied
from groupsim.events.types import Held, MemberId, TopicPartition

State = ClassicGroup | ConsumerGroup
NO_VERSION = -1
"""Older than any version of the broker's topics."""


def evolve(state: State, event: Event) -> State:
    """The group after one more fact, of whichever protocol. Facts that change no coordinator state pass by."""
    if isinstance(state, ClassicGroup):
        if isinstance(event, facts.ConsumerGroupCreated):
            return _new(state)
        if isinstance(event, facts.GroupUpgraded):
            return upgraded(state, event)
        return classic.evolve(state, event)
    apply = _APPLY.get(type(event))
    return state if apply is None else apply(state, event)


def _new(state: ClassicGroup) -> ConsumerGroup:
    """Its group epoch and its assignment epoch are the first of this broker version."""
    first = behaviour(state.configs.coordinator.broker_version).first_group_epoch
    return ConsumerGroup(
        id=state.id,
        configs=state.configs,
        elect=state.elect,
        assign=state.assign,
        epoch=first,
        target_epoch=first,
    )


def survives(event: Event) -> bool:
    """Whether Kafka writes a record of it: of a group that did not exist before, only its members' records tell."""
    if isinstance(event, facts.ConsumerGroupCreated):
        return event.replaces_classic
    return classic.survives(event)


def holding(held: Held) -> Holding:
    """What a fact tells, as the state has it."""
    return {TopicPartition(topic, number): epoch for topic, number, epoch in held}


def held(holding: Holding) -> Held:
    """What the state has, as a fact tells it."""
    return tuple((topic, number, epoch) for (topic, number), epoch in sorted(holding.items()))


def _with(group: ConsumerGroup, member: Member) -> ConsumerGroup:
    """The group with this member in place of the one with its id; who holds what, and who is static, follows."""
    before = group.members.get(member.id)
    members = {**group.members, member.id: member}
    most = max(group.most_members, len(members))
    if member.instance_id != (before.instance_id if before is not None else None):
        group = replace(group, statics=_statics(group, before, member))
    former = before.expression if before is not None else ""
    if former != member.expression:
        group = replace(group, expressions=_counted(group.expressions, dropped=former, added=member.expression))
    voted = before.vote if before is not None else ""
    if voted != member.vote:
        group = replace(group, votes=_counted(group.votes, dropped=voted, added=member.vote))
    if before is not None and before.assigned is member.assigned and before.pending is member.pending:
        return replace(group, members=members, most_members=most)
    released = (*before.assigned, *before.pending) if before is not None else ()
    owners = group.owners.after(released, (*member.assigned, *member.pending))
    return replace(group, members=members, most_members=most, owners=owners)


def _statics(group: ConsumerGroup, before: Member | None, member: Member) -> dict[str, MemberId]:
    """An instance id that a member no longer has is free (Kafka: ConsumerGroup.updateMember, 4.4)."""
    former = before.instance_id if before is not None else None
    kept = {i: m for i, m in group.statics.items() if i != former or m != member.id}
    return kept if member.instance_id is None else {**kept, member.instance_id: member.id}


def _counted(had: Mapping[str, int], *, dropped: str = "", added: str = "") -> dict[str, int]:
    """How many members have each expression, or vote for each assignor, after one member changed; empty for none."""
    counts = dict(had)
    if added:
        counts[added] = counts.get(added, 0) + 1
    if dropped:
        counts[dropped] -= 1
    return {text: count for text, count in counts.items() if count}


def _without(group: ConsumerGroup, member: MemberId) -> ConsumerGroup:
    gone = group.members[member]
    statics = group.statics
    if gone.instance_id is not None and statics.get(gone.instance_id) == member:
        statics = {i: m for i, m in statics.items() if m != member}
    return replace(
        group,
        members={m: kept for m, kept in group.members.items() if m != member},
        targets={m: target for m, target in group.targets.items() if m != member},
        statics=statics,
        expressions=_counted(group.expressions, dropped=gone.expression),
        votes=_counted(group.votes, dropped=gone.vote),
        owners=group.owners.after((*gone.assigned, *gone.pending), ()),
    )


def _updated(group: ConsumerGroup, e: facts.ConsumerMemberUpdated) -> ConsumerGroup:
    member = replace(
        group.members.get(e.member) or Member(id=e.member),
        instance_id=e.instance_id,
        rack=e.rack,
        client_id=e.client_id,
        client_host=e.client_host,
        topics=e.topics,
        expression=e.expression,
        assignor=e.assignor,
        rebalance_timeout_ms=e.rebalance_timeout_ms,
        classic=e.classic,
    )
    return _with(group, member)


def _removed(group: ConsumerGroup, e: facts.ConsumerMemberRemoved) -> ConsumerGroup:
    return _without(group, e.member)


def _replaced(group: ConsumerGroup, e: facts.StaticMemberReplaced) -> ConsumerGroup:
    member = replace(group.members[e.old], id=e.member, instance_id=e.instance_id, epoch=0, previous_epoch=0)
    target = group.targets.get(e.old, ())
    after = _with(_without(group, e.old), member)
    return replace(after, targets={**after.targets, e.member: target})


def _away(group: ConsumerGroup, e: facts.StaticMemberAway) -> ConsumerGroup:
    member = group.members[e.member]
    return _with(group, replace(member, epoch=AWAY_EPOCH, assigned=dict.fromkeys(member.assigned, 0), pending={}))


def _resolved(group: ConsumerGroup, e: facts.ExpressionResolved) -> ConsumerGroup:
    resolved = Resolved(topics=e.topics, version=e.version, at_ms=e.at_ms)
    return replace(group, resolved={**group.resolved, e.expression: resolved})


def _resolution_started(group: ConsumerGroup, e: facts.ResolutionStarted) -> ConsumerGroup:
    return replace(group, resolving=True)


def _resolution_ended(group: ConsumerGroup, e: facts.ResolutionEnded) -> ConsumerGroup:
    return replace(group, resolving=False)


def _dropped(group: ConsumerGroup, e: facts.ExpressionDropped) -> ConsumerGroup:
    return replace(group, resolved={x: kept for x, kept in group.resolved.items() if x != e.expression})


def _bumped(group: ConsumerGroup, e: facts.GroupEpochBumped) -> ConsumerGroup:
    return replace(group, epoch=e.epoch, metadata_hash=e.metadata_hash)


def _checked(group: ConsumerGroup, e: facts.MetadataChecked) -> ConsumerGroup:
    return replace(group, topics_version=e.version)


def _target(group: ConsumerGroup, e: facts.TargetComputed) -> ConsumerGroup:
    return replace(group, targets={**group.targets, **e.changed}, target_epoch=e.epoch, target_at_ms=e.at_ms)


def _emptied(group: ConsumerGroup, e: GroupEmptied) -> ConsumerGroup:
    """Before Kafka 4.4 the last target stands, as nobody's."""
    if not group.behaviour.emptied_group_is_assigned:
        return group
    return replace(group, target_epoch=e.generation, target_at_ms=None)


def _reconciled(group: ConsumerGroup, e: facts.MemberReconciled) -> ConsumerGroup:
    member = replace(
        group.members[e.member],
        epoch=e.epoch,
        previous_epoch=e.previous_epoch,
        state=e.state,
        assigned=holding(e.assigned),
        pending=holding(e.pending),
    )
    return _with(group, member)


def _gone(group: ConsumerGroup, e: facts.EmptyGroupDropped | GroupDeleted) -> ClassicGroup:
    return absent(group)


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
    return replace(group, loaded=True, topics_version=None, resolved=resolved, resolving=False, forgotten=False)


_APPLY: dict[type[Event], Callable[[ConsumerGroup, Any], State]] = {
    facts.ConsumerMemberUpdated: _updated,
    facts.ConsumerMemberRemoved: _removed,
    facts.StaticMemberReplaced: _replaced,
    facts.StaticMemberAway: _away,
    facts.ResolutionStarted: _resolution_started,
    facts.ResolutionEnded: _resolution_ended,
    facts.ExpressionResolved: _resolved,
    facts.ExpressionDropped: _dropped,
    facts.GroupEpochBumped: _bumped,
    facts.MetadataChecked: _checked,
    facts.TargetComputed: _target,
    GroupEmptied: _emptied,
    facts.MemberReconciled: _reconciled,
    GroupDeleted: _gone,
    facts.GroupDowngraded: downgraded,
    facts.EmptyGroupDropped: _gone,
    facts.EmptyGroupForgotten: _forgotten,
    facts.ConsumerGroupCreated: _taken_over,
    GroupCreated: _taken_over,
    CoordinatorUnloaded: _unloaded,
    CoordinatorLoaded: _loaded,
}
