"""Which timeouts a recorded group ran with, as far as its facts betray them; what is assumed is said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log

from groupsim.events import classic as c
from groupsim.events.base import Recorded, group_stream
from groupsim.replay.reconstruct.member_history import BUSY, CLOSE, FROZEN, KILL, Incarnation
from groupsim.replay.reconstruct.rebalances import Generation

SESSION, HEARTBEAT = "session.timeout.ms", "heartbeat.interval.ms"
MAX_POLL, INITIAL_DELAY = "max.poll.interval.ms", "group.initial.rebalance.delay.ms"
_SESSIONS = (45_000, 30_000, 20_000, 10_000, 6_000)
_BEATS = (10_000, 5_000, 4_000, 3_000, 2_000, 1_500, 1_000, 500, 300, 200, 100)
_POLLS = (600_000, 300_000, 120_000, 60_000, 30_000, 20_000, 10_000, 5_000)
_DEFAULT_DELAY_MS = 3_000
_DEFAULT_BEAT_MS = 3_000
_CLOSING_MS = 50
"""A closing consumer's last commit, which its session counts from, comes so little before it is closed."""
_MOSTLY, _NEVER = 0.98, 0.0001
_EARLY_MS = 40

Found = dict[str, int]


def infer(
    facts: Iterable[Recorded],
    group: str,
    lives: Sequence[Incarnation],
    passed: Sequence[Generation],
    given: Mapping[str, int],
) -> tuple[Found, list[str]]:
    """The four timeouts in ms by Kafka's names, and a sentence for each that had to be assumed.

    `given` is what the user knows. Otherwise: what members told the coordinator, where the log has it; else what the
    record's own times imply; else Kafka's default.
    """
    found: Found = dict(given)
    notes: list[str] = []
    told = {**_told(facts, group), **given}

    def settle(name: str, value: int, why: str) -> None:
        found[name] = told.get(name, value)
        if why and name not in told:
            notes.append(f"{name}={value} {why}")

    beat_ms, why = _heartbeat(lives, passed)
    settle(SESSION, *_session(lives, found.get(HEARTBEAT, beat_ms)))
    if beat_ms is None:
        beat_ms = min(_DEFAULT_BEAT_MS, max(found[SESSION] // 3, 1))
    settle(HEARTBEAT, beat_ms, why)
    settle(MAX_POLL, *_max_poll(lives, passed))
    settle(INITIAL_DELAY, *_initial_delay(passed))
    return found, notes


def _told(facts: Iterable[Recorded], group: str) -> Found:
    """What the coordinator's log says of its members' own settings."""
    found: Found = {}
    for fact in facts:
        event = fact.event
        if fact.stream == group_stream(group) and isinstance(event, c.MemberAdded | c.MemberIdIssued):
            if event.session_timeout_ms is not None:
                found[SESSION] = event.session_timeout_ms
            if isinstance(event, c.MemberAdded) and event.rebalance_timeout_ms is not None:
                found[MAX_POLL] = event.rebalance_timeout_ms
    return found


def _session(lives: Sequence[Incarnation], beat_ms: int | None) -> tuple[int, str]:
    """Silences are at least as long as a session; a heartbeat interval other than the default means another session."""
    dated = [
        life.expired_ms - life.ends_ms
        for life in lives
        if life.ending == KILL and life.expired_ms is not None and life.ends_ms is not None
    ]
    if gaps := [gap for gap in dated if gap > 0]:
        return min(gaps), "is what the import took the silence of a dead member for; no log tells it"
    closed = [
        life.expired_ms - life.ends_ms
        for life in lives
        if life.ending == CLOSE and life.expired_ms is not None and life.ends_ms is not None
    ]
    if closed:
        least = min(closed) - _CLOSING_MS
        return min((known for known in _SESSIONS if known >= least), default=min(closed)), (
            "fits how long a static member was kept after it had closed"
        )
    bounds = [expired - last for life in lives for expired, last in _silences(life)]
    if bounds:
        usual = _SESSIONS if beat_ms in (None, _DEFAULT_BEAT_MS) else _SESSIONS[-1:]
        fits = [known for known in usual if known <= min(bounds)]
        return (fits[0] if fits else _SESSIONS[-1]), "is assumed: a member was removed after a silence no shorter"
    if beat_ms in (None, _DEFAULT_BEAT_MS):
        return _SESSIONS[0], "is Kafka's default; no log tells it"
    return max(_SESSIONS[-1], 3 * (beat_ms or 0)), "is assumed: heartbeats are not at Kafka's default either"


def _silences(life: Incarnation) -> Iterable[tuple[int, int]]:
    """When its session ended, and when it was last seen alive before."""
    for expired in [life.expired_ms, *(s.expired_ms for s in life.stalls if s.kind == FROZEN)]:
        if expired is not None:
            alive = [at for at in [*life.seen, life.starts_ms] if at is not None and at < expired]
            if alive:
                yield expired, max(alive)


def _heartbeat(lives: Sequence[Incarnation], passed: Sequence[Generation]) -> tuple[int | None, str]:
    beats = [beat for life in lives for beat in life.beats]
    waits = [beat - joined for joined, beat in beats]
    if waits:
        news = [at for at in (_news(joined, beat, passed) for joined, beat in beats) if at is not None]
        likely = {
            interval: sum(_evidence(wait, interval) for wait in waits) + sum(_patience(age, interval) for age in news)
            for interval in _BEATS
        }
        best = max(likely, key=lambda interval: likely[interval])
        if likely[best] > 0:
            return best, f"is the interval that {len(waits)} observed heartbeats fit best"
    return None, "is Kafka's default, or a third of the session; the logs do not show when members beat"


def _news(joined_ms: int, beat_ms: int, passed: Sequence[Generation]) -> int | None:
    """How old the news was of a rebalance that a heartbeat told, in ms; None where the record has no start of it."""
    began = [g.started_ms for g in passed if g.started_ms is not None and joined_ms < g.started_ms <= beat_ms]
    return beat_ms - began[0] if began else None


def _patience(age_ms: int, interval_ms: int) -> float:
    """A heartbeat of the interval would have told of the rebalance sooner; its thread may be late by half of one."""
    return log(_NEVER) if age_ms > 1.5 * interval_ms + 2 * _CLOSING_MS else 0.0


def _evidence(wait_ms: int, interval_ms: int) -> float:
    """How much a heartbeat so long after joining speaks for an interval: the log of how much likelier it is with it.

    A beat may be late, each interval by some milliseconds; hardly ever early, but for what lies between two lines.
    """
    beats = max(1, round(wait_ms / interval_ms))
    late = wait_ms - beats * interval_ms
    latest = min(60 + 8 * beats, 0.45 * interval_ms)
    by_chance = (latest + _EARLY_MS) / interval_ms
    if -_EARLY_MS <= late <= latest:
        return log(_MOSTLY / by_chance)
    if beats == 1 and late < 0:
        return log(_NEVER)
    return log((1 - _MOSTLY) / (1 - by_chance))


def _max_poll(lives: Sequence[Incarnation], passed: Sequence[Generation]) -> tuple[int, str]:
    dropped = [g.join_ms for g in passed if g.dropped and g.join_ms]
    if dropped:
        return max(dropped), "is how long a rebalance waited for a member that did not come"
    bounds = [
        stall.expired_ms
        - max([at for at in life.joins if at <= stall.expired_ms], default=stall.expired_ms - _POLLS[0])
        for life in lives
        for stall in life.stalls
        if stall.expired_ms is not None and stall.kind == BUSY
    ]
    if not bounds:
        return 300_000, ""
    fits = [known for known in _POLLS[1:] if known <= min(bounds)]
    return (fits[0] if fits else min(bounds)), "is assumed: a member left for it, and had polled no longer before"


def _initial_delay(passed: Sequence[Generation]) -> tuple[int, str]:
    first = next((g for g in passed if g.initial and g.join_ms is not None), None)
    if first is None or first.join_ms is None:
        return _DEFAULT_DELAY_MS, "is Kafka's default; the record has no start of an empty group"
    if first.join_ms < 150:
        return 0, ""
    return min(first.join_ms, _DEFAULT_DELAY_MS), ""
