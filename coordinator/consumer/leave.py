"""A member leaves, for good (epoch -1) or for a while (-2) (Kafka: GroupMetadataManager.consumerGroupLeave)."""

from __future__ import annotations

from groupsim.coordinator.consumer.commands import ConsumerHeartbeat
from groupsim.coordinator.consumer.decision import ConsumerDecision
from groupsim.coordinator.consumer.fence import remove
from groupsim.coordinator.consumer.state import AWAY_EPOCH
from groupsim.coordinator.consumer.static_members import present
from groupsim.events import consumer as facts
from groupsim.events.consumer import LossCause


def leave(decision: ConsumerDecision, cmd: ConsumerHeartbeat) -> None:
    """Remove the member, or keep what a static member is assigned until it is back. Raises RequestRefused.

    The session timer of a member that is away runs on.
    """
    member = present(decision.group, cmd.member, cmd.instance_id)
    if cmd.epoch == AWAY_EPOCH:
        decision.record(facts.StaticMemberAway(member=member.id))
    else:
        remove(decision, (member.id,), LossCause.LEFT, cmd.context.topics)
