"""`infer_settings`: the timeouts of a recorded group, which values are open, and a note on each of these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from groupsim.events.base import Recorded
from groupsim.incidents.default_settings import HEARTBEAT_MS, LEAST_SESSION_MS, SESSION_MS
from groupsim.replay.reconstruct.incarnation import Ending, Incarnation, StallKind
from groupsim.replay.reconstruct.inferred_settings.append_linger import append_linger
from groupsim.replay.reconstruct.inferred_settings.candidates import Candidates
from groupsim.replay.reconstruct.inferred_settings.evidence import (
    APPEND_LINGER,
    HEARTBEAT,
    INITIAL_DELAY,
    MAX_POLL,
    METADATA_AGE,
    SESSION,
    Evidence,
    Inference,
    Inferred,
    Open,
)
from groupsim.replay.reconstruct.inferred_settings.heartbeat import intervals, only, reporting_heartbeats
from groupsim.replay.reconstruct.inferred_settings.initial_delay import initial_delay
from groupsim.replay.reconstruct.inferred_settings.removals import Removals, removals_of
from groupsim.replay.reconstruct.inferred_settings.reported import reported
from groupsim.replay.reconstruct.inferred_settings.session import both
from groupsim.simulation.clients.config import NATIVE

_RARE = 2
"""So many of the 40 equally likely values at each end are left out where nothing but habit tells the session."""
_DEFAULT_MAX_POLL_MS = 300_000
_USUAL_MAX_POLLS_MS = (300_000, 120_000, 60_000, 30_000, 20_000, 10_000, 5_000)
_LONGEST_MAX_POLL_MS = 600_000
_NO_SESSION = "is Kafka's default; no log shows it"
_NOT_DEFAULT = "is assumed: no log shows it, and the heartbeat interval is not Kafka's default either"
_NO_HEARTBEAT = "is Kafka's default, or a third of the session; the logs do not show when members sent heartbeats"

_NO_DELAY = Inference(0, "is assumed: a consumer group has none, and the start-up of another one is in no comparison")


def infer_settings(
    facts: Iterable[Recorded], group: str, evidence: Evidence, given: Mapping[str, int], writes_ms: Sequence[int] = ()
) -> Inferred:
    """The timeouts, what is open about them, and the notes. `writes_ms`: how long writes of the coordinator took.

    `given` is what the user knows. Otherwise: what members printed, or reported to the coordinator, where a log has it;
    else what the times of the record imply; else Kafka's default.
    """
    known = {**reported(facts, group), **given}
    age_ms = known.pop(METADATA_AGE, None)
    session, heartbeat = _session_and_heartbeat(evidence, known)
    inferred = {
        SESSION: session,
        HEARTBEAT: heartbeat,
        MAX_POLL: _max_poll_interval(evidence),
        INITIAL_DELAY: _NO_DELAY if _consumer_group(evidence) else initial_delay(evidence),
        APPEND_LINGER: append_linger(writes_ms),
    }
    inferred |= {name: Inference(known[name], known=True) for name in inferred.keys() & known.keys()}
    return Inferred(
        values={**given, **{name: inference.value_ms for name, inference in inferred.items()}},
        open={name: inference.open for name, inference in inferred.items() if inference.open},
        known=frozenset(name for name, inference in inferred.items() if inference.known),
        notes=[f"{name}={_said(inference)}" for name, inference in inferred.items() if inference.why],
        metadata_age_ms=age_ms,
    )


def _consumer_group(evidence: Evidence) -> bool:
    """Whether no member spoke the classic protocol."""
    return all(incarnation.protocol in NATIVE for incarnation in evidence.incarnations)


def _session_and_heartbeat(evidence: Evidence, known: Mapping[str, int]) -> tuple[Inference, Inference]:
    """What is known of one of them, printed or inferred, helps to infer the other."""
    observed, removals = reporting_heartbeats(evidence), removals_of(evidence.incarnations)
    dated = max(_dates_deaths(evidence), default=LEAST_SESSION_MS)
    session_ms = known.get(SESSION, dated if dated > LEAST_SESSION_MS else None)
    every = only(known[HEARTBEAT]) if HEARTBEAT in known else intervals(observed)
    found = both(every, removals, session_ms)
    if session_ms is not None:
        session = Inference(session_ms, "" if SESSION in known else "dates the deaths in the import", known=True)
    else:
        session = _session(found.session, removals, HEARTBEAT in known or bool(observed), dated)
    return session, _heartbeat(found.heartbeat, session, len(observed), len(removals.silences))


def _session(found: Candidates, removals: Removals, heartbeat_seen: bool, dated_ms: int) -> Inference:
    """`dated_ms`: the session by which the import dates deaths: the replay takes it, too, if it fits."""
    if not removals.any:
        usual = _allowed(found.equally_likely()[_RARE:-_RARE])
        if not heartbeat_seen or found.best == SESSION_MS:
            return Inference(SESSION_MS, _NO_SESSION, usual)
        return Inference(_nearest(found.best, usual), _NOT_DEFAULT, usual)
    if found.sure:
        how = "the close of a member that stays in the group" if removals.closed_ms else "a member's last sign of life"
        return Inference(found.best, f"fits the time from {how} to its removal", known=True)
    allowed = _allowed(found.equally_likely())
    value_ms = _nearest(dated_ms, allowed)
    why = "is the shortest of the values that fit the silence of a removed member"
    if value_ms > allowed[0]:
        why = "fits the silence of a removed member, and dates its death in the import"
    return Inference(value_ms, why, allowed)


def _allowed(sessions: Open) -> Open:
    """Those that a broker allows by default, unless most are shorter: then it must allow less."""
    allowed = tuple(session for session in sessions if session >= LEAST_SESSION_MS)
    return allowed if 2 * len(allowed) >= len(sessions) else sessions


def _nearest(value: int, values: Open) -> int:
    return min(max(value, values[0]), values[-1])


def _heartbeat(found: Candidates, session: Inference, observed: int, last: int) -> Inference:
    """From `observed` heartbeats that reported a rebalance, and the `last` ones of members that were removed."""
    if not observed and not (last and session.known):
        return Inference(min(HEARTBEAT_MS, max(session.value_ms // 3, 1)), _NO_HEARTBEAT)
    if found.sure:
        number = observed + last * session.known
        return Inference(found.best, f"is the interval that fits the {number} observed heartbeats best", known=True)
    why = "is the likeliest of the intervals that fit the observed heartbeats"
    return Inference(found.best, why, found.equally_likely())


def _dates_deaths(evidence: Evidence) -> list[int]:
    """The sessions by which the import dated deaths: of members that did not write until shortly before.

    Longer than what it assumes without knowing better: its logs, or its user, named it.
    """
    starts = {incarnation.line_times[0] for incarnation in evidence.incarnations if incarnation.line_times}
    return [
        incarnation.expired_ms - incarnation.ends_ms
        for incarnation in evidence.incarnations
        if incarnation.ending == Ending.KILL
        and incarnation.expired_ms is not None
        and incarnation.ends_ms is not None
        and incarnation.expired_ms - incarnation.ends_ms >= LEAST_SESSION_MS
        and incarnation.ends_ms not in starts
    ]


def _said(inference: Inference) -> str:
    if not inference.open:
        return f"{inference.value_ms} {inference.why}"
    least, greatest = inference.open[0], inference.open[-1]
    return f"{inference.value_ms} {inference.why}; {least} to {greatest} is possible, and each seed draws from these"


def _max_poll_interval(evidence: Evidence) -> Inference:
    """A rebalance waits that long for a member that does not join; a member leaves after that time without a poll."""
    dropped = [g.join_ms for g in evidence.generations if g.dropped and g.join_ms]
    if dropped:
        return Inference(max(dropped), "is how long a rebalance waited for a member that did not join")
    bounds = [bound for incarnation in evidence.incarnations for bound in _since_last_join(incarnation)]
    if not bounds:
        return Inference(_DEFAULT_MAX_POLL_MS)
    fits = [usual for usual in _USUAL_MAX_POLLS_MS if usual <= min(bounds)]
    why = "is assumed: a member left because of it, and had not polled for at least that long"
    return Inference(fits[0] if fits else min(bounds), why)


def _since_last_join(incarnation: Incarnation) -> list[int]:
    """For each time that it left because of the interval: how long before it had joined."""
    found = []
    for stall in incarnation.stalls:
        if stall.expired_ms is not None and stall.kind == StallKind.BUSY:
            joins = [at for at in incarnation.joins_answered if at <= stall.expired_ms]
            found.append(stall.expired_ms - max(joins) if joins else _LONGEST_MAX_POLL_MS)
    return found
