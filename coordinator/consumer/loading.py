"""Failover of a consumer group: unload, load, resume (Kafka: GroupMetadataManager.onLoaded, onUnloaded)."""

from __future__ import annotations

from groupsim.coordinator.commands import Load
from groupsim.coordinator.consumer.commands import RebalanceTimedOut, SessionExpired
from groupsim.coordinator.consumer.decision import RESOLUTION_TIMER, ConsumerDecision, rebalance_timer, session_timer
from groupsim.coordinator.consumer.evolve import State
from groupsim.coordinator.consumer.group_config import session_timeout_ms
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.context import Context
from groupsim.coordinator.outcome import Arm, Outcome
from groupsim.events.consumer import MemberState
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded


def unload(group: ConsumerGroup) -> Outcome[State]:
    """Nothing is parked in this protocol: only timers go."""
    decision = ConsumerDecision(group)
    for member in sorted(group.members):
        decision.disarm_timers(member)
    decision.disarm(RESOLUTION_TIMER)
    decision.record(CoordinatorUnloaded())
    return decision.outcome()


def load(group: ConsumerGroup, cmd: Load) -> Outcome[State]:
    """Every member has a whole session to speak up, and a whole rebalance timeout to give up what it has to."""
    decision = ConsumerDecision(group)
    decision.record(CoordinatorLoaded())
    for timer in timers(decision.group, cmd.context):
        decision.arm(timer.key, timer.after_ms, timer.command)
    return decision.outcome()


def timers(group: ConsumerGroup, context: Context) -> tuple[Arm, ...]:
    """The timers of a group that was just taken over; classic members, too, have the group's session timeout
    (defect `session-of-the-group`)."""
    session = session_timeout_ms(group.config, context)
    armed = []
    for member_id, member in sorted(group.members.items()):
        armed.append(Arm(session_timer(member_id), session, SessionExpired(member=member_id)))
        if member.state is MemberState.UNREVOKED_PARTITIONS:
            timeout = RebalanceTimedOut(member=member_id, epoch=member.epoch)
            armed.append(Arm(rebalance_timer(member_id), member.rebalance_timeout_ms, timeout))
    return tuple(armed)


def resume(group: ConsumerGroup) -> tuple[Arm, ...]:
    """The timers of a group that has just become a consumer group: those of its decision are all there is."""
    return ()
