"""Tail: how long after a record's end its effects may last, so that a choice pays for what it delays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from groupsim.replay.choice import AS_RECORDED, Choice
from groupsim.replay.protocols import heartbeats_ms, in_own_time, metadata_age_ms, native, protocols, session_ms
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, INITIAL_DELAY, MAX_POLL, SESSION
from groupsim.simulation.clients.config import CLASSIC

AFTERWARDS_MS = 10_000
"""A replay goes on for this long after the end, so that a rebalance which still runs can complete."""
LONGEST_MS = 600_000
"""A tail is no longer; what lasts longer still is said to be a lower bound."""
_BEATS = 3
"""Members learn of a dead one, give up what they must, and get what is theirs, each with a heartbeat."""


def tail_ms(incident: Incident, choices: Iterable[Choice]) -> int:
    """How long after the record's end its effects may last, with the slowest of the choices: the same for all."""
    slowest = max(_lasts_ms(incident, choice) for choice in (AS_RECORDED, *choices))
    return min(slowest, LONGEST_MS) + AFTERWARDS_MS


def _lasts_ms(incident: Incident, choice: Choice) -> int:
    """Until a death is noticed and the partitions are handed over; and what a choice waits for besides."""
    longest = {
        name: max([incident.settings[name], *incident.open_settings.get(name, ())]) for name in (SESSION, HEARTBEAT)
    }
    noticed = []
    used = protocols(incident, choice)
    if CLASSIC in used:
        session, heartbeat = (_chosen(choice, name, longest[name]) for name in (SESSION, HEARTBEAT))
        noticed.append(session + _BEATS * heartbeat)
    if used - {CLASSIC}:
        noticed.append(_noticed_by_broker_ms(incident, choice, longest))
    return max(noticed) + sum(_waits_ms(incident, choice))


def _noticed_by_broker_ms(incident: Incident, choice: Choice, longest: Mapping[str, int]) -> int:
    incident = replace(incident, settings={**incident.settings, **longest})
    least = f"group.{native(incident)}.min.session.timeout.ms"
    return max(session_ms(incident, choice), _chosen(choice, least, 0)) + _BEATS * heartbeats_ms(incident, choice)


def _waits_ms(incident: Incident, choice: Choice) -> Iterator[int]:
    """What a choice makes longer: the first rebalance, a member that is away, one that does not poll, old metadata."""
    yield _chosen(choice, INITIAL_DELAY, 0)
    yield choice.restart_ms or 0
    stalls = [
        (incident.ends_ms if stall.to_ms is None else stall.to_ms) - (stall.from_ms or 0)
        for each in incident.incarnations
        for stall in each.stalls
    ]
    yield min(_chosen(choice, MAX_POLL, 0), max(stalls, default=0))
    if incident.growths and in_own_time(incident, choice):
        yield metadata_age_ms(incident, choice)


def _chosen(choice: Choice, name: str, otherwise: int) -> int:
    text = str(choice.settings.get(name, ""))
    return int(text) if text.isdigit() else otherwise
