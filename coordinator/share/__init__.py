"""The machine of share groups (KIP-932): `decide`, `evolve`, `resume`, `survives` (Kafka: ShareGroup).

Membership, assignment and start offsets; records that members acquire and acknowledge are not simulated.

state         the group, its members, the share state of topics
commands      requests, answers, the share coordinator's word
heartbeat     ShareGroupHeartbeat, from the checks to the answer; members leave
share_state   share state is initialised and deleted; start offsets described, set, deleted
evolve        the state after each fact; which facts survive a failover; decisions that collect facts
"""

from __future__ import annotations

from typing import Any

from groupsim.coordinator import offset_requests
from groupsim.coordinator.broker_versions import behaviour
from groupsim.coordinator.classic.commands import Heartbeat, Join, Leave, Sync
from groupsim.coordinator.commands import (
    Commit,
    DeleteGroup,
    DeleteOffsets,
    FetchOffsets,
    Load,
    TopicDeleted,
    Unload,
)
from groupsim.coordinator.decision import RequestRefused
from groupsim.coordinator.modern.classic_requests import classic_request
from groupsim.coordinator.modern.commands import SessionExpired
from groupsim.coordinator.modern.loading import load
from groupsim.coordinator.modern.removal import timed_out
from groupsim.coordinator.outcome import Arm, Error, Outcome
from groupsim.coordinator.share.commands import (
    AlterShareOffsets,
    DeleteShareOffsets,
    DescribeShareOffsets,
    ShareHeartbeat,
    StateInitialized,
)
from groupsim.coordinator.share.evolve import ShareDecision, State, evolve, survives
from groupsim.coordinator.share.heartbeat import heartbeat, remove, session_timeout_ms
from groupsim.coordinator.share.share_state import (
    alter_offsets,
    delete_group,
    delete_offsets,
    describe_offsets,
    initialized,
    topic_deleted,
    unload,
)
from groupsim.coordinator.share.state import ShareGroup

__all__ = ["TAKES", "ShareGroup", "decide", "elsewhere", "evolve", "resume", "survives"]

TAKES = (ShareHeartbeat, DescribeShareOffsets, AlterShareOffsets, DeleteShareOffsets)
"""The requests of this protocol: those to a group of another one, or to none, are decided here, too."""


def decide(state: State, command: Any) -> Outcome[Any]:
    """Decide one command; change nothing. Raises TypeError for what is no command of a share group."""
    decision = ShareDecision(state)
    try:
        if isinstance(command, TAKES) and not behaviour(state.configs.coordinator.broker_version).streams_and_share:
            raise RequestRefused(Error.UNSUPPORTED_VERSION)
        return _requests(decision, command) or _others(decision, command)
    except RequestRefused as refusal:
        decision.undo()
        decision.reply(command.request, command.answer(error=refusal.error))
        return decision.outcome()


elsewhere = decide
"""Decides such a command."""


def _requests(decision: ShareDecision, command: Any) -> Outcome[Any] | None:
    match command:
        case ShareHeartbeat():
            return heartbeat(decision, command)
        case DescribeShareOffsets():
            return describe_offsets(decision, command)
        case AlterShareOffsets():
            return alter_offsets(decision, command)
        case DeleteShareOffsets():
            return delete_offsets(decision, command)
        case DeleteGroup():
            return delete_group(decision, command)
        case Commit():
            # A group that keeps no committed offsets is not found by those who want to change some.
            offset_requests.commit(decision, command, _here(decision, Error.GROUP_ID_NOT_FOUND))
            return decision.outcome()
        case DeleteOffsets():
            raise RequestRefused(_here(decision, Error.GROUP_ID_NOT_FOUND))
        case FetchOffsets():
            return offset_requests.fetch(decision.group, command, _here(decision, Error.NONE))
        case Join() | Sync() | Heartbeat() | Leave():
            return classic_request(decision, command, gives_way=False)
    return None


def _here(decision: ShareDecision, error: Error) -> Error:
    """The error, or that the group is not here."""
    return error if decision.group.loaded else Error.NOT_COORDINATOR


def _others(decision: ShareDecision, command: Any) -> Outcome[Any]:
    """Timers, and what the broker itself tells the group."""
    match command:
        case StateInitialized():
            return initialized(decision, command)
        case SessionExpired():
            return timed_out(decision, command, remove)
        case TopicDeleted():
            return topic_deleted(decision, command)
        case Unload():
            return unload(decision)
        case Load():
            return load(decision, session_timeout_ms(decision.group.configs, command.context))
    raise TypeError(f"not a command of a share group: {command!r}")


def resume(group: ShareGroup) -> tuple[Arm, ...]:
    """The timers of a group that has just become a share group: those of its decision are all there is."""
    return ()
