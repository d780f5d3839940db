"""The machine of streams groups (KIP-1071): `decide`, `evolve`, `resume`, `survives` (Kafka: StreamsGroup).

state             the group and its members
commands          the request, its answer, the timers
checks            what a request must look like, before any group is looked at; which tasks it may list
topology          a topology with the broker's topics: numbers of tasks, or what is missing or does not fit
heartbeat         StreamsGroupHeartbeat, from the checks to the answer
take_in_heartbeat  what a request says is taken in, and what follows: new epoch, new target, one step
statuses          what an answer tells besides tasks
target            who is to run what at the group's epoch
reconcile         one step of one member towards its target
endpoints         which member can be asked for which partitions
removal           members are removed when they leave or a timer fires
offsets           what commits and deletions of offsets look at
group_config      what is set for one group
evolve            the state after each fact; which facts survive a failover

A heartbeat with another epoch than the member's is refused in `coordinator.modern.members`, as in consumer groups.
"""

from __future__ import annotations

from typing import Any

from groupsim.coordinator.classic.commands import Heartbeat, Join, Leave, Sync
from groupsim.coordinator.classic.evolve import survives
from groupsim.coordinator.commands import Commit, DeleteGroup, DeleteOffsets, FetchOffsets, Load, TopicDeleted, Unload
from groupsim.coordinator.modern.classic_requests import classic_request
from groupsim.coordinator.modern.commands import RebalanceTimedOut, SessionExpired
from groupsim.coordinator.modern.loading import load, unload
from groupsim.coordinator.modern.offsets import delete_group, fetch, topic_deleted
from groupsim.coordinator.modern.removal import timed_out
from groupsim.coordinator.outcome import Arm, Outcome
from groupsim.coordinator.streams.commands import InitialDelayOver, InternalTopicsFailed, StreamsHeartbeat
from groupsim.coordinator.streams.evolve import StreamsDecision, evolve
from groupsim.coordinator.streams.group_config import heartbeat_interval_ms, session_timeout_ms
from groupsim.coordinator.streams.heartbeat import heartbeat
from groupsim.coordinator.streams.offsets import commit, delete_offsets
from groupsim.coordinator.streams.removal import remove
from groupsim.coordinator.streams.state import StreamsGroup
from groupsim.coordinator.streams.take_in_heartbeat import DELAY_TIMER
from groupsim.coordinator.streams.target import update_target
from groupsim.events import streams as facts

__all__ = ["StreamsGroup", "decide", "evolve", "resume", "survives"]

FAILURE_KEPT = 2
"""For so many heartbeat intervals members learn why internal topics could not be made; then it is tried again."""


def decide(group: StreamsGroup, command: Any) -> Outcome[Any]:
    """Decide one command; change nothing. Raises TypeError for what is no command of a streams group."""
    match command:
        case StreamsHeartbeat():
            return heartbeat(group, command)
        case Commit():
            return commit(group, command)
        case FetchOffsets():
            return fetch(group, command)
        case DeleteOffsets():
            return delete_offsets(group, command)
    return _decide_other(group, command)


def _decide_other(group: StreamsGroup, command: Any) -> Outcome[Any]:
    """Timers, the coordinator's coming and going, and requests that are decided alike for all kinds of groups."""
    decision = StreamsDecision(group)
    match command:
        case DeleteGroup():
            return delete_group(decision, command)
        case TopicDeleted():
            return topic_deleted(decision, command)
        case Join() | Sync() | Heartbeat() | Leave():
            return classic_request(decision, command, gives_way=True)
        case SessionExpired() | RebalanceTimedOut():
            return timed_out(decision, command, remove)
        case InitialDelayOver():
            return _delay_over(decision, command)
        case InternalTopicsFailed():
            return _topics_failed(decision, command)
        case Unload():
            return unload(decision, DELAY_TIMER)
        case Load():
            return load(decision, session_timeout_ms(group.configs, command.context))
    raise TypeError(f"not a command of a streams group: {command!r}")


def _delay_over(decision: StreamsDecision, cmd: InitialDelayOver) -> Outcome[Any]:
    """Those who are there get a target; nothing happens in a group that is empty again, or whose topology is not
    configured yet: then the next heartbeat computes it."""
    if decision.group.loaded and decision.group.delaying:
        decision.record(facts.InitialDelayEnded())
        if decision.group.members and decision.group.configured is not None:
            update_target(decision, decision.group, cmd.context)
    return decision.outcome()


def _topics_failed(decision: StreamsDecision, cmd: InternalTopicsFailed) -> Outcome[Any]:
    until_ms = cmd.context.at_ms + FAILURE_KEPT * heartbeat_interval_ms(decision.group.configs, cmd.context)
    decision.record(facts.InternalTopicsRefused(reasons=cmd.reasons, until_ms=until_ms))
    return decision.outcome()


def resume(group: StreamsGroup) -> tuple[Arm, ...]:
    """The timers of a group that has just become a streams group: those of its decision are all there is."""
    return ()


TAKES = (StreamsHeartbeat,)
"""Commands to a group of another protocol that are decided here: they may make it a streams group."""


elsewhere = heartbeat
"""Decides such a command."""
