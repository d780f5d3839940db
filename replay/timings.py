"""RecordedTimings: when a recorded group's members sent heartbeats, and how long its messages and answers took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from groupsim.replay.reconstruct.incarnation import Incarnation
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.inferred_settings.evidence import HEARTBEAT, SESSION
from groupsim.replay.reconstruct.unseen import last_requests, on_time
from groupsim.simulation.clients.traits import TRAITS

_CLOCKS_MS = 50
"""The lines of client and coordinator about one event are at most this far apart."""
_ANSWERED_MS = 1_000
JOIN_LATENCY_MS = 200
"""A JoinGroup takes at most this long to the coordinator."""


@dataclass(frozen=True, slots=True)
class RecordedTimings:
    """Milliseconds, by incarnation (name) and generation (counted from the record's first).

    - `drift`: by how much an interval was longer than heartbeat.interval.ms, and in how many intervals that was seen
    - `heartbeats`: when one was answered, and when the rebalance began that the answer reported, if it did
    - `admissions`: by incarnation, when each of its member ids was issued, and added
    - `last_joins`: how long the last JoinGroup of a join phase took to the coordinator, and when it arrived
    - `joined`: from the completed join phase until the answer was handled
    - `reactions`: from a heartbeat's answer until the revoked callback began, or JoinGroup was sent
    - `received`: by incarnation of the consumer protocol, when a heartbeat's answer brought it something new
    - `assigned`: by generation, from the leader's answer until its assignment was at the coordinator
    """

    interval_ms: int
    drift: Mapping[tuple[str, int], tuple[float, int]]
    heartbeats: Mapping[tuple[str, int], tuple[int, int | None]]
    admissions: Mapping[str, tuple[tuple[int, int], ...]]
    last_joins: Mapping[tuple[str, int], tuple[int, int]]
    joined: Mapping[tuple[str, int], int]
    reactions: Mapping[tuple[str, int], int]
    assigned: Mapping[int, int]
    received: Mapping[str, Sequence[int]] = field(default_factory=dict)


def recorded_timings(incident: Incident) -> RecordedTimings:
    """The timings that the record shows; of a consumer group only when members received something new.

    Its classic members follow epochs, not join phases, so that the others can't be counted by generation.
    """
    received = {each.name: each.received for each in incident.incarnations if each.received}
    if received:
        return RecordedTimings(incident.settings[HEARTBEAT], {}, {}, {}, {}, {}, {}, {}, received)
    drift: dict[tuple[str, int], tuple[float, int]] = {}
    heartbeats: dict[tuple[str, int], tuple[int, int | None]] = {}
    joined: dict[tuple[str, int], int] = {}
    reactions: dict[tuple[str, int], int] = {}
    assigned: dict[int, int] = {}
    for incarnation in incident.incarnations:
        for at in incarnation.joins_answered:
            number = _generation(incident, incarnation, at)
            if number is not None:
                wait = at - incident.generations[number].joined_ms
                if wait <= _ANSWERED_MS:  # else a static member returned without a rebalance
                    joined[incarnation.name, number] = max(0, wait)
        for at, wait in incarnation.reactions:
            if (number := _generation(incident, incarnation, at)) is not None:
                reactions[incarnation.name, number] = wait
        for at, heartbeat in [*incarnation.heartbeats, *_last_heartbeats(incarnation, incident.settings)]:
            number = _generation(incident, incarnation, at)
            if number is not None and (incarnation.name, number) not in drift:
                drift[incarnation.name, number] = _drift(
                    heartbeat - _counts_from(incident, incarnation, at), incident.settings[HEARTBEAT]
                )
                heartbeats[incarnation.name, number] = heartbeat, _rebalance_start(incident, number, heartbeat)
    for number, generation in enumerate(incident.generations):
        answered = _answered(incident, number)
        waits = [wait for (_, g), wait in joined.items() if g == number and wait <= (generation.sync_ms or 0)]
        if generation.sync_ms is not None and (answered is not None or waits):
            lead = max(waits, default=0) if answered is None else answered - generation.joined_ms
            assigned[number] = max(0, generation.sync_ms - max(0, lead))
    admissions = {incarnation.name: tuple(incarnation.admissions) for incarnation in incident.incarnations}
    return RecordedTimings(
        incident.settings[HEARTBEAT],
        drift,
        heartbeats,
        admissions,
        _last_joins(incident),
        joined,
        reactions,
        assigned,
    )


def _counts_from(incident: Incident, incarnation: Incarnation, joined_ms: int) -> int:
    """From when a client counts its heartbeats: the answer to JoinGroup, or the one to SyncGroup, by library."""
    if not TRAITS[incident.client].heartbeats_from_sync:
        return joined_ms
    return next((at for at in incarnation.syncs_answered if joined_ms <= at <= joined_ms + _ANSWERED_MS), joined_ms)


def _answered(incident: Incident, number: int) -> int | None:
    """When the leader of a generation handled its JoinGroup's answer."""
    found = [
        at
        for incarnation in incident.incarnations
        for at in incarnation.led_at
        if _generation(incident, incarnation, at) == number
    ]
    return found[-1] if found else None


def _last_joins(incident: Incident) -> dict[tuple[str, int], tuple[int, int]]:
    """By incarnation and generation: how long the last JoinGroup of a join phase took, and when it arrived: at its end.

    A member that was added after it had sent JoinGroup is left out: the coordinator shows when that arrived.
    """
    last: dict[int, tuple[int, str]] = {}
    for incarnation in incident.incarnations:
        for at in incarnation.joins_answered:
            number = _generation(incident, incarnation, at)
            sent = max([sent_ms for sent_ms in incarnation.joins_sent if sent_ms <= at], default=None)
            if number is not None and sent is not None and not sent <= (incarnation.added_ms or -1) <= at:
                last[number] = max(last.get(number, (sent, incarnation.name)), (sent, incarnation.name))
    ended = {number: incident.generations[number].joined_ms for number in last}
    latencies = {(name, number): (max(0, ended[number] - sent), ended[number]) for number, (sent, name) in last.items()}
    return {key: way for key, way in latencies.items() if way[0] <= JOIN_LATENCY_MS}


def _rebalance_start(incident: Incident, number: int, heartbeat_ms: int) -> int | None:
    """When the rebalance began that ended this generation, if a heartbeat's answer can have reported it."""
    if number + 1 == len(incident.generations):
        return None
    started = incident.generations[number + 1].started_ms
    return started if started is not None and started <= heartbeat_ms + _CLOCKS_MS else None


def _generation(incident: Incident, incarnation: Incarnation, joined_ms: int) -> int | None:
    """Which generation (counted from the record's first) a client joined whose answer it handled then."""
    number = incarnation.generation_at.get(joined_ms, -1)
    past = [i for i, generation in enumerate(incident.generations) if generation.joined_ms <= joined_ms + _CLOCKS_MS]
    named = [i for i in past[-2:] if incident.generations[i].number == number]
    return max(named or past, default=None)


def _last_heartbeats(incarnation: Incarnation, settings: Mapping[str, int]) -> list[tuple[int, int]]:
    """The last heartbeat before a session ended came one session earlier, if one was due then."""
    return [
        (joined, at) for joined, at in last_requests(incarnation, settings[SESSION]) if on_time(at - joined, settings)
    ]


def _drift(wait_ms: int, interval_ms: int) -> tuple[float, int]:
    """How much each interval was too long, if so long after the first a heartbeat was answered, and their number."""
    beats = max(1, round(wait_ms / interval_ms))
    return max(0.0, (wait_ms - beats * interval_ms) / beats), beats
