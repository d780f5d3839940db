"""The coordinator of a classic group: `decide`, `evolve`, `resume` (Kafka: GroupMetadataManager, ClassicGroup)."""

from __future__ import annotations

from groupsim.coordinator.classic.commands import (
    Command,
    Commit,
    Heartbeat,
    InitialDelayElapsed,
    Join,
    JoinTimeout,
    Leave,
    Load,
    SessionExpired,
    Sync,
    SyncTimedOut,
    Unload,
)
from groupsim.coordinator.classic.commit import commit
from groupsim.coordinator.classic.evolve import evolve, survives
from groupsim.coordinator.classic.heartbeat import heartbeat
from groupsim.coordinator.classic.join import join
from groupsim.coordinator.classic.leave import leave
from groupsim.coordinator.classic.loading import load, resume, unload
from groupsim.coordinator.classic.state import Group, Phase
from groupsim.coordinator.classic.sync import sync
from groupsim.coordinator.classic.timeouts import initial_delay_elapsed, join_timeout, session_expired, sync_timed_out
from groupsim.coordinator.outcome import Outcome

__all__ = ["Group", "Phase", "decide", "evolve", "resume", "survives"]


def decide(group: Group, command: Command) -> Outcome:
    """Judge one command; change nothing. Raises TypeError for what is no command of a classic group."""
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
