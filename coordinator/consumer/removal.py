"""Members leave or are removed: they said so, fell silent, or did not do in time what they had to do.

Kafka: GroupMetadataManager.consumerGroupFenceMembers, consumerGroupLeave, scheduleConsumerGroup…Timeout.
"""

from __future__ import annotations

from collections.abc import Iterable

from groupsim.coordinator.classic.state import CONSUMER_PROTOCOL_TYPE
from groupsim.coordinator.consumer.commands import (
    ClassicJoinTimedOut,
    ClassicSyncTimedOut,
    ConsumerHeartbeat,
    RebalanceTimedOut,
    SessionExpired,
)
from groupsim.coordinator.consumer.conversion import downgrades_without, remove_and_downgrade
from groupsim.coordinator.consumer.decision import ConsumerDecision
from groupsim.coordinator.consumer.evolve import State
from groupsim.coordinator.consumer.expressions import drop_unused
from groupsim.coordinator.consumer.state import AWAY_EPOCH, ConsumerGroup
from groupsim.coordinator.consumer.static_members import present
from groupsim.coordinator.consumer.subscription import metadata_of
from groupsim.coordinator.outcome import Outcome
from groupsim.coordinator.topics import Topics
from groupsim.events import consumer as facts
from groupsim.events.consumer import BumpCause, LossCause
from groupsim.events.group import GroupEmptied
from groupsim.events.types import MemberId

TIMED_OUT = {
    SessionExpired: LossCause.SESSION_EXPIRED,
    ClassicJoinTimedOut: LossCause.JOIN_TIMEOUT,
    ClassicSyncTimedOut: LossCause.SYNC_TIMEOUT,
}
"""Why a member is removed when this timer fires: it was silent, did not rejoin, did not ask for its assignment."""


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
        decision.record(GroupEmptied(generation=decision.group.epoch, protocol_type=CONSUMER_PROTOCOL_TYPE))


def leave(decision: ConsumerDecision, cmd: ConsumerHeartbeat) -> None:
    """Remove the member, or keep what a static member is assigned until it is back. Raises RequestRefused.

    The session timer of a member that is away runs on.
    """
    member = present(decision.group, cmd.member, cmd.instance_id)
    if cmd.epoch == AWAY_EPOCH:
        decision.record(facts.StaticMemberAway(member=member.id))
    else:
        remove(decision, (member.id,), LossCause.LEFT, cmd.context.topics)


def timed_out(group: ConsumerGroup, cmd: SessionExpired | ClassicJoinTimedOut | ClassicSyncTimedOut) -> Outcome[State]:
    """A member did not speak up in time; the client learns of it with its next request.

    A member that became native while it was asked to rejoin goes, too: defect `join-timer-stays`.
    """
    decision = ConsumerDecision(group)
    if group.loaded and cmd.member in group.members:
        remove(decision, (cmd.member,), TIMED_OUT[type(cmd)], cmd.context.topics)
    return decision.outcome()


def rebalance_timed_out(group: ConsumerGroup, cmd: RebalanceTimedOut) -> Outcome[State]:
    """A member still has the epoch at which it had to give partitions up."""
    decision = ConsumerDecision(group)
    member = group.members.get(cmd.member)
    if group.loaded and member is not None and member.epoch == cmd.epoch:
        remove(decision, (cmd.member,), LossCause.REBALANCE_TIMEOUT, cmd.context.topics)
    return decision.outcome()
