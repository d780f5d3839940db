"""Silence: the time before a member's session ended, in which the coordinator heard nothing of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from groupsim.replay.reconstruct.incarnation import Ending, Incarnation, StallKind


class Silence(NamedTuple):
    """A member was removed at `expired_ms`: when it last joined before, when the coordinator surely heard it, and when
    it printed its last line; None: not known.
    """

    expired_ms: int
    joined_ms: int | None
    heard_ms: int | None
    line_ms: int | None


def silences_of(incarnation: Incarnation) -> Iterable[Silence]:
    """Its removals after a silence."""
    ends = [s.expired_ms for s in incarnation.stalls if s.kind == StallKind.FROZEN]
    if incarnation.ending == Ending.KILL:
        ends.append(incarnation.expired_ms)
    for expired in ends:
        if expired is not None:
            joined = _last(incarnation.joins_answered, expired)
            heard = _last([joined, incarnation.starts_ms, incarnation.added_ms], expired)
            yield Silence(expired, joined, heard, _last(incarnation.line_times, expired))


def _last(times: Iterable[int | None], before: int) -> int | None:
    return max((at for at in times if at is not None and at < before), default=None)
