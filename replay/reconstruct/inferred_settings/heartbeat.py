"""heartbeat.interval.ms, from the times between a join and later heartbeats: the interval that is the most likely."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from groupsim.replay.reconstruct.inferred_settings.evidence import CLOSING_MS, Evidence, Inference
from groupsim.replay.reconstruct.rebalances import Generation

UNKNOWN = "is Kafka's default, or a third of the session; the logs do not show when members sent heartbeats"
_INTERVALS = (10_000, 5_000, 4_000, 3_000, 2_000, 1_500, 1_000, 500, 300, 200, 100)
_MOSTLY, _NEVER = 0.98, 0.0001
_EARLY_MS = 40


def heartbeat_interval(evidence: Evidence) -> Inference | None:
    """The interval that fits the observed heartbeats best; None if there are none, or none that fits."""
    heartbeats = [pair for incarnation in evidence.incarnations for pair in incarnation.heartbeats]
    if not heartbeats:
        return None
    waits = [at - joined for joined, at in heartbeats]
    ages = [_age_of_rebalance(joined, at, evidence.generations) for joined, at in heartbeats]
    likely = {
        interval: sum(_log_odds_of_wait(wait, interval) for wait in waits)
        + sum(_log_odds_of_age(age, interval) for age in ages if age is not None)
        for interval in _INTERVALS
    }
    best = max(likely, key=lambda interval: likely[interval])
    if likely[best] <= 0:
        return None
    return Inference(best, f"is the interval that fits the {len(waits)} observed heartbeats best")


def _age_of_rebalance(joined_ms: int, heartbeat_ms: int, generations: Sequence[Generation]) -> int | None:
    """How long before the heartbeat the rebalance had begun that it reported, in ms; None if no log has its start."""
    began = [g.started_ms for g in generations if g.started_ms is not None and joined_ms < g.started_ms <= heartbeat_ms]
    return heartbeat_ms - began[0] if began else None


def _log_odds_of_age(age_ms: int, interval_ms: int) -> float:
    """A heartbeat would have reported the rebalance within one interval; its thread may be late by half of one."""
    return log(_NEVER) if age_ms > 1.5 * interval_ms + 2 * CLOSING_MS else 0.0


def _log_odds_of_wait(wait_ms: int, interval_ms: int) -> float:
    """The log of how much more likely a heartbeat so long after joining is with this interval than by chance.

    A heartbeat may be late, each interval by some milliseconds; it is early only by what lies between two lines.
    """
    number = max(1, round(wait_ms / interval_ms))
    late = wait_ms - number * interval_ms
    latest = min(60 + 8 * number, 0.45 * interval_ms)
    by_chance = (latest + _EARLY_MS) / interval_ms
    if -_EARLY_MS <= late <= latest:
        return log(_MOSTLY / by_chance)
    if number == 1 and late < 0:
        return log(_NEVER)
    return log((1 - _MOSTLY) / (1 - by_chance))
