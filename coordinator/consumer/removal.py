"""Members of a consumer group are removed: they said so, fell silent, or did not do in time what they had to do.

Kafka: GroupMetadataManager.consumerGroupFenceMembers.
"""

from __future__ import annotations

from collections.abc import Iterable

from groupsim.coordinator.classic.state import CONSUMER_PROTOCOL_TYPE
from groupsim.coordinator.consumer.commands import ClassicJoinTimedOut, ClassicSyncTimedOut
from groupsim.coordinator.consumer.conversion import downgrades_without, remove_and_downgrade
from groupsim.coordinator.consumer.decision import ConsumerDecision
from groupsim.coordinator.consumer.expressions import drop_unused
from groupsim.coordinator.consumer.subscription import metadata_of
from groupsim.coordinator.context import Context
from groupsim.coordinator.modern.removal import CAUSES, emptied
from groupsim.events import consumer as facts
from groupsim.events.consumer import BumpCause, LossCause
from groupsim.events.types import MemberId

TIMED_OUT = {
    **CAUSES,
    ClassicJoinTimedOut: LossCause.JOIN_TIMEOUT,
    ClassicSyncTimedOut: LossCause.SYNC_TIMEOUT,
}
"""Why a member is removed when this timer fires. A classic one may also not rejoin, or not ask for its assignment. One
that became native while it was asked to rejoin goes, too: defect `join-timer-stays`."""


def remove(decision: ConsumerDecision, members: Iterable[MemberId], cause: LossCause, context: Context) -> None:
    """Remove members; the epoch grows once. What they held is free, but nobody gets it before a next heartbeat.

    If the last native member goes the group may become classic instead.
    """
    gone = tuple(members)
    if downgrades_without(decision.group, gone):
        remove_and_downgrade(decision, gone, cause, context.topics)
        return
    expressions = [decision.group.members[member].expression for member in gone]
    for member in gone:
        decision.record(facts.ConsumerMemberRemoved(member=member, cause=cause))
        decision.disarm_timers(member)
    drop_unused(decision, expressions)
    group = decision.group
    bumped = facts.GroupEpochBumped(
        epoch=group.epoch + 1,
        metadata_hash=metadata_of(group, context.topics),
        cause=BumpCause.MEMBER_REMOVED,
        member=gone[0],
    )
    emptied(decision, bumped, CONSUMER_PROTOCOL_TYPE)
