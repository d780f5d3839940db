"""session.timeout.ms, from the time between a member's last sign of life and its removal."""

from __future__ import annotations

from collections.abc import Iterable

from groupsim.replay.reconstruct.incarnation import Ending, Incarnation, StallKind
from groupsim.replay.reconstruct.inferred_settings.evidence import (
    CLOSING_MS,
    DEFAULT_HEARTBEAT_MS,
    Evidence,
    Inference,
)

_USUAL = (45_000, 30_000, 20_000, 10_000, 6_000)


def session_timeout(evidence: Evidence, interval_ms: int | None) -> Inference:
    """A silence is at least as long as a session. `interval_ms`: the heartbeat interval, if it is known.

    A heartbeat interval that is not Kafka's default means that the session is not either.
    """
    dated = [gap for gap in _removal_gaps(evidence, Ending.KILL) if gap > 0]
    if dated:
        why = "is the time that the import assumed for the silence of a dead member; no log shows it"
        return Inference(min(dated), why)
    closed = _removal_gaps(evidence, Ending.CLOSE)
    if closed:
        fits = [usual for usual in _USUAL if usual >= min(closed) - CLOSING_MS]
        why = "fits the time from the close of a static member to its removal"
        return Inference(min(fits, default=min(closed)), why)
    has_default = interval_ms in (None, DEFAULT_HEARTBEAT_MS)
    silences = [silence for incarnation in evidence.incarnations for silence in _silences(incarnation)]
    if silences:
        fits = [usual for usual in (_USUAL if has_default else _USUAL[-1:]) if usual <= min(silences)]
        why = "is assumed: a member was removed after a silence of at least that"
        return Inference(fits[0] if fits else _USUAL[-1], why)
    if has_default:
        return Inference(_USUAL[0], "is Kafka's default; no log shows it")
    why = "is assumed: the heartbeat interval is not Kafka's default either"
    return Inference(max(_USUAL[-1], 3 * (interval_ms or 0)), why)


def _removal_gaps(evidence: Evidence, ending: Ending) -> list[int]:
    """From the end of each incarnation that ended so to the end of its session."""
    return [
        incarnation.expired_ms - incarnation.ends_ms
        for incarnation in evidence.incarnations
        if incarnation.ending == ending and incarnation.expired_ms is not None and incarnation.ends_ms is not None
    ]


def _silences(incarnation: Incarnation) -> Iterable[int]:
    """From its last line before a session of it ended to that end."""
    for expired in [incarnation.expired_ms, *(s.expired_ms for s in incarnation.stalls if s.kind == StallKind.FROZEN)]:
        if expired is not None:
            alive = [at for at in [*incarnation.line_times, incarnation.starts_ms] if at is not None and at < expired]
            if alive:
                yield expired - max(alive)
