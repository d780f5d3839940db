"""Facts applied to a share group, or to a group that does not exist and becomes one; decisions that collect them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from msgspec.structs import replace

from groupsim.coordinator import classic
from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.modern import evolve as modern
from groupsim.coordinator.modern.conversion import check_here, replaces_classic
from groupsim.coordinator.modern.decision import ModernDecision
from groupsim.coordinator.share.state import Initializing, Member, ShareGroup
from groupsim.events import share as facts
from groupsim.events.base import Event

State = ClassicGroup | ShareGroup
Kept = TypeVar("Kept")


def evolve(state: State, event: Event) -> State:
    """The group after one more fact. Facts that change no coordinator state pass by."""
    if isinstance(state, ClassicGroup):
        created = isinstance(event, facts.ShareGroupCreated)
        return modern.created(state, ShareGroup) if created else classic.evolve(state, event)
    apply = _APPLY.get(type(event))
    after: State = state if apply is None else apply(state, event)
    return after


def survives(event: Event) -> bool:
    """Whether Kafka writes a record of it."""
    return classic.survives(event)


def _removed(group: ShareGroup, e: facts.ShareMemberRemoved) -> ShareGroup:
    return replace(group.without(e.member), bare=_without(group.bare, (e.member,)))


def _assigned(group: ShareGroup, e: facts.ShareMemberAssigned) -> ShareGroup:
    return group.placed(replace(group.members[e.member], **modern.same(e, facts.ShareMemberAssigned)))


def _initializing(group: ShareGroup, e: facts.ShareStateInitializing) -> ShareGroup:
    """What is asked for anew is not deleted any more."""
    initializing = dict(group.initializing)
    for topic in e.topics:
        offsets = dict(initializing[topic].offsets) if topic in initializing else {}
        offsets.update((number, start) for of, number, start in e.offsets if of == topic)
        initializing[topic] = Initializing(offsets, e.at_ms)
    deleting = tuple(topic for topic in group.deleting if topic not in e.topics)
    return replace(group, initializing=initializing, deleting=deleting, has_state=True)


def _initialized(group: ShareGroup, e: facts.ShareStateInitialized) -> ShareGroup:
    """A next heartbeat has to look whether there is something to assign."""
    initializing, initialized = dict(group.initializing), dict(group.initialized)
    for topic, number in e.partitions:
        asked = initializing[topic]
        initialized[topic] = {**initialized.get(topic, {}), number: asked.offsets[number]}
        left = {other: start for other, start in asked.offsets.items() if other != number}
        initializing[topic] = Initializing(left, asked.since_ms)
    done = {p.topic for p in e.partitions if not initializing[p.topic].offsets}
    return replace(group, initializing=_without(initializing, done), initialized=initialized, topics_version=None)


def _targeted(group: ShareGroup, e: facts.ShareTargetComputed) -> ShareGroup:
    """A next heartbeat has to look whether the assignor has given everything."""
    kept = {m: topics for m, topics in group.bare.items() if m not in e.changed}
    return replace(modern.targeted(group, e), bare={**kept, **e.bare}, topics_version=None)


def _deleting(group: ShareGroup, e: facts.ShareStateDeleting) -> ShareGroup:
    return replace(
        group,
        initializing={} if e.group else group.initializing,
        initialized=_without(group.initialized, e.topics),
        deleting=tuple(sorted({*group.deleting, *e.topics})),
    )


def _deleted(group: ShareGroup, e: facts.ShareStateDeleted) -> ShareGroup:
    return replace(group, deleting=tuple(topic for topic in group.deleting if topic not in e.topics))


def _topics_deleted(group: ShareGroup, e: facts.ShareTopicsDeleted) -> ShareGroup:
    return replace(
        group,
        initializing=_without(group.initializing, e.topics),
        initialized=_without(group.initialized, e.topics),
        deleting=tuple(topic for topic in group.deleting if topic not in e.topics),
    )


def _without(mapping: Mapping[str, Kept], gone: Any) -> dict[str, Kept]:
    return {key: kept for key, kept in mapping.items() if key not in gone}


_APPLY: modern.Apply = {
    **modern.APPLY,
    facts.ShareMemberUpdated: modern.member_as(facts.ShareMemberUpdated, Member),
    facts.ShareMemberRemoved: _removed,
    facts.ShareTargetComputed: _targeted,
    facts.ShareMemberAssigned: _assigned,
    facts.ShareStateInitializing: _initializing,
    facts.ShareStateInitialized: _initialized,
    facts.ShareStateDeleting: _deleting,
    facts.ShareStateDeleted: _deleted,
    facts.ShareTopicsDeleted: _topics_deleted,
}


class ShareDecision(ModernDecision[ShareGroup]):
    """A decision about one group that is, or becomes, a share group."""

    kind = ShareGroup

    def __init__(self, state: State) -> None:
        super().__init__(state, evolve)

    def open(self, *, creates: bool) -> None:
        """Make sure that there is a share group; `creates`: a new one where there is none.

        Raises RequestRefused: GROUP_ID_NOT_FOUND for another kind of group, also an empty one.
        """
        check_here(self.state)
        if not isinstance(self.state, ShareGroup):
            replaces_classic(self.state, creates=creates, takes_over=False)
            self.record(facts.ShareGroupCreated())
