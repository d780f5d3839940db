"""What a new coordinator has to know of a group, computed from the durable facts alone and from nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from groupsim.coordinator.classic import ClassicGroup, survives
from groupsim.events import classic as facts
from groupsim.events.base import Event
from groupsim.events.group import GroupEmptied
from groupsim.events.types import MemberId, Partitions


@dataclass(frozen=True)
class KnownMember:
    """A member as a record of Kafka keeps it."""

    instance_id: str | None
    session_timeout_ms: int
    rebalance_timeout_ms: int
    assignment: Partitions


@dataclass
class Known:
    """A group as its records keep it."""

    generation: int = 0
    leader: MemberId | None = None
    protocol: str | None = None
    members: dict[MemberId, KnownMember] = field(default_factory=dict)

    def apply(self, event: Event) -> None:
        """Take in one more durable fact."""
        match event:
            case facts.AssignmentStored():
                self.generation, self.leader, self.protocol = event.generation, event.leader, event.protocol
                given = event.assignment or {}
                self.members = {
                    m.member: KnownMember(
                        m.instance_id, m.session_timeout_ms, m.rebalance_timeout_ms, given.get(m.member, ())
                    )
                    for m in event.members
                }
            case facts.MemberReplaced(old=old, member=str(member)):
                before = self.members.pop(old)
                session = event.session_timeout_ms or before.session_timeout_ms
                rebalance = event.rebalance_timeout_ms or before.rebalance_timeout_ms
                self.members[member] = KnownMember(event.instance_id, session, rebalance, before.assignment)
                self.leader = member if self.leader == old else self.leader
            case GroupEmptied():
                self.generation, self.leader, self.protocol, self.members = event.generation, None, None, {}
            case _:
                pass


def known(log: Sequence[Event]) -> Known:
    """What the durable facts of a log say."""
    found = Known()
    for event in log:
        if survives(event):
            found.apply(event)
    return found


def loaded(group: ClassicGroup) -> Known:
    """The same of a group that a coordinator has just loaded."""
    members = {
        m.id: KnownMember(m.instance_id, m.session_timeout_ms, m.rebalance_timeout_ms, m.assignment)
        for m in group.members.values()
    }
    return Known(group.generation, group.leader, group.protocol, members)


def remnants(group: ClassicGroup) -> list[str]:
    """What a loaded group must not have: parked requests, pending ids, flags of a rebalance that was lost."""
    members = group.members.values()
    found = {
        "a parked JoinGroup": any(m.join_request is not None for m in members),
        "a parked SyncGroup": any(m.sync_request is not None for m in members),
        "a new member": any(m.is_new for m in members),
        "a pending id": bool(group.pending),
        "a member that has to sync": bool(group.pending_sync),
        "a delay that a new member extends": group.new_member_added,
    }
    return [name for name, there in found.items() if there]
