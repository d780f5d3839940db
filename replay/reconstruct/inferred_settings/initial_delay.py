"""group.initial.rebalance.delay.ms, from the first join phase of an empty group."""

from __future__ import annotations

from groupsim.replay.reconstruct.inferred_settings.evidence import Evidence, Inference

_DEFAULT_MS = 3_000
_WITHOUT_DELAY_MS = 150
"""A first join phase shorter than this had no delay."""


def initial_delay(evidence: Evidence) -> Inference:
    """The duration of the first join phase of an empty group, at most Kafka's default."""
    first = next((g for g in evidence.generations if g.initial and g.join_ms is not None), None)
    if first is None or first.join_ms is None:
        return Inference(_DEFAULT_MS, "is Kafka's default; the record does not show an empty group start")
    return Inference(0 if first.join_ms < _WITHOUT_DELAY_MS else min(first.join_ms, _DEFAULT_MS))
