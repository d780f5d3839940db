"""What a timer of a consumer group that fires brings about (Kafka: GroupMetadataManager.scheduleConsumerGroup…)."""

from __future__ import annotations

from groupsim.coordinator.consumer.commands import (
    ClassicJoinTimedOut,
    ClassicSyncTimedOut,
    RebalanceTimedOut,
    SessionExpired,
)
from groupsim.coordinator.consumer.decision import ConsumerDecision
from groupsim.coordinator.consumer.evolve import State
from groupsim.coordinator.consumer.fence import remove
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.outcome import Outcome
from groupsim.events.consumer import LossCause


def session_expired(group: ConsumerGroup, cmd: SessionExpired) -> Outcome[State]:
    """A member was silent for too long; the client learns of it with its next request."""
    decision = ConsumerDecision(group)
    if group.loaded and cmd.member in group.members:
        remove(decision, (cmd.member,), LossCause.SESSION_EXPIRED, cmd.context.topics)
    return decision.outcome()


def join_timed_out(group: ConsumerGroup, cmd: ClassicJoinTimedOut) -> Outcome[State]:
    """A classic member was asked to rejoin and did not; one that became native goes, too: defect `join-timer-stays`."""
    decision = ConsumerDecision(group)
    if group.loaded and cmd.member in group.members:
        remove(decision, (cmd.member,), LossCause.JOIN_TIMEOUT, cmd.context.topics)
    return decision.outcome()


def sync_timed_out(group: ConsumerGroup, cmd: ClassicSyncTimedOut) -> Outcome[State]:
    """A classic member joined and did not ask for its assignment."""
    decision = ConsumerDecision(group)
    if group.loaded and cmd.member in group.members:
        remove(decision, (cmd.member,), LossCause.SYNC_TIMEOUT, cmd.context.topics)
    return decision.outcome()


def rebalance_timed_out(group: ConsumerGroup, cmd: RebalanceTimedOut) -> Outcome[State]:
    """A member still has the epoch at which it had to give partitions up."""
    decision = ConsumerDecision(group)
    member = group.members.get(cmd.member)
    if group.loaded and member is not None and member.epoch == cmd.epoch:
        remove(decision, (cmd.member,), LossCause.REBALANCE_TIMEOUT, cmd.context.topics)
    return decision.outcome()
