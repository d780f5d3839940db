"""When something happened that no log shows: the death or stop of a silent process, as the time in which it can lie.

What the coordinator heard last of a member that it removed came one session earlier: a heartbeat, or a commit. The
process stopped after that, and before its next heartbeat was due. A static member that came back within its session
died after its last line, and at most one session before it joined again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from groupsim.replay.reconstruct.incarnation import Ending, Incarnation, StallKind
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, SESSION
from groupsim.simulation.clients.config import NATIVE

_LATE_MS = 60


class Unseen(NamedTuple):
    """From when until when, in ms of the run, something can have happened."""

    since_ms: int
    until_ms: int

    def at(self, share: float) -> int:
        """The instant after this share (0-1) of the time."""
        return self.since_ms + round(share * (self.until_ms - self.since_ms))


def fell_silent(
    incarnation: Incarnation, expired_ms: int, settings: Mapping[str, int], latest_ms: int | None, from_sync: bool
) -> Unseen:
    """When a process stopped whose session ended at `expired_ms`; `latest_ms`: it surely had stopped by then.

    `from_sync`: its library counts the heartbeat interval from the answer to SyncGroup, not from that to JoinGroup.
    """
    last = expired_ms - settings[SESSION]
    due = last + settings[HEARTBEAT]
    if ended_with_commit(incarnation, expired_ms, settings):
        joined = max(at for at in incarnation.joins_answered if at < last)
        if from_sync:
            joined = next((at for at in incarnation.syncs_answered if joined <= at < last), joined)
        due = last + settings[HEARTBEAT] - (last - joined) % settings[HEARTBEAT]
    lines = [at for at in incarnation.line_times if last < at <= min(expired_ms, due)]
    return _between(max([last, *lines]) + 1, due if latest_ms is None else min(due, latest_ms))


def died_before_return(
    incarnation: Incarnation, after: Incarnation | None, settings: Mapping[str, int]
) -> Unseen | None:
    """When a process died whose session the coordinator did not end before its next start; None: it has none.

    A static member's session went on until it was back.
    """
    if after is None or after.starts_ms is None:
        return None
    began = after.starts_ms if incarnation.ends_ms is None else min(incarnation.ends_ms, after.starts_ms)
    lines = [at for at in incarnation.line_times if at < began]
    joined = [at for at in incarnation.joins_answered if at < began]
    heard = [after.starts_ms - settings[SESSION]] if incarnation.instance is not None else []
    return _between(max([*lines[-1:], *joined[-1:], *heard, 0]) + 1, began)


def _between(since_ms: int, until_ms: int) -> Unseen:
    return Unseen(since_ms, max(since_ms + 1, until_ms))


def ended_with_commit(incarnation: Incarnation, expired_ms: int, settings: Mapping[str, int]) -> bool:
    """Whether the last request before a session ended was not a heartbeat: then a commit, which renews it, too."""
    if incarnation.protocol in NATIVE:  # commits do not count as heartbeats
        return False
    requests = [
        each for each in last_requests(incarnation, settings[SESSION]) if each[1] == expired_ms - settings[SESSION]
    ]
    return any(not on_time(at - joined, settings) for joined, at in requests)


def last_requests(incarnation: Incarnation, session_ms: int) -> list[tuple[int, int]]:
    """Pairs: when it last joined before a session of it ended, and when its last request reached the coordinator."""
    ends = [stall.expired_ms for stall in incarnation.stalls if stall.kind == StallKind.FROZEN]
    if incarnation.ending == Ending.KILL:
        ends.append(incarnation.expired_ms)
    found = []
    for end in ends:
        joined = [at for at in incarnation.joins_answered if end is not None and at < end - session_ms]
        if end is not None and joined:
            found.append((joined[-1], end - session_ms))
    return found


def on_time(wait_ms: int, settings: Mapping[str, int]) -> bool:
    """Whether a heartbeat is due so long after joining."""
    interval = settings[HEARTBEAT]
    beats = max(1, round(wait_ms / interval))
    return -_LATE_MS <= wait_ms - beats * interval <= _LATE_MS + 8 * beats
