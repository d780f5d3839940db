"""max.poll.interval.ms, from rebalances that waited for a member, and from members that left because of it."""

from __future__ import annotations

from groupsim.replay.reconstruct.incarnation import Incarnation, StallKind
from groupsim.replay.reconstruct.inferred_settings.evidence import Evidence, Inference

_DEFAULT_MS = 300_000
_USUAL = (300_000, 120_000, 60_000, 30_000, 20_000, 10_000, 5_000)
_LONGEST_MS = 600_000


def max_poll_interval(evidence: Evidence) -> Inference:
    """A rebalance waits that long for a member that does not join; a member leaves after that time without a poll."""
    dropped = [g.join_ms for g in evidence.generations if g.dropped and g.join_ms]
    if dropped:
        return Inference(max(dropped), "is how long a rebalance waited for a member that did not join")
    bounds = [bound for incarnation in evidence.incarnations for bound in _since_last_join(incarnation)]
    if not bounds:
        return Inference(_DEFAULT_MS)
    fits = [usual for usual in _USUAL if usual <= min(bounds)]
    why = "is assumed: a member left because of it, and had not polled for at least that long"
    return Inference(fits[0] if fits else min(bounds), why)


def _since_last_join(incarnation: Incarnation) -> list[int]:
    """For each time that it left because of the interval: how long before it had joined."""
    found = []
    for stall in incarnation.stalls:
        if stall.expired_ms is not None and stall.kind == StallKind.BUSY:
            joins = [at for at in incarnation.joins_answered if at <= stall.expired_ms]
            found.append(stall.expired_ms - max(joins) if joins else _LONGEST_MS)
    return found
