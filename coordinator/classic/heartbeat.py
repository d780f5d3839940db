"""Heartbeat (Kafka: GroupMetadataManager.classicGroupHeartbeat)."""

from __future__ import annotations

from groupsim.coordinator.classic.commands import Heartbeat, HeartbeatAnswer, SessionExpired
from groupsim.coordinator.classic.decision import session_timer
from groupsim.coordinator.classic.state import ClassicGroup, Phase
from groupsim.coordinator.identity import sender_error
from groupsim.coordinator.outcome import Arm, Error, Outcome, Reply
from groupsim.events import classic as facts


def heartbeat(group: ClassicGroup, cmd: Heartbeat) -> Outcome[ClassicGroup]:
    """A valid heartbeat restarts the member's session, whatever the phase."""
    error = _refusal(group, cmd)
    timers: tuple[Arm, ...] = ()
    if error is Error.NONE:
        session = group.members[cmd.member].session_timeout_ms
        timers = (Arm(session_timer(cmd.member), session, SessionExpired(cmd.member)),)
        if group.phase is Phase.PREPARING_REBALANCE:
            error = Error.REBALANCE_IN_PROGRESS
    fact = facts.HeartbeatReceived(member=cmd.member, generation=cmd.generation, error=error.name)
    return Outcome(group, (fact,), (Reply(cmd.request, HeartbeatAnswer(error)),), timers)


def _refusal(group: ClassicGroup, cmd: Heartbeat) -> Error:
    if not group.id:
        return Error.INVALID_GROUP_ID
    if group.phase is Phase.DEAD:
        return Error.COORDINATOR_NOT_AVAILABLE
    error = sender_error(group, cmd.member, cmd.instance_id)
    if error is not Error.NONE:
        return error
    return Error.NONE if cmd.generation == group.generation else Error.ILLEGAL_GENERATION
