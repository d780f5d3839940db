"""`infer_settings`: the four timeouts of a recorded group, which values are open, and a note on each of these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from groupsim.events.base import Recorded
from groupsim.replay.reconstruct.inferred_settings.evidence import (
    DEFAULT_HEARTBEAT_MS,
    HEARTBEAT,
    INITIAL_DELAY,
    MAX_POLL,
    SESSION,
    Evidence,
    Inference,
    Inferred,
)
from groupsim.replay.reconstruct.inferred_settings.heartbeat import UNKNOWN, heartbeat_candidates, heartbeat_interval
from groupsim.replay.reconstruct.inferred_settings.initial_delay import initial_delay
from groupsim.replay.reconstruct.inferred_settings.max_poll import max_poll_interval
from groupsim.replay.reconstruct.inferred_settings.reported import reported
from groupsim.replay.reconstruct.inferred_settings.session import session_timeout


def infer_settings(facts: Iterable[Recorded], group: str, evidence: Evidence, given: Mapping[str, int]) -> Inferred:
    """The four timeouts, what is open about them, and the notes.

    `given` is what the user knows. Otherwise: what members printed, or reported to the coordinator, where a log has it;
    else what the times of the record imply; else Kafka's default.
    """
    known = {**reported(facts, group), **given}
    heartbeat = heartbeat_interval(heartbeat_candidates(evidence))
    if HEARTBEAT in known:
        heartbeat = Inference(known[HEARTBEAT], known=True)
    session = Inference(known[SESSION], known=True) if SESSION in known else session_timeout(evidence, heartbeat)
    if session.known and (heartbeat is None or not heartbeat.known):
        heartbeat = heartbeat_interval(heartbeat_candidates(evidence, session.value_ms))
    if heartbeat is None:
        heartbeat = Inference(min(DEFAULT_HEARTBEAT_MS, max(session.value_ms // 3, 1)), UNKNOWN)
    inferred = {
        SESSION: session,
        HEARTBEAT: heartbeat,
        MAX_POLL: max_poll_interval(evidence),
        INITIAL_DELAY: initial_delay(evidence),
    }
    inferred |= {name: Inference(known[name], known=True) for name in inferred.keys() & known.keys()}
    return Inferred(
        values={**given, **{name: each.value_ms for name, each in inferred.items()}},
        open={name: each.open for name, each in inferred.items() if each.open},
        known=frozenset(name for name, each in inferred.items() if each.known),
        notes=[f"{name}={_said(each)}" for name, each in inferred.items() if each.why],
    )


def _said(inference: Inference) -> str:
    if not inference.open:
        return f"{inference.value_ms} {inference.why}"
    least, greatest = inference.open[0], inference.open[-1]
    return f"{inference.value_ms} {inference.why}; {least} to {greatest} is possible, and each seed draws from these"
