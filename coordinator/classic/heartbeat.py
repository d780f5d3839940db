"""Heartbeat (spec 3.2; Kafka: classicGroupHeartbeat)."""

from __future__ import annotations

from groupsim.coordinator.classic.commands import Heartbeat, HeartbeatAnswer, SessionExpired
from groupsim.coordinator.classic.decision import heartbeat_timer
from groupsim.coordinator.classic.guards import validate
from groupsim.coordinator.classic.state import Group, Phase
from groupsim.coordinator.outcome import Arm, Error, Outcome, Reply
from groupsim.events import classic as facts


def heartbeat(group: Group, cmd: Heartbeat) -> Outcome:
    """A valid heartbeat gives the member its session anew, whatever the phase."""
    error = _refusal(group, cmd)
    timers: tuple[Arm, ...] = ()
    if error is Error.NONE:
        session = group.members[cmd.member].session_timeout_ms
        timers = (Arm(heartbeat_timer(cmd.member), session, SessionExpired(cmd.member)),)
        if group.phase is Phase.PREPARING_REBALANCE:
            error = Error.REBALANCE_IN_PROGRESS
    fact = facts.HeartbeatReceived(member=cmd.member, generation=cmd.generation, error=error.name)
    return Outcome((fact,), (Reply(cmd.request, HeartbeatAnswer(error)),), timers)


def _refusal(group: Group, cmd: Heartbeat) -> Error:
    if not group.id:
        return Error.INVALID_GROUP_ID
    if group.phase is Phase.DEAD:
        return Error.COORDINATOR_NOT_AVAILABLE
    error = validate(group, cmd.member, cmd.instance_id)
    if error is not Error.NONE:
        return error
    return Error.NONE if cmd.generation == group.generation else Error.ILLEGAL_GENERATION
