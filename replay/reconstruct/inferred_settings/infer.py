"""`infer_settings`: the four timeouts of a recorded group, and a note on each that had to be assumed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from groupsim.events import classic as c
from groupsim.events.base import Recorded, group_stream
from groupsim.replay.reconstruct.inferred_settings.evidence import (
    DEFAULT_HEARTBEAT_MS,
    HEARTBEAT,
    INITIAL_DELAY,
    MAX_POLL,
    SESSION,
    Evidence,
    Inference,
)
from groupsim.replay.reconstruct.inferred_settings.heartbeat import UNKNOWN, heartbeat_interval
from groupsim.replay.reconstruct.inferred_settings.initial_delay import initial_delay
from groupsim.replay.reconstruct.inferred_settings.max_poll import max_poll_interval
from groupsim.replay.reconstruct.inferred_settings.session import session_timeout

Settings = dict[str, int]
"""In ms, by Kafka's names."""


def infer_settings(
    facts: Iterable[Recorded], group: str, evidence: Evidence, given: Mapping[str, int]
) -> tuple[Settings, list[str]]:
    """The four timeouts, and the notes.

    `given` is what the user knows. Otherwise: what members reported to the coordinator, where a log has it; else what
    the times of the record imply; else Kafka's default.
    """
    known = {**_reported(facts, group), **given}
    heartbeat = heartbeat_interval(evidence)
    interval_ms = given.get(HEARTBEAT, None if heartbeat is None else heartbeat.value_ms)
    session = session_timeout(evidence, interval_ms)
    if heartbeat is None:
        third_ms = max(known.get(SESSION, session.value_ms) // 3, 1)
        heartbeat = Inference(min(DEFAULT_HEARTBEAT_MS, third_ms), UNKNOWN)
    inferred = {
        SESSION: session,
        HEARTBEAT: heartbeat,
        MAX_POLL: max_poll_interval(evidence),
        INITIAL_DELAY: initial_delay(evidence),
    }
    settings = {**given, **{name: known.get(name, inference.value_ms) for name, inference in inferred.items()}}
    notes = [f"{name}={i.value_ms} {i.why}" for name, i in inferred.items() if i.why and name not in known]
    return settings, notes


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
