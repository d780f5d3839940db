"""Facts applied to a group that is or becomes a streams group; nothing is decided here."""

from __future__ import annotations

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
    removed,
    targeted,
)
from groupsim.coordinator.streams.state import Configured, Member, StreamsGroup
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
        return created(state, StreamsGroup) if created_now else classic.evolve(state, event)
    apply = _APPLY.get(type(event)) if isinstance(state, StreamsGroup) else None
    return state if apply is None else apply(state, event)


class StreamsDecision(ModernDecision[StreamsGroup]):
    """A decision about one group that is, or becomes, a streams group."""

    kind = StreamsGroup

    def __init__(self, state: Any) -> None:
        super().__init__(state, evolve)


def _topology(group: StreamsGroup, e: facts.TopologyStored) -> StreamsGroup:
    return replace(group, topology=e.topology)


def _updated(group: StreamsGroup, e: facts.StreamsMemberUpdated) -> StreamsGroup:
    member = replace(
        group.members.get(e.member) or Member(id=e.member),
        instance_id=e.instance_id,
        rack=e.rack,
        client_id=e.client_id,
        client_host=e.client_host,
        rebalance_timeout_ms=e.rebalance_timeout_ms,
        topology_epoch=e.topology_epoch,
        process=e.process,
        endpoint=e.endpoint,
        tags=e.tags,
    )
    return group.placed(member)


def updated(member: Member) -> facts.StreamsMemberUpdated:
    """The fact that a member is now as its request says."""
    return facts.StreamsMemberUpdated(
        member=member.id,
        instance_id=member.instance_id,
        rack=member.rack,
        client_id=member.client_id,
        client_host=member.client_host,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        topology_epoch=member.topology_epoch,
        process=member.process,
        endpoint=member.endpoint,
        tags=member.tags,
    )


def _bumped(group: StreamsGroup, e: facts.StreamsGroupEpochBumped) -> StreamsGroup:
    return replace(bumped(group, e), validated_epoch=e.validated_epoch, assignment_configs=e.assignment_configs)


def _reconciled(group: StreamsGroup, e: facts.StreamsMemberReconciled) -> StreamsGroup:
    active = holding(e.active)
    member = replace(
        group.members[e.member],
        epoch=e.epoch,
        previous_epoch=e.previous_epoch,
        state=e.state,
        active=active,
        standby=e.standby,
        tasks=Tasks(tuple(active), e.standby),
        pending_active=holding(e.pending_active),
        pending_standby=e.pending_standby,
    )
    return group.placed(member)


def reconciled(member: Member) -> facts.StreamsMemberReconciled:
    """The fact that a member has come this far."""
    return facts.StreamsMemberReconciled(
        member=member.id,
        epoch=member.epoch,
        previous_epoch=member.previous_epoch,
        state=member.state,
        active=held(member.active),
        standby=member.standby,
        pending_active=held(member.pending_active),
        pending_standby=member.pending_standby,
    )


def _configured(group: StreamsGroup, e: facts.TopologyConfigured) -> StreamsGroup:
    return replace(group, configured=Configured(e.topology_epoch, e.tasks, e.problem, e.missing))


def _offsets(group: StreamsGroup, e: facts.TaskOffsetsReported) -> StreamsGroup:
    said = {"offsets": e.offsets, "end_offsets": e.end_offsets}
    named = {field: holding(listed) for field, listed in said.items() if listed is not None}
    return replace(group, **{field: {**getattr(group, field), e.member: now} for field, now in named.items()})


def _copied(group: StreamsGroup, e: facts.TargetsCopied) -> StreamsGroup:
    return replace(group, copied=group.targets if e.targets is None else e.targets, copied_epoch=e.epoch)


def _copy_moved(group: StreamsGroup, e: facts.CopiedTargetMoved) -> StreamsGroup:
    kept: dict[MemberId, Tasks] = {m: target for m, target in group.copied.items() if m != e.source}
    return replace(group, copied={**kept, e.member: group.copied[e.source]})


def _endpoints(group: StreamsGroup, e: facts.EndpointsChanged) -> StreamsGroup:
    return replace(group, endpoint_epoch=e.epoch)


def _shutdown(group: StreamsGroup, e: facts.ShutdownAsked) -> StreamsGroup:
    return replace(group, shutdown=e.member)


def _delay_started(group: StreamsGroup, e: facts.InitialDelayStarted) -> StreamsGroup:
    return replace(group, delaying=True)


def _delay_ended(group: StreamsGroup, e: facts.InitialDelayEnded) -> StreamsGroup:
    return replace(group, delaying=False)


def _refused(group: StreamsGroup, e: facts.InternalTopicsRefused) -> StreamsGroup:
    return replace(group, refused=e.reasons, refused_until_ms=e.until_ms)


def _lost(group: StreamsGroup, e: facts.UndurableLost) -> StreamsGroup:
    """The timer of the initial delay is kept elsewhere."""
    return replace(group, topics_version=None, **_FORGOTTEN)


def _loaded(group: StreamsGroup, e: CoordinatorLoaded) -> StreamsGroup:
    return replace(loaded(group, e), delaying=False, **_FORGOTTEN)


NOT_DURABLE = (
    "configured",
    "offsets",
    "end_offsets",
    "copied",
    "copied_epoch",
    "endpoint_epoch",
    "shutdown",
    "refused",
    "refused_until_ms",
)
"""What a new coordinator does not know."""
_FORGOTTEN = {field: getattr(StreamsGroup(id=""), field) for field in NOT_DURABLE}
_APPLY: Apply = {
    **APPLY,
    facts.TopologyStored: _topology,
    facts.StreamsMemberUpdated: _updated,
    facts.StreamsMemberRemoved: removed,
    facts.StreamsGroupEpochBumped: _bumped,
    facts.StreamsTargetComputed: targeted,
    facts.StreamsMemberReconciled: _reconciled,
    facts.TopologyConfigured: _configured,
    facts.TaskOffsetsReported: _offsets,
    facts.TargetsCopied: _copied,
    facts.CopiedTargetMoved: _copy_moved,
    facts.EndpointsChanged: _endpoints,
    facts.ShutdownAsked: _shutdown,
    facts.InitialDelayStarted: _delay_started,
    facts.InitialDelayEnded: _delay_ended,
    facts.InternalTopicsRefused: _refused,
    facts.UndurableLost: _lost,
    EmptyGroupDropped: gone,
    CoordinatorLoaded: _loaded,
}
