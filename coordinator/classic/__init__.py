"""The coordinator of a classic group: `decide`, `evolve`, `resume` (Kafka: GroupMetadataManager, ClassicGroup)."""

from __future__ import annotations

from coordinator.classic.commands import (
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
from coordinator.classic.commit import commit
from coordinator.classic.evolve import evolve, survives
from coordinator.classic.heartbeat import heartbeat
from coordinator.classic.join import join
from coordinator.classic.leave import leave
from coordinator.classic.state import Group, Phase
from coordinator.classic.sync import sync
from coordinator.classic.takeover import load, resume, unload
from coordinator.classic.timeouts import (
    initial_delay_elapsed,
    join_timeout,
    session_expired,
    sync_timed_out,
)
from coordinator.outcome import Outcome

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
