"""Facts applied to a classic group; nothing is decided here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from groupsim.coordinator.classic.state import ClassicGroup, Member, Phase, move, subscribed_topics
from groupsim.coordinator.config import CoordinatorKind
from groupsim.events import classic as facts
from groupsim.events.base import Event
from groupsim.events.group import (
    CommitAccepted,
    CoordinatorLoaded,
    CoordinatorUnloaded,
    GroupCreated,
    GroupDeleted,
    GroupEmptied,
)
from groupsim.events.types import Protocol


def evolve(group: ClassicGroup, event: Event) -> ClassicGroup:
    """The group after one more fact. Facts that change no coordinator state pass by."""
    apply = _APPLY.get(type(event))
    if apply is None:
        return group
    after = apply(group, event)
    return remember(after) if survives(event) and not isinstance(event, _NOT_THE_GROUPS) else after


_NOT_THE_GROUPS = (CommitAccepted, GroupDeleted)
"""Durable facts that write no record of the group as it is now."""


def survives(event: Event) -> bool:
    """Whether Kafka writes a record of it: a static replacement is only written where the answer was immediate."""
    return event.durable and not (isinstance(event, facts.MemberReplaced) and event.request is not None)


def remember(group: ClassicGroup) -> ClassicGroup:
    """Keep what a new coordinator would find; it knows one protocol per member, the selected one.

    Nothing is parked and no member is new where a durable fact is decided.
    """
    members = {
        m: replace(member, protocols=(Protocol(group.protocol or "", member.metadata(group.protocol)),))
        for m, member in group.members.items()
    }
    stored = replace(
        group,
        members=members,
        offers={group.protocol or "": len(members)} if members else {},
        pending=frozenset(),
        pending_sync=frozenset(),
        stored=None,
        new_member_added=False,
    )
    return replace(group, stored=stored)


def _fresh(group: ClassicGroup, *, exists: bool = False) -> ClassicGroup:
    """The group without members and history."""
    return ClassicGroup(id=group.id, configs=group.configs, elect=group.elect, assign=group.assign, exists=exists)


def _offers(group: ClassicGroup, dropped: tuple[Protocol, ...], listed: tuple[Protocol, ...]) -> Mapping[str, int]:
    """How many members list each protocol, after one member's list has changed (Kafka: supportedProtocols)."""
    before, after = {p.name for p in dropped}, {p.name for p in listed}
    if before == after:
        return group.offers
    counts = dict(group.offers)
    for name in sorted(before ^ after):
        counts[name] = counts.get(name, 0) + (1 if name in after else -1)
    return {name: count for name, count in counts.items() if count}


def _created(group: ClassicGroup, e: GroupCreated) -> ClassicGroup:
    """The Java coordinator writes an empty group's record at once, and no answer waits for it (seen: Kafka 4.4)."""
    java = group.config.coordinator is CoordinatorKind.JAVA
    return replace(group, exists=True, stored=_fresh(group, exists=True) if java else None)


def _issued(group: ClassicGroup, e: facts.MemberIdIssued) -> ClassicGroup:
    return replace(group, pending=group.pending | {e.member})


def _pending_removed(group: ClassicGroup, e: facts.PendingMemberRemoved) -> ClassicGroup:
    return replace(group, pending=group.pending - {e.member})


def _added(group: ClassicGroup, e: facts.MemberAdded) -> ClassicGroup:
    member = Member(
        id=e.member,
        instance_id=e.instance_id,
        client_id=e.client_id or "",
        client_host=e.client_host or "",
        session_timeout_ms=e.session_timeout_ms or 0,
        rebalance_timeout_ms=e.rebalance_timeout_ms or 0,
        protocols=e.protocols,
        is_new=True,
        join_request=e.request,
    )
    statics = {**group.statics, e.instance_id: e.member} if e.instance_id else group.statics
    initial = group.phase is Phase.PREPARING_REBALANCE and group.initial
    extends = initial and (group.config.coordinator is CoordinatorKind.JAVA or group.generation == 0)
    return replace(
        group,
        members={**group.members, e.member: member},
        offers=_offers(group, (), e.protocols),
        statics=statics,
        pending=group.pending - {e.member},
        protocol_type=group.protocol_type if group.members else e.protocol_type,
        leader=group.leader or e.member,
        new_member_added=group.new_member_added or extends,
    )


def _updated(group: ClassicGroup, e: facts.MemberUpdated) -> ClassicGroup:
    before = group.members[e.member]
    member = replace(
        before,
        session_timeout_ms=e.session_timeout_ms,
        rebalance_timeout_ms=e.rebalance_timeout_ms,
        protocols=e.protocols,
        join_request=e.request,
    )
    offers = _offers(group, before.protocols, e.protocols)
    return replace(group, members={**group.members, e.member: member}, offers=offers)


def _replaced(group: ClassicGroup, e: facts.MemberReplaced) -> ClassicGroup:
    """The new id takes the old one's place, assignment, leadership, client id and host.

    Kafka: ClassicGroup.replaceStaticMember.

    Whoever had not synced is still waited for under the old id, as Kafka does: the sync timer ends that.
    """
    assert e.member is not None
    old = group.members[e.old]
    member = replace(
        old,
        id=e.member,
        session_timeout_ms=e.session_timeout_ms or old.session_timeout_ms,
        rebalance_timeout_ms=e.rebalance_timeout_ms or old.rebalance_timeout_ms,
        protocols=e.protocols,
        is_new=False,
        join_request=e.request,
        sync_request=None,
    )
    return replace(
        group,
        members={**{m: kept for m, kept in group.members.items() if m != e.old}, e.member: member},
        offers=_offers(group, old.protocols, e.protocols),
        statics={**group.statics, e.instance_id: e.member},
        leader=e.member if group.leader == e.old else group.leader,
    )


def _removed(group: ClassicGroup, e: facts.MemberRemoved) -> ClassicGroup:
    member = group.members[e.member]
    statics = {i: m for i, m in group.statics.items() if m != e.member} if member.instance_id else group.statics
    return replace(
        group,
        members={m: kept for m, kept in group.members.items() if m != e.member},
        offers=_offers(group, member.protocols, ()),
        statics=statics,
        pending_sync=group.pending_sync - {e.member},
        leader=None if group.leader == e.member else group.leader,
    )


def _elected(group: ClassicGroup, e: facts.LeaderElected) -> ClassicGroup:
    return replace(group, leader=e.member)


def _rebalance_started(group: ClassicGroup, e: facts.RebalanceStarted) -> ClassicGroup:
    """Assignments of a rebalance that never became Stable are dropped; those of a Stable group stay visible."""
    members = group.members
    if group.phase is Phase.COMPLETING_REBALANCE:
        members = {
            m: replace(member, assignment=(), assigned=False, user_data=None, sync_request=None)
            for m, member in members.items()
        }
    return replace(
        group,
        members=members,
        phase=move(group.phase, Phase.PREPARING_REBALANCE),
        previous=group.phase,
        pending_sync=frozenset(),
    )


def _delay_extended(group: ClassicGroup, e: facts.JoinDelayExtended) -> ClassicGroup:
    return replace(group, new_member_added=False)


def _join_completed(group: ClassicGroup, e: facts.JoinPhaseCompleted) -> ClassicGroup:
    members = {m: replace(member, join_request=None, is_new=False) for m, member in group.members.items()}
    return replace(
        group,
        members=members,
        phase=move(group.phase, Phase.COMPLETING_REBALANCE),
        previous=group.phase,
        generation=e.generation,
        protocol=e.protocol,
        subscribed=subscribed_topics(members.values(), e.protocol),
        pending_sync=frozenset(members),
    )


def _emptied(group: ClassicGroup, e: GroupEmptied) -> ClassicGroup:
    return replace(
        group,
        phase=move(group.phase, Phase.EMPTY),
        previous=group.phase,
        generation=e.generation,
        protocol=None,
        leader=None,
        subscribed=frozenset(),
        pending_sync=frozenset(),
    )


def _sync_parked(group: ClassicGroup, e: facts.SyncParked) -> ClassicGroup:
    member = replace(group.members[e.member], sync_request=e.request)
    return replace(group, members={**group.members, e.member: member}, pending_sync=group.pending_sync - {e.member})


def _parked_refused(group: ClassicGroup, e: facts.ParkedRequestsRefused) -> ClassicGroup:
    members = {m: replace(member, join_request=None, sync_request=None) for m, member in group.members.items()}
    return replace(group, members=members)


def _synced(group: ClassicGroup, e: facts.MemberSynced) -> ClassicGroup:
    return replace(group, pending_sync=group.pending_sync - {e.member})


def _stored(group: ClassicGroup, e: facts.AssignmentStored) -> ClassicGroup:
    plan = e.assignment or {}
    members = {
        m: replace(member, assignment=plan.get(m, ()), assigned=True, user_data=e.user_data.get(m), sync_request=None)
        for m, member in group.members.items()
    }
    return replace(group, members=members, phase=move(group.phase, Phase.STABLE), previous=group.phase)


def _unloaded(group: ClassicGroup, e: CoordinatorUnloaded) -> ClassicGroup:
    """All parked requests have been answered: an unloaded group has none."""
    members = {m: replace(member, join_request=None, sync_request=None) for m, member in group.members.items()}
    return replace(group, members=members, phase=Phase.DEAD, previous=group.phase)


def _loaded(group: ClassicGroup, e: CoordinatorLoaded) -> ClassicGroup:
    """What durable facts lead to: Stable if there are members, else Empty; without any, the group does not exist."""
    if group.stored is None:
        return _fresh(group)
    phase = Phase.STABLE if group.stored.members else Phase.EMPTY
    topics = subscribed_topics(group.stored.members.values(), group.stored.protocol)
    kept = replace(group.stored, phase=phase, previous=Phase.EMPTY, subscribed=topics)
    return replace(kept, stored=kept)


def _committed(group: ClassicGroup, e: CommitAccepted) -> ClassicGroup:
    """The broker keeps the offsets; a group that has nothing but offsets comes back empty."""
    if group.stored is not None:
        return group
    return replace(group, stored=_fresh(group, exists=True))


def _deleted(group: ClassicGroup, e: GroupDeleted) -> ClassicGroup:
    return _fresh(group)


_APPLY: dict[type[Event], Callable[[ClassicGroup, Any], ClassicGroup]] = {
    GroupCreated: _created,
    facts.MemberIdIssued: _issued,
    facts.PendingMemberRemoved: _pending_removed,
    facts.MemberAdded: _added,
    facts.MemberUpdated: _updated,
    facts.MemberReplaced: _replaced,
    facts.MemberRemoved: _removed,
    facts.LeaderElected: _elected,
    facts.RebalanceStarted: _rebalance_started,
    facts.JoinDelayExtended: _delay_extended,
    facts.JoinPhaseCompleted: _join_completed,
    GroupEmptied: _emptied,
    facts.SyncParked: _sync_parked,
    facts.ParkedRequestsRefused: _parked_refused,
    facts.MemberSynced: _synced,
    facts.AssignmentStored: _stored,
    CommitAccepted: _committed,
    GroupDeleted: _deleted,
    CoordinatorUnloaded: _unloaded,
    CoordinatorLoaded: _loaded,
}
