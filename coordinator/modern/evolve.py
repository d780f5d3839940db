"""Facts that groups with epochs have in common, applied to a group; each protocol adds its own to the table.

A deleted group, and one that made room for another, are classic groups that do not
exist.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from msgspec.structs import replace

from groupsim.coordinator.broker_versions import behaviour
from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.modern.state import Holding, ModernGroup, absent
from groupsim.events import consumer as facts
from groupsim.events.base import Event
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded, GroupDeleted, GroupEmptied
from groupsim.events.types import Held, TopicPartition

Group = TypeVar("Group", bound=ModernGroup[Any, Any])
Apply = Mapping[type[Event], Callable[[Any, Any], Any]]
"""How each fact changes a group."""


def created(state: ClassicGroup, kind: type[Group], first: int | None = None) -> Group:
    """A new group of a protocol. `first` of its epochs; None: that of consumer groups of this broker version."""
    if first is None:
        first = behaviour(state.configs.coordinator.broker_version).first_group_epoch
    return kind(
        id=state.id,
        configs=state.configs,
        elect=state.elect,
        assign=state.assign,
        epoch=first,
        target_epoch=first,
    )


def holding(held: Held) -> Holding:
    """What a fact tells, as the state has it."""
    return {TopicPartition(topic, number): epoch for topic, number, epoch in held}


def held(holding: Holding) -> Held:
    """What the state has, as a fact tells it."""
    return tuple((topic, number, epoch) for (topic, number), epoch in sorted(holding.items()))


def same(source: object, fact: type[Event], *but: str) -> dict[str, Any]:
    """The fields of this fact, but for its `member` and those named, as `source` has them: a member, or the fact."""
    names = (field for field in fact.__struct_fields__ if field != "member" and field not in but)
    return {field: getattr(source, field) for field in names}


def member_as(fact: type[Event], new: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    """How a protocol's own fact that says what a member is now changes the group; `new` makes a member of an id."""
    return lambda group, e: group.placed(replace(group.members.get(e.member) or new(id=e.member), **same(e, fact)))


def removed(group: Group, e: Any) -> Group:
    """For the protocols' own facts that a `member` is gone."""
    return group.without(e.member)


def targeted(group: Group, e: Any) -> Group:
    """For the protocols' own facts that targets `changed`."""
    return replace(group, targets={**group.targets, **e.changed}, target_epoch=e.epoch, target_at_ms=e.at_ms)


def bumped(group: Group, e: Any) -> Group:
    """The group epoch grew."""
    return replace(group, epoch=e.epoch, metadata_hash=e.metadata_hash)


def gone(group: ModernGroup[Any, Any], e: Event) -> ClassicGroup:
    """The group does not exist any more."""
    return absent(group)


def _replaced(group: Group, e: facts.StaticMemberReplaced) -> Group:
    member = replace(group.members[e.old], id=e.member, instance_id=e.instance_id, epoch=0, previous_epoch=0)
    target = group.targets.get(e.old, group.no_target)
    after = group.without(e.old).placed(member)
    return replace(after, targets={**after.targets, e.member: target})


def _away(group: Group, e: facts.StaticMemberAway) -> Group:
    return group.placed(group.members[e.member].away())


def _checked(group: Group, e: facts.MetadataChecked) -> Group:
    return replace(group, topics_version=e.version)


def _emptied(group: Group, e: GroupEmptied) -> Group:
    """Before Kafka 4.4 the last target stands, as nobody's."""
    if not group.behaviour.emptied_group_is_assigned:
        return group
    return replace(group, target_epoch=e.generation, target_at_ms=None)


def _unloaded(group: Group, e: CoordinatorUnloaded) -> Group:
    return replace(group, loaded=False)


def loaded(group: Group, e: CoordinatorLoaded) -> Group:
    """Everything that is common to these groups is durable, but the metadata check."""
    return replace(group, loaded=True, topics_version=None)


APPLY: Apply = {
    facts.StaticMemberReplaced: _replaced,
    facts.StaticMemberAway: _away,
    facts.GroupEpochBumped: bumped,
    facts.MetadataChecked: _checked,
    GroupEmptied: _emptied,
    GroupDeleted: gone,
    CoordinatorUnloaded: _unloaded,
    CoordinatorLoaded: loaded,
}
"""The facts of every such group."""
