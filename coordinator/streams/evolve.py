"""Facts applied to a group that is or becomes a streams group; nothing is decided here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from groupsim.coordinator import classic
from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.modern.decision import ModernDecision
from groupsim.coordinator.modern.evolve import (
    APPLY,
    Apply,
    bumped,
    created,
    gone,
    held,
    holding,
    loaded,
    member_as,
    removed,
    same,
    targeted,
)
from groupsim.coordinator.streams.state import Member, StreamsGroup
from groupsim.events import streams as facts
from groupsim.events.base import Event
from groupsim.events.consumer import EmptyGroupDropped
from groupsim.events.group import CoordinatorLoaded
from groupsim.events.streams import Tasks
from groupsim.events.types import MemberId

State = ClassicGroup | StreamsGroup


def evolve(state: Any, event: Event) -> Any:
    """The group after one more fact, of whichever protocol. Facts that change no streams group pass by."""
    if isinstance(state, ClassicGroup):
        created_now = isinstance(event, facts.StreamsGroupCreated)
        return created(state, StreamsGroup, first=1) if created_now else classic.evolve(state, event)
    apply = _APPLY.get(type(event)) if isinstance(state, StreamsGroup) else None
    return state if apply is None else apply(state, event)


class StreamsDecision(ModernDecision[StreamsGroup]):
    """A decision about one group that is, or becomes, a streams group."""

    kind = StreamsGroup

    def __init__(self, state: Any) -> None:
        super().__init__(state, evolve)


ACTIVE = ("active", "pending_active")
"""What a member runs or has to give up, in the state with assignment epochs."""


def updated(member: Member) -> facts.StreamsMemberUpdated:
    """The fact that a member is now as its request says."""
    return facts.StreamsMemberUpdated(member=member.id, **same(member, facts.StreamsMemberUpdated))


def _bumped(group: StreamsGroup, e: facts.StreamsGroupEpochBumped) -> StreamsGroup:
    return replace(bumped(group, e), validated_epoch=e.validated_epoch, assignment_configs=e.assignment_configs)


def _reconciled(group: StreamsGroup, e: facts.StreamsMemberReconciled) -> StreamsGroup:
    active, target = holding(e.active), group.targets.get(e.member)
    tasks = Tasks(tuple(active), e.standby)
    running = {
        "active": active,
        "tasks": target if tasks == target else tasks,  # the same object: nearly all heartbeats compare the two
        "pending_active": holding(e.pending_active),
    }
    return group.placed(replace(group.members[e.member], **same(e, facts.StreamsMemberReconciled, *ACTIVE), **running))


def reconciled(member: Member) -> facts.StreamsMemberReconciled:
    """The fact that a member has come this far."""
    active: dict[str, Any] = {field: held(getattr(member, field)) for field in ACTIVE}
    return facts.StreamsMemberReconciled(
        member=member.id, **same(member, facts.StreamsMemberReconciled, *ACTIVE), **active
    )


def _offsets(group: StreamsGroup, e: facts.TaskOffsetsReported) -> StreamsGroup:
    said = {"offsets": e.offsets, "end_offsets": e.end_offsets}
    named = {field: holding(listed) for field, listed in said.items() if listed is not None}
    return replace(group, **{field: {**getattr(group, field), e.member: now} for field, now in named.items()})


def _copied(group: StreamsGroup, e: facts.TargetsCopied) -> StreamsGroup:
    return replace(group, copied=group.targets if e.targets is None else e.targets, copied_epoch=e.epoch)


def _copy_moved(group: StreamsGroup, e: facts.CopiedTargetMoved) -> StreamsGroup:
    kept: dict[MemberId, Tasks] = {m: target for m, target in group.copied.items() if m != e.source}
    return replace(group, copied={**kept, e.member: group.copied[e.source]})


def _known(**fields: str) -> Callable[[StreamsGroup, Any], StreamsGroup]:
    """For facts that the group knows as they are: the field of the group, and that of the fact (empty: the fact)."""
    return lambda group, e: replace(
        group, **{field: getattr(e, source) if source else e for field, source in fields.items()}
    )


def _lost(group: StreamsGroup, e: facts.UndurableLost) -> StreamsGroup:
    """The timer of the initial delay is kept elsewhere."""
    return replace(group, topics_version=None, **_FORGOTTEN)


def _loaded(group: StreamsGroup, e: CoordinatorLoaded) -> StreamsGroup:
    return replace(loaded(group, e), delaying=False, **_FORGOTTEN)


NOT_DURABLE = (
    *("offsets", "end_offsets", "endpoint_epoch", "shutdown"),
    *("configured", "refused", "copied", "copied_epoch"),
)
"""What a new coordinator does not know."""
_FORGOTTEN = {field: getattr(StreamsGroup(id=""), field) for field in NOT_DURABLE}
_APPLY: Apply = {
    **APPLY,
    facts.TopologyStored: _known(topology="topology"),
    facts.StreamsMemberUpdated: member_as(facts.StreamsMemberUpdated, Member),
    facts.StreamsMemberRemoved: removed,
    facts.StreamsGroupEpochBumped: _bumped,
    facts.StreamsTargetComputed: targeted,
    facts.StreamsMemberReconciled: _reconciled,
    facts.TopologyConfigured: _known(configured=""),
    facts.TaskOffsetsReported: _offsets,
    facts.TargetsCopied: _copied,
    facts.CopiedTargetMoved: _copy_moved,
    facts.EndpointsChanged: _known(endpoint_epoch="epoch"),
    facts.ShutdownAsked: _known(shutdown="member"),
    facts.InitialDelayStarted: lambda group, e: replace(group, delaying=True),
    facts.InitialDelayEnded: lambda group, e: replace(group, delaying=False),
    facts.InternalTopicsRefused: _known(refused=""),
    facts.UndurableLost: _lost,
    EmptyGroupDropped: gone,
    CoordinatorLoaded: _loaded,
}
