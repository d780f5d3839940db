"""Failover of a group with epochs: unload, load (Kafka: GroupMetadataManager.onLoaded, onUnloaded)."""

from __future__ import annotations

from typing import Any

from groupsim.coordinator.modern.decision import ModernDecision, rebalance_expiry, session_expiry
from groupsim.coordinator.modern.state import ModernGroup
from groupsim.coordinator.outcome import Arm, Outcome
from groupsim.events.consumer import MemberState
from groupsim.events.group import CoordinatorLoaded, CoordinatorUnloaded


def unload(decision: ModernDecision[Any], *timers: str) -> Outcome[Any]:
    """Nothing is parked in these protocols: only timers go, also those of the group by their keys."""
    for member in sorted(decision.group.members):
        decision.disarm_timers(member)
    for timer in timers:
        decision.disarm(timer)
    decision.record(CoordinatorUnloaded())
    return decision.outcome()


def load(decision: ModernDecision[Any], session_ms: int) -> Outcome[Any]:
    """Every member has a whole session to speak up, and a whole rebalance timeout to give up what it has to."""
    decision.record(CoordinatorLoaded())
    for timer in timers(decision.group, session_ms):
        decision.arm(timer.key, timer.after_ms, timer.command)
    return decision.outcome()


def timers(group: ModernGroup[Any, Any], session_ms: int) -> tuple[Arm, ...]:
    """The timers of a group that was just taken over; classic members, too, have the group's session timeout
    (defect `session-of-the-group`)."""
    armed = []
    for member_id, member in sorted(group.members.items()):
        armed.append(session_expiry(member_id, session_ms))
        if member.state is MemberState.UNREVOKED_PARTITIONS:
            armed.append(rebalance_expiry(member))
    return tuple(armed)
