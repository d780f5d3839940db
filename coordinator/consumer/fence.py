"""Members are removed: they left, fell silent, or did not give up in time what they had to give up.

Kafka: GroupMetadataManager.consumerGroupFenceMembers.
"""

from __future__ import annotations

from collections.abc import Iterable

from groupsim.coordinator.consumer.decision import ConsumerDecision
from groupsim.coordinator.consumer.downgrade import downgrades_without, remove_and_downgrade
from groupsim.coordinator.consumer.expressions import drop_unused
from groupsim.coordinator.consumer.subscription import metadata_of
from groupsim.coordinator.topics import Topics
from groupsim.events import consumer as facts
from groupsim.events.consumer import BumpCause, LossCause
from groupsim.events.group import GroupEmptied
from groupsim.events.types import MemberId


def remove(decision: ConsumerDecision, members: Iterable[MemberId], cause: LossCause, topics: Topics) -> None:
    """Remove members; the epoch grows once. What they held is free, but nobody gets it before a next heartbeat.

    If the last native member goes the group may become classic instead.
    """
    gone = tuple(members)
    if downgrades_without(decision.group, gone):
        remove_and_downgrade(decision, gone, cause, topics)
        return
    expressions = [decision.group.members[member].expression for member in gone]
    for member in gone:
        decision.record(facts.ConsumerMemberRemoved(member=member, cause=cause))
        decision.disarm_timers(member)
    drop_unused(decision, expressions)
    group = decision.group
    decision.record(
        facts.GroupEpochBumped(
            epoch=group.epoch + 1,
            metadata_hash=metadata_of(group, topics),
            cause=BumpCause.MEMBER_REMOVED,
            member=gone[0],
        )
    )
    if not group.members:
        decision.record(GroupEmptied(generation=decision.group.epoch, protocol_type="consumer"))
