"""The timeouts of a recorded group, inferred from its facts; a note says what is assumed. A new inference goes here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log

from groupsim.events import classic as c
from groupsim.events.base import Recorded, group_stream
from groupsim.replay.reconstruct.incarnation import Ending, Incarnation, StallKind
from groupsim.replay.reconstruct.rebalances import Generation

SESSION, HEARTBEAT = "session.timeout.ms", "heartbeat.interval.ms"
MAX_POLL, INITIAL_DELAY = "max.poll.interval.ms", "group.initial.rebalance.delay.ms"
_SESSIONS = (45_000, 30_000, 20_000, 10_000, 6_000)
_INTERVALS = (10_000, 5_000, 4_000, 3_000, 2_000, 1_500, 1_000, 500, 300, 200, 100)
_POLL_INTERVALS = (600_000, 300_000, 120_000, 60_000, 30_000, 20_000, 10_000, 5_000)
_DEFAULT_DELAY_MS = 3_000
_DEFAULT_INTERVAL_MS = 3_000
_CLOSING_MS = 50
"""A consumer's last commit, from which its session counts, comes at most this long before close() returns."""
_MOSTLY, _NEVER = 0.98, 0.0001
_EARLY_MS = 40

Settings = dict[str, int]
"""In ms, by Kafka's names."""


def infer(
    facts: Iterable[Recorded],
    group: str,
    incarnations: Sequence[Incarnation],
    generations: Sequence[Generation],
    given: Mapping[str, int],
) -> tuple[Settings, list[str]]:
    """The four timeouts in ms by Kafka's names, and a sentence for each that had to be assumed.

    `given` is what the user knows. Otherwise: what members reported to the coordinator, where a log has it; else what
    the times of the record imply; else Kafka's default.
    """
    found: Settings = dict(given)
    notes: list[str] = []
    known = {**_reported(facts, group), **given}

    def settle(name: str, value: int, why: str) -> None:
        found[name] = known.get(name, value)
        if why and name not in known:
            notes.append(f"{name}={value} {why}")

    interval_ms, why = _heartbeat(incarnations, generations)
    settle(SESSION, *_session(incarnations, found.get(HEARTBEAT, interval_ms)))
    if interval_ms is None:
        interval_ms = min(_DEFAULT_INTERVAL_MS, max(found[SESSION] // 3, 1))
    settle(HEARTBEAT, interval_ms, why)
    settle(MAX_POLL, *_max_poll(incarnations, generations))
    settle(INITIAL_DELAY, *_initial_delay(generations))
    return found, notes


def _reported(facts: Iterable[Recorded], group: str) -> Settings:
    """The settings that members reported with JoinGroup, where the coordinator's log has them."""
    found: Settings = {}
    for fact in facts:
        event = fact.event
        if fact.stream == group_stream(group) and isinstance(event, c.MemberAdded | c.MemberIdIssued):
            if event.session_timeout_ms is not None:
                found[SESSION] = event.session_timeout_ms
            if isinstance(event, c.MemberAdded) and event.rebalance_timeout_ms is not None:
                found[MAX_POLL] = event.rebalance_timeout_ms
    return found


def _session(incarnations: Sequence[Incarnation], interval_ms: int | None) -> tuple[int, str]:
    """Silences are at least as long as a session; a heartbeat interval other than the default means another session."""
    dated = [
        incarnation.expired_ms - incarnation.ends_ms
        for incarnation in incarnations
        if incarnation.ending == Ending.KILL and incarnation.expired_ms is not None and incarnation.ends_ms is not None
    ]
    if gaps := [gap for gap in dated if gap > 0]:
        return min(gaps), "is the time that the import assumed for the silence of a dead member; no log shows it"
    closed = [
        incarnation.expired_ms - incarnation.ends_ms
        for incarnation in incarnations
        if incarnation.ending == Ending.CLOSE and incarnation.expired_ms is not None and incarnation.ends_ms is not None
    ]
    if closed:
        least = min(closed) - _CLOSING_MS
        return min((known for known in _SESSIONS if known >= least), default=min(closed)), (
            "fits the time from the close of a static member to its removal"
        )
    bounds = [expired - last for incarnation in incarnations for expired, last in _silences(incarnation)]
    if bounds:
        usual = _SESSIONS if interval_ms in (None, _DEFAULT_INTERVAL_MS) else _SESSIONS[-1:]
        fits = [known for known in usual if known <= min(bounds)]
        return (fits[0] if fits else _SESSIONS[-1]), "is assumed: a member was removed after a silence of at least that"
    if interval_ms in (None, _DEFAULT_INTERVAL_MS):
        return _SESSIONS[0], "is Kafka's default; no log shows it"
    return max(
        _SESSIONS[-1], 3 * (interval_ms or 0)
    ), "is assumed: the heartbeat interval is not Kafka's default either"


def _silences(incarnation: Incarnation) -> Iterable[tuple[int, int]]:
    """Pairs: when its session ended, and its last line before."""
    for expired in [incarnation.expired_ms, *(s.expired_ms for s in incarnation.stalls if s.kind == StallKind.FROZEN)]:
        if expired is not None:
            alive = [at for at in [*incarnation.line_times, incarnation.starts_ms] if at is not None and at < expired]
            if alive:
                yield expired, max(alive)


def _heartbeat(incarnations: Sequence[Incarnation], generations: Sequence[Generation]) -> tuple[int | None, str]:
    heartbeats = [pair for incarnation in incarnations for pair in incarnation.heartbeats]
    waits = [at - joined for joined, at in heartbeats]
    if waits:
        ages = [age for joined, at in heartbeats if (age := _age_of_rebalance(joined, at, generations)) is not None]
        likely = {
            interval: sum(_log_odds_of_wait(wait, interval) for wait in waits)
            + sum(_log_odds_of_age(age, interval) for age in ages)
            for interval in _INTERVALS
        }
        best = max(likely, key=lambda interval: likely[interval])
        if likely[best] > 0:
            return best, f"is the interval that fits the {len(waits)} observed heartbeats best"
    return None, "is Kafka's default, or a third of the session; the logs do not show when members sent heartbeats"


def _age_of_rebalance(joined_ms: int, heartbeat_ms: int, generations: Sequence[Generation]) -> int | None:
    """How long before the heartbeat the rebalance had begun that it reported, in ms; None if no log has its start."""
    began = [g.started_ms for g in generations if g.started_ms is not None and joined_ms < g.started_ms <= heartbeat_ms]
    return heartbeat_ms - began[0] if began else None


def _log_odds_of_age(age_ms: int, interval_ms: int) -> float:
    """A heartbeat would have reported the rebalance within one interval; its thread may be late by half of one."""
    return log(_NEVER) if age_ms > 1.5 * interval_ms + 2 * _CLOSING_MS else 0.0


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


def _max_poll(incarnations: Sequence[Incarnation], generations: Sequence[Generation]) -> tuple[int, str]:
    dropped = [g.join_ms for g in generations if g.dropped and g.join_ms]
    if dropped:
        return max(dropped), "is how long a rebalance waited for a member that did not join"
    bounds = [
        stall.expired_ms
        - max(
            [at for at in incarnation.joins_answered if at <= stall.expired_ms],
            default=stall.expired_ms - _POLL_INTERVALS[0],
        )
        for incarnation in incarnations
        for stall in incarnation.stalls
        if stall.expired_ms is not None and stall.kind == StallKind.BUSY
    ]
    if not bounds:
        return 300_000, ""
    fits = [known for known in _POLL_INTERVALS[1:] if known <= min(bounds)]
    return (
        fits[0] if fits else min(bounds)
    ), "is assumed: a member left because of it, and had not polled for at least that long"


def _initial_delay(generations: Sequence[Generation]) -> tuple[int, str]:
    first = next((g for g in generations if g.initial and g.join_ms is not None), None)
    if first is None or first.join_ms is None:
        return _DEFAULT_DELAY_MS, "is Kafka's default; the record does not show an empty group start"
    if first.join_ms < 150:
        return 0, ""
    return min(first.join_ms, _DEFAULT_DELAY_MS), ""
