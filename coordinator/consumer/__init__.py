"""The machine of consumer groups (KIP-848): `decide`, `evolve`, `resume`, `survives` (Kafka: ConsumerGroup).

state             the group and its members; the phases
owners            which partitions somebody holds
commands          the request, its answer, the timers
decision          collects facts, replies and timers of one decision
checks            what a request must look like, before any group is looked at
conversion        a classic group, or none, becomes a consumer group; a consumer group becomes classic
converted         the state after a conversion
forgotten_group   an empty group that its coordinator has forgotten, though its records are there
heartbeat         ConsumerGroupHeartbeat, from the checks to the answer
take_in_heartbeat  what a request says is taken in, and what follows: new epoch, new target, one step
classic_requests  JoinGroup, SyncGroup, Heartbeat, LeaveGroup of classic members
subscription      what members subscribe to; the metadata hash; when the epoch grows
expressions       subscriptions by regular expression: accepted, resolved in the background, refreshed
votes             which assignor the group uses
target            who is to have what at the group's epoch
reconcile         one step of one member towards its target
removal           members are removed when they leave or a timer fires
offsets           what commits and deletions of offsets look at
group_config      settings of one group: names, and what is in force
describe          what an administrator sees
evolve            the state after each fact; which facts survive a failover
"""

from __future__ import annotations

from typing import Any

from groupsim.coordinator.classic.commands import Heartbeat, Join, Leave, Sync
from groupsim.coordinator.commands import Commit, DeleteGroup, DeleteOffsets, FetchOffsets, Load, TopicDeleted, Unload
from groupsim.coordinator.consumer.classic_requests import classic_heartbeat, classic_leave, join, sync
from groupsim.coordinator.consumer.commands import (
    ClassicJoinTimedOut,
    ClassicSyncTimedOut,
    ConsumerHeartbeat,
    ResolveExpressions,
)
from groupsim.coordinator.consumer.decision import RESOLUTION_TIMER, ConsumerDecision
from groupsim.coordinator.consumer.evolve import evolve, survives
from groupsim.coordinator.consumer.expressions import expressions_resolved
from groupsim.coordinator.consumer.forgotten_group import decide_forgotten
from groupsim.coordinator.consumer.group_config import session_timeout_ms
from groupsim.coordinator.consumer.heartbeat import heartbeat
from groupsim.coordinator.consumer.offsets import commit, delete_offsets
from groupsim.coordinator.consumer.removal import TIMED_OUT, remove
from groupsim.coordinator.consumer.state import ConsumerGroup
from groupsim.coordinator.modern.commands import RebalanceTimedOut, SessionExpired
from groupsim.coordinator.modern.loading import load, unload
from groupsim.coordinator.modern.offsets import delete_group, fetch, topic_deleted
from groupsim.coordinator.modern.removal import timed_out
from groupsim.coordinator.outcome import Arm, Outcome

__all__ = ["ConsumerGroup", "decide", "evolve", "resume", "survives"]

Command = (
    ConsumerHeartbeat
    | Join
    | Sync
    | Heartbeat
    | Leave
    | Commit
    | FetchOffsets
    | DeleteOffsets
    | DeleteGroup
    | TopicDeleted
    | SessionExpired
    | RebalanceTimedOut
    | ResolveExpressions
    | ClassicJoinTimedOut
    | ClassicSyncTimedOut
    | Unload
    | Load
)


def decide(group: ConsumerGroup, command: Command) -> Outcome[Any]:
    """Decide one command; change nothing. Raises TypeError for what is no command of a consumer group."""
    if group.forgotten:
        return decide_forgotten(group, command)
    match command:
        case ConsumerHeartbeat():
            return heartbeat(group, command)
        case Commit():
            return commit(group, command)
        case FetchOffsets():
            return fetch(group, command)
        case DeleteOffsets():
            return delete_offsets(group, command)
        case DeleteGroup():
            return delete_group(ConsumerDecision(group), command)
        case TopicDeleted():
            return topic_deleted(ConsumerDecision(group), command)
        case Join():
            return join(group, command)
        case Sync():
            return sync(group, command)
        case Heartbeat():
            return classic_heartbeat(group, command)
        case Leave():
            return classic_leave(group, command)
        case SessionExpired() | RebalanceTimedOut() | ClassicJoinTimedOut() | ClassicSyncTimedOut():
            return timed_out(ConsumerDecision(group), command, remove, TIMED_OUT)
        case ResolveExpressions():
            return expressions_resolved(group, command)
        case Unload():
            return unload(ConsumerDecision(group), RESOLUTION_TIMER)
        case Load():
            return load(ConsumerDecision(group), session_timeout_ms(group.configs, command.context))
    raise TypeError(f"not a command of a consumer group: {command!r}")


def resume(group: ConsumerGroup) -> tuple[Arm, ...]:
    """The timers of a group that has just become a consumer group: those of its decision are all there is."""
    return ()


TAKES = (ConsumerHeartbeat,)
"""Commands to a group of another protocol that are decided here: they may make it a consumer group."""


def outlives_conversion(command: object) -> bool:
    """Whether a timer with this command goes on after a downgrade, and fences if there is a consumer group again.

    Defect `outlives-downgrade`: Kafka cancels timers only of members that leave. In a classic group they bring about
    nothing.
    """
    return isinstance(command, ClassicJoinTimedOut | ClassicSyncTimedOut | RebalanceTimedOut)


elsewhere = heartbeat
"""Decides such a command."""
