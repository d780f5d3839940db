"""Members with an instance id: who may speak for it, and who takes it over (KIP-345, KIP-848).

Kafka: GroupMetadataManager.getOrMaybeSubscribeStaticConsumerMember.
"""

from __future__ import annotations

from groupsim.coordinator.consumer.commands import ConsumerHeartbeat
from groupsim.coordinator.consumer.decision import ConsumerDecision
from groupsim.coordinator.consumer.state import AWAY_EPOCH, ConsumerGroup, Member
from groupsim.coordinator.decision import RequestRefused
from groupsim.coordinator.identity import sender_error
from groupsim.coordinator.outcome import Error
from groupsim.events import consumer as facts
from groupsim.events.types import MemberId


def present(group: ConsumerGroup, member: MemberId, instance_id: str | None) -> Member:
    """The member that sends this. Raises RequestRefused if it is none, or if another one has its instance id."""
    error = sender_error(group, member, instance_id)
    if error is not Error.NONE:
        raise RequestRefused(error)
    return group.members[member]


def join_static(decision: ConsumerDecision, cmd: ConsumerHeartbeat, member: MemberId) -> Member:
    """The member that joins with an instance id: a new one, or one that replaces who had the instance id.

    A living native holder keeps it, even from itself: UNRELEASED_INSTANCE_ID (defect `unfenced-return`). Raises
    RequestRefused.
    """
    assert cmd.instance_id is not None
    group = decision.group
    holder = group.statics.get(cmd.instance_id)
    if holder is None:
        return group.members.get(member) or Member(id=member)
    old = group.members[holder]
    if old.classic is None and old.epoch != AWAY_EPOCH:
        raise RequestRefused(Error.UNRELEASED_INSTANCE_ID)
    return replace_static(decision, cmd.instance_id, member)


def replace_static(decision: ConsumerDecision, instance_id: str, member: MemberId) -> Member:
    """Another id takes over from the one that has the instance id."""
    old = decision.group.statics[instance_id]
    decision.record(facts.StaticMemberReplaced(instance_id=instance_id, old=old, member=member))
    return decision.group.members[member]
