"""Who sends a heartbeat: a known member, a new one, or one that takes a static member's place (KIP-345, KIP-848).

Kafka: GroupMetadataManager.getOrMaybeSubscribeStaticConsumerMember, throwIfConsumerGroupMemberEpochIsInvalid.
"""

from __future__ import annotations

from typing import Any, TypeVar

from msgspec.structs import replace

from groupsim.coordinator.decision import RequestRefused
from groupsim.coordinator.identity import sender_error
from groupsim.coordinator.modern.commands import NO_TIMEOUT, ModernHeartbeat
from groupsim.coordinator.modern.decision import ModernDecision
from groupsim.coordinator.modern.state import AnyMember, ModernGroup, ModernMember
from groupsim.coordinator.outcome import Error
from groupsim.events import consumer as facts
from groupsim.events.types import MemberId

Group = TypeVar("Group", bound=ModernGroup[Any, Any])


def present(group: ModernGroup[AnyMember, Any], member: MemberId, instance_id: str | None) -> AnyMember:
    """The member that sends this. Raises RequestRefused if it is none, or if another one has its instance id."""
    error = sender_error(group, member, instance_id)
    if error is Error.NONE:
        return group.members[member]
    holder = None if instance_id is None else group.statics.get(instance_id)
    if error is Error.FENCED_INSTANCE_ID:
        message = f"Static member {member} with instance id {instance_id} was fenced by member {holder}."
    elif instance_id is not None and holder is None:
        message = f"Instance id {instance_id} is unknown."
    else:
        message = f"Member {member} is not a member of group {group.id}."
    raise RequestRefused(error, message)


def joining(decision: ModernDecision[Any], new: AnyMember, instance_id: str | None) -> AnyMember:
    """The member that joins: as the group knows it, a `new` one, or one that replaces who had the instance id.

    A living holder keeps it, even from itself: UNRELEASED_INSTANCE_ID (defect `unfenced-return`). Raises
    RequestRefused.
    """
    group = decision.group
    holder = None if instance_id is None else group.statics.get(instance_id)
    if holder is None or instance_id is None:
        known: AnyMember = group.members.get(new.id, new)
        return known
    if not group.members[holder].may_be_replaced:
        raise RequestRefused(
            Error.UNRELEASED_INSTANCE_ID,
            f"Static member {new.id} with instance id {instance_id} cannot join the group because the instance id is"
            f" owned by {holder} member.",
        )
    replace_static(decision, instance_id, new.id)
    taken: AnyMember = decision.group.members[new.id]
    return taken


def as_said(member: AnyMember, cmd: ModernHeartbeat, **own: Any) -> AnyMember:
    """The member with what the request says; `own`: fields of the protocol, None where nothing changes."""
    timeout = None if cmd.rebalance_timeout_ms == NO_TIMEOUT else cmd.rebalance_timeout_ms
    said = {"instance_id": cmd.instance_id, "rack": cmd.rack, "rebalance_timeout_ms": timeout, **own}
    changes = {field: value for field, value in said.items() if value is not None}
    return replace(member, client_id=cmd.client_id, client_host=cmd.client_host, **changes)


def replace_static(decision: ModernDecision[Any], instance_id: str, member: MemberId) -> None:
    """Another id takes over from the one that has the instance id."""
    old = decision.group.statics[instance_id]
    decision.record(facts.StaticMemberReplaced(instance_id=instance_id, old=old, member=member))


def check_epoch(member: ModernMember, received: int, *, owns_no_more: bool, kind: str) -> None:
    """The member's epoch, or the one before if it owns nothing that it was not given by then: its answer was lost.

    Raises RequestRefused; `kind` of group, for its message.
    """
    lost_answer = received < member.epoch and received == member.previous_epoch
    if received != member.epoch and not (lost_answer and owns_no_more):
        compared = "greater" if received > member.epoch else "smaller"
        raise RequestRefused(
            Error.FENCED_MEMBER_EPOCH,
            f"The {kind} group member has a {compared} member epoch ({received}) than the one known by the group"
            f" coordinator ({member.epoch}). The member must abandon all its partitions and rejoin.",
        )


def is_full(group: ModernGroup[Any, Any], most: int, member: MemberId, instance_id: str | None) -> bool:
    """A full group takes known members, and since 4.4 static ones that take over."""
    if len(group.members) < most or member in group.members:
        return False
    exempt = group.behaviour.static_members_exempt_from_size
    return not exempt or instance_id is None or instance_id not in group.statics
