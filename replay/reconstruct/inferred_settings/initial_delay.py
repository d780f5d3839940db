"""group.initial.rebalance.delay.ms, from the first join phase of an empty group.

The phase lasts one delay; at its end it is prolonged by another one if a member was added meanwhile, as often as that
happens (Kafka: GroupMetadataManager.tryCompleteInitialRebalanceElseSchedule; KIP-134).
"""

from __future__ import annotations

from groupsim.replay.reconstruct.inferred_settings.evidence import Evidence, Inference
from groupsim.replay.reconstruct.rebalances import Generation

_DEFAULT_MS = 3_000
_WITHOUT_DELAY_MS = 150
"""A first join phase shorter than this had no delay."""
_MOST_DELAYS = 100
_LATE_MS = 3
"""A timer fires at most about this late."""


def initial_delay(evidence: Evidence) -> Inference:
    """The delay whose multiple is the first join phase of an empty group, by when members were added in it."""
    first = next((g for g in evidence.generations if g.initial and g.join_ms is not None), None)
    if first is None or first.join_ms is None:
        return Inference(_DEFAULT_MS, "is Kafka's default; the record does not show an empty group start")
    if first.join_ms < _WITHOUT_DELAY_MS:
        return Inference(0, known=True)
    fits = []
    for delays in range(1, _MOST_DELAYS):
        delay = first.join_ms / delays
        if delay < _WITHOUT_DELAY_MS:
            break
        if _times_prolonged(first, evidence, delay) == delays - 1:
            fits.append(_whole(delay, delays))
    if not fits:
        return Inference(min(first.join_ms, _DEFAULT_MS), "is assumed: no delay fits the first join phase")
    best = min(fits, key=_rarity)
    if len(fits) == 1 or best == _DEFAULT_MS:
        return Inference(best, known=True)
    return Inference(best, "is the likeliest of the delays that fit the first join phase", tuple(sorted(fits)))


def _rarity(delay_ms: int) -> int:
    """Kafka's default first, then the rounder."""
    units = (5_000, 1_000, 500, 100)
    return 0 if delay_ms == _DEFAULT_MS else next((n for n, unit in enumerate(units, 1) if delay_ms % unit == 0), 9)


def _times_prolonged(first: Generation, evidence: Evidence, delay: float) -> int:
    """How often members that are added in the phase prolong it by this delay."""
    assert first.started_ms is not None
    added = sorted(
        at - first.started_ms
        for incarnation in evidence.incarnations
        if (at := incarnation.added_ms or incarnation.starts_ms) is not None
        and first.started_ms < at <= first.joined_ms
        and first.member not in incarnation.member_ids
    )
    number = 0
    while any(number * delay < at <= (number + 1) * delay + _LATE_MS for at in added):
        number += 1
    return number


def _whole(delay: float, delays: int) -> int:
    """The delay without what the timers were late: each at most by some milliseconds."""
    rounded = round(delay / 100) * 100
    return rounded if 0 <= delay - rounded <= _LATE_MS + 20 / delays else round(delay)
