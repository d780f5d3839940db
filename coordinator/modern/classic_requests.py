"""Requests of the classic protocol to a group whose members all speak another one: each is refused.

Kafka: GroupMetadataManager.classicGroupJoin, validateClassicGroupHeartbeat; GroupCoordinatorShard.
"""

from __future__ import annotations

from typing import Any

from groupsim.coordinator import classic
from groupsim.coordinator.classic.commands import (
    Heartbeat,
    HeartbeatAnswer,
    Join,
    JoinAnswer,
    Leave,
    LeaveAnswer,
    Sync,
    SyncAnswer,
)
from groupsim.coordinator.modern.decision import ModernDecision
from groupsim.coordinator.outcome import Error, Outcome
from groupsim.events.consumer import EmptyGroupDropped


def classic_request(
    decision: ModernDecision[Any], cmd: Join | Sync | Heartbeat | Leave, *, gives_way: bool
) -> Outcome[Any]:
    """Refuse it; `gives_way`: an empty group makes room for a new classic one, and the JoinGroup is decided there."""
    group = decision.group
    unknown = Error.UNKNOWN_MEMBER_ID if group.loaded else Error.NOT_COORDINATOR
    match cmd:
        case Join():
            if not group.configs.classic.allows_session(cmd.session_timeout_ms):
                error = Error.INVALID_SESSION_TIMEOUT
            elif group.loaded and not group.members and gives_way:
                decision.record(EmptyGroupDropped())
                decision.take(classic.decide(decision.state, cmd))
                return decision.outcome()
            else:
                error = Error.INCONSISTENT_GROUP_PROTOCOL if group.loaded else unknown
            decision.reply(cmd.request, JoinAnswer(error=error, member=cmd.member))
        case Sync():
            decision.reply(cmd.request, SyncAnswer(error=unknown))
        case Heartbeat():
            decision.reply(cmd.request, HeartbeatAnswer(unknown))
        case Leave():
            each = tuple((entry.member, entry.instance_id, unknown) for entry in cmd.members)
            decision.reply(cmd.request, LeaveAnswer(members=each) if group.loaded else LeaveAnswer(unknown))
    return decision.outcome()
