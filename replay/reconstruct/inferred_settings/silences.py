"""Silence: the time before a member's session ended, in which the coordinator heard nothing of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from groupsim.replay.reconstruct.incarnation import Ending, Incarnation, StallKind


class Silence(NamedTuple):
    """A member was removed at `expired_ms`: when it last joined before, when the coordinator surely heard it, when it
    printed its last line, and when it was surely dead, because its successor ran; None: not known. `settled_ms`: how
    long after it joined it had its assignment.
    """

    expired_ms: int
    joined_ms: int | None
    heard_ms: int | None
    line_ms: int | None
    dead_ms: int | None = None
    settled_ms: int = 0


def silences_of(incarnation: Incarnation, others: Sequence[Incarnation]) -> Iterable[Silence]:
    """Its removals after a silence. `others`: all incarnations of the group."""
    ends: list[tuple[int | None, int | None]] = [
        (s.expired_ms, None) for s in incarnation.stalls if s.kind == StallKind.FROZEN
    ]
    if incarnation.ending == Ending.KILL:
        ends.append((incarnation.expired_ms, _successor_ms(incarnation, others)))
    for expired, dead in ends:
        if expired is not None:
            joined = _last([*incarnation.joins_answered, *incarnation.beats_from], expired)
            heard = _last([joined, *incarnation.joins_sent, incarnation.added_ms, incarnation.starts_ms], expired)
            synced = _last(incarnation.syncs_answered, expired)
            settled = 0 if joined is None or synced is None else max(0, synced - joined)
            line = _last(incarnation.line_times, expired)
            yield Silence(expired, joined, heard, line, None if dead is None or dead >= expired else dead, settled)


def _successor_ms(incarnation: Incarnation, others: Sequence[Incarnation]) -> int | None:
    """When the next process of the same client began; None where several of this client run at once."""
    if not incarnation.line_times:
        return None
    same = [o for o in others if o is not incarnation and o.client == incarnation.client and o.line_times]
    later = [o.line_times[0] for o in same if o.line_times[0] > incarnation.line_times[-1]]
    earlier = [o for o in same if o.line_times[-1] < incarnation.line_times[0]]
    return min(later) if later and len(later) + len(earlier) == len(same) else None


def _last(times: Iterable[int | None], before: int) -> int | None:
    return max((at for at in times if at is not None and at < before), default=None)
