"""The machine of classic groups: `decide`, `evolve`, `resume`, `survives` (Kafka: GroupMetadataManager, ClassicGroup).

state      the group and its members; the phases and the legal moves between them
commands   requests, answers, timers
decision   collects facts, replies and timers of one decision
join       JoinGroup: entry checks, new, pending and known members, a static member that comes back under a new id
sync       SyncGroup: the leader's assignment
heartbeat  Heartbeat
leave      LeaveGroup
offsets    OffsetCommit, OffsetFetch, OffsetDelete, DeleteGroups, deleted topics
rebalance  start a rebalance, complete its join phase, remove a member
timeouts   what a timer that fires brings about
loading    failover: unload, load, resume
votes      the vote for a protocol, the election of a leader
evolve     the state after each fact; which facts survive a failover
"""

from __future__ import annotations

from groupsim.coordinator.classic.commands import (
    Command,
    Heartbeat,
    InitialDelayElapsed,
    Join,
    JoinTimeout,
    Leave,
    SessionExpired,
    Sync,
    SyncTimedOut,
)
from groupsim.coordinator.classic.evolve import evolve, survives
from groupsim.coordinator.classic.heartbeat import heartbeat
from groupsim.coordinator.classic.join import join
from groupsim.coordinator.classic.leave import leave
from groupsim.coordinator.classic.loading import load, resume, unload
from groupsim.coordinator.classic.offsets import commit, delete_group, delete_offsets, fetch, topic_deleted
from groupsim.coordinator.classic.state import ClassicGroup, Phase
from groupsim.coordinator.classic.sync import sync
from groupsim.coordinator.classic.timeouts import initial_delay_elapsed, join_timeout, session_expired, sync_timed_out
from groupsim.coordinator.commands import Commit, DeleteGroup, DeleteOffsets, FetchOffsets, Load, TopicDeleted, Unload
from groupsim.coordinator.outcome import Outcome

__all__ = ["ClassicGroup", "Phase", "decide", "evolve", "resume", "survives"]


def decide(group: ClassicGroup, command: Command) -> Outcome[ClassicGroup]:
    """Decide one command; change nothing. Raises TypeError for what is no command of a classic group."""
    match command:
        case Heartbeat():
            return heartbeat(group, command)
        case Join():
            return join(group, command)
        case Sync():
            return sync(group, command)
        case Leave():
            return leave(group, command)
        case Commit():
            return commit(group, command)
        case FetchOffsets():
            return fetch(group, command)
        case DeleteOffsets():
            return delete_offsets(group, command)
        case DeleteGroup():
            return delete_group(group, command)
        case TopicDeleted():
            return topic_deleted(group, command)
        case SessionExpired():
            return session_expired(group, command)
        case InitialDelayElapsed():
            return initial_delay_elapsed(group, command)
        case JoinTimeout():
            return join_timeout(group, command)
        case SyncTimedOut():
            return sync_timed_out(group, command)
        case Unload():
            return unload(group)
        case Load():
            return load(group)
    raise TypeError(f"not a command of a classic group: {command!r}")
