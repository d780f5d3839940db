"""The machine of share groups (KIP-932): `decide`, `evolve`, `resume`, `survives` (Kafka: ShareGroup).

Membership, assignment and start offsets; records that members acquire and acknowledge are not simulated.

state         the group, its members, the share state of topics
commands      requests, answers, the share coordinator's word
decision      collects facts, replies and timers of one decision; opens a group
heartbeat     ShareGroupHeartbeat, from the checks to the answer; members leave
share_state   share state is initialised and deleted; start offsets described, set, deleted
group_config  settings of one group that are in force
evolve        the state after each fact; which facts survive a failover
"""

from __future__ import annotations

from typing import Any

from groupsim.coordinator import offset_requests
from groupsim.coordinator.classic.commands import Heartbeat, Join, Leave, Sync
from groupsim.coordinator.commands import Commit, DeleteGroup, DeleteOffsets, FetchOffsets, Load, TopicDeleted, Unload
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
from groupsim.coordinator.share.decision import ShareDecision
from groupsim.coordinator.share.evolve import State, evolve, survives
from groupsim.coordinator.share.group_config import session_timeout_ms
from groupsim.coordinator.share.heartbeat import heartbeat, remove
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
from groupsim.events.consumer import LossCause

__all__ = ["ShareGroup", "decide", "elsewhere", "evolve", "resume", "survives", "takes"]

Command = ShareHeartbeat | DescribeShareOffsets | AlterShareOffsets | DeleteShareOffsets
"""The requests of this protocol."""


def takes(command: object) -> bool:
    """Whether a command to a group of another protocol, or to none, is decided here."""
    return isinstance(command, Command)


def decide(state: State, command: Any) -> Outcome[Any]:
    """Decide one command; change nothing. Raises TypeError for what is no command of a share group."""
    decision = ShareDecision(state)
    match command:
        case ShareHeartbeat():
            return heartbeat(decision, command)
        case DescribeShareOffsets():
            return describe_offsets(decision, command)
        case AlterShareOffsets():
            return alter_offsets(decision, command)
        case DeleteShareOffsets():
            return delete_offsets(decision, command)
    return _decide_other(decision, command)


elsewhere = decide
"""Decides such a command."""


def _decide_other(decision: ShareDecision, command: Any) -> Outcome[Any]:
    """Timers, the coordinator's coming and going, and requests that other kinds of groups take, too."""
    missing = Error.GROUP_ID_NOT_FOUND if decision.group.loaded else Error.NOT_COORDINATOR
    match command:
        case StateInitialized():
            return initialized(decision, command)
        case SessionExpired():
            return timed_out(decision, command, LossCause.SESSION_EXPIRED, remove)
        case DeleteGroup():
            return delete_group(decision, command)
        case TopicDeleted():
            return topic_deleted(decision, command)
        case Commit():
            offset_requests.commit(decision, command, missing)
            return decision.outcome()
        case FetchOffsets():
            # It is looked for offsets, and there are none: a group that is not found is no error here.
            refusal = Error.NONE if decision.group.loaded else missing
            return offset_requests.fetch(decision.group, command, refusal)
        case DeleteOffsets():
            offset_requests.delete_offsets(decision, command, missing, lambda topic: False)
            return decision.outcome()
        case Join() | Sync() | Heartbeat() | Leave():
            return classic_request(decision, command, gives_way=False)
        case Unload():
            return unload(decision)
        case Load():
            return load(decision, session_timeout_ms(decision.group.configs, command.context))
    raise TypeError(f"not a command of a share group: {command!r}")


def resume(group: ShareGroup) -> tuple[Arm, ...]:
    """The timers of a group that has just become a share group: those of its decision are all there is."""
    return ()
