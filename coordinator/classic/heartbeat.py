"""Heartbeat (spec 3.2; Kafka: classicGroupHeartbeat)."""

from __future__ import annotations

from coordinator.classic.commands import Heartbeat, HeartbeatAnswer
from coordinator.classic.draft import Draft
from coordinator.classic.guards import validate
from coordinator.classic.state import Group, Phase
from coordinator.outcome import Error, Outcome
from events import classic as facts


def heartbeat(group: Group, cmd: Heartbeat) -> Outcome:
    """A valid heartbeat gives the member its session anew, whatever the phase."""
    draft = Draft(group)
    error = _refusal(group, cmd)
    if error is Error.NONE:
        draft.arm_session(group.members[cmd.member])
        if group.phase is Phase.PREPARING_REBALANCE:
            error = Error.REBALANCE_IN_PROGRESS
    draft.record(facts.HeartbeatReceived(member=cmd.member, generation=cmd.generation, error=error.name))
    draft.reply(cmd.request, HeartbeatAnswer(error))
    return draft.outcome()


def _refusal(group: Group, cmd: Heartbeat) -> Error:
    if not group.id:
        return Error.INVALID_GROUP_ID
    if group.phase is Phase.DEAD:
        return Error.COORDINATOR_NOT_AVAILABLE
    error = validate(group, cmd.member, cmd.instance_id)
    if error is not Error.NONE:
        return error
    return Error.NONE if cmd.generation == group.generation else Error.ILLEGAL_GENERATION
