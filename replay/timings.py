"""When members beat, and how long messages and answers took, in a recorded group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.inferred_settings import HEARTBEAT, SESSION
from groupsim.replay.reconstruct.member_history import FROZEN, KILL, Incarnation
from groupsim.simulation.clients.traits import TRAITS

_CLOCKS_MS = 50
"""Clients' and coordinator's lines of one event lie so far apart at most."""
_ANSWERED_MS = 1_000
_LATE_MS = 60
SENT_MS = 200
"""A JoinGroup takes no longer to the coordinator."""


@dataclass(frozen=True, slots=True)
class RecordedTimings:
    """Milliseconds by life (name) and generation (counted from the record's first).

    `drift`: how much longer than heartbeat.interval.ms an interval was, and in how many of them that was seen;
    `beats`: when one was answered, and when the rebalance had begun that it told of (None: it told of none); `came`:
    by life, when its member ids were issued, and were added; `sent`: the last JoinGroup's way to the coordinator, and
    when it was there; `joined`: join phase completed → answer handled; `acted`: heartbeat answered → revoked callback
    begins, or JoinGroup is sent; `assigned`: the leader's answer handled → assignment at the coordinator.
    """

    interval_ms: int
    drift: Mapping[tuple[str, int], tuple[float, int]]
    beats: Mapping[tuple[str, int], tuple[int, int | None]]
    came: Mapping[str, tuple[tuple[int, int], ...]]
    sent: Mapping[tuple[str, int], tuple[int, int]]
    joined: Mapping[tuple[str, int], int]
    acted: Mapping[tuple[str, int], int]
    assigned: Mapping[int, int]


def measured(plot: Incident) -> RecordedTimings:
    """The rhythm that the record shows, as far as it does."""
    drift: dict[tuple[str, int], tuple[float, int]] = {}
    beats: dict[tuple[str, int], tuple[int, int | None]] = {}
    joined: dict[tuple[str, int], int] = {}
    acted: dict[tuple[str, int], int] = {}
    assigned: dict[int, int] = {}
    for life in plot.lives:
        for at in life.joins:
            number = _generation(plot, life, at)
            if number is not None:
                wait = at - plot.generations[number].joined_ms
                if wait <= _ANSWERED_MS:  # else a static member came back and nobody rebalanced
                    joined[life.name, number] = max(0, wait)
        for at, wait in life.acted:
            if (number := _generation(plot, life, at)) is not None:
                acted[life.name, number] = wait
        for at, beat in [*life.beats, *_last_beats(life, plot.settings)]:
            number = _generation(plot, life, at)
            if number is not None and (life.name, number) not in drift:
                drift[life.name, number] = _drift(beat - _counted(plot, life, at), plot.settings[HEARTBEAT])
                beats[life.name, number] = beat, _begun(plot, number, beat)
    for number, generation in enumerate(plot.generations):
        answered = _answered(plot, number)
        waits = [wait for (_, g), wait in joined.items() if g == number and wait <= (generation.sync_ms or 0)]
        if generation.sync_ms is not None and (answered is not None or waits):
            lead = max(waits, default=0) if answered is None else answered - generation.joined_ms
            assigned[number] = max(0, generation.sync_ms - max(0, lead))
    came = {life.name: tuple(life.came) for life in plot.lives}
    return RecordedTimings(plot.settings[HEARTBEAT], drift, beats, came, _sent(plot), joined, acted, assigned)


def _counted(plot: Incident, life: Incarnation, joined_ms: int) -> int:
    """What a client counts its heartbeats from: the answer to JoinGroup, or the one to SyncGroup."""
    if not TRAITS[plot.client].heartbeats_from_sync:
        return joined_ms
    return next((at for at in life.synced if joined_ms <= at <= joined_ms + _ANSWERED_MS), joined_ms)


def _answered(plot: Incident, number: int) -> int | None:
    """When the leader of a generation handled its JoinGroup's answer."""
    found = [at for life in plot.lives for at in life.led if _generation(plot, life, at) == number]
    return found[-1] if found else None


def _sent(plot: Incident) -> dict[tuple[str, int], tuple[int, int]]:
    """A join phase ends when the last JoinGroup is there: by life and generation, how long it took, and when that was.

    Who was added meanwhile was there then: the coordinator says so.
    """
    last: dict[int, tuple[int, str]] = {}
    for life in plot.lives:
        for at in life.joins:
            number = _generation(plot, life, at)
            sent = max([each for each in life.sent if each <= at], default=None)
            if number is not None and sent is not None and not sent <= (life.added_ms or -1) <= at:
                last[number] = max(last.get(number, (sent, life.name)), (sent, life.name))
    ended = {number: plot.generations[number].joined_ms for number in last}
    found = {(name, number): (max(0, ended[number] - sent), ended[number]) for number, (sent, name) in last.items()}
    return {key: way for key, way in found.items() if way[0] <= SENT_MS}


def _begun(plot: Incident, number: int, beat_ms: int) -> int | None:
    """When the rebalance began that ended this generation, if the heartbeat can have told of it."""
    if number + 1 == len(plot.generations):
        return None
    started = plot.generations[number + 1].started_ms
    return started if started is not None and started <= beat_ms + _CLOCKS_MS else None


def _generation(plot: Incident, life: Incarnation, joined_ms: int) -> int | None:
    """Which generation (counted from the record's first) a client joined whose answer it handled then."""
    told = life.numbers.get(joined_ms, -1)
    past = [i for i, generation in enumerate(plot.generations) if generation.joined_ms <= joined_ms + _CLOCKS_MS]
    named = [i for i in past[-2:] if plot.generations[i].number == told]
    return max(named or past, default=None)


def _last_beats(life: Incarnation, settings: Mapping[str, int]) -> list[tuple[int, int]]:
    """The last heartbeat before a session ended came one session earlier, if one was due then."""
    return [(joined, at) for joined, at in _last_words(life, settings[SESSION]) if on_time(at - joined, settings)]


def silent_since(life: Incarnation, expired_ms: int, settings: Mapping[str, int]) -> bool:
    """Whether the last word before a session ended was no heartbeat (a commit, then: it counts as one)."""
    words = [each for each in _last_words(life, settings[SESSION]) if each[1] == expired_ms - settings[SESSION]]
    return any(not on_time(at - joined, settings) for joined, at in words)


def _last_words(life: Incarnation, session_ms: int) -> list[tuple[int, int]]:
    """When it last joined before a session of it ended, and when the coordinator last heard of it."""
    ends = [stall.expired_ms for stall in life.stalls if stall.kind == FROZEN]
    if life.ending == KILL:
        ends.append(life.expired_ms)
    found = []
    for end in ends:
        joined = [at for at in life.joins if end is not None and at < end - session_ms]
        if end is not None and joined:
            found.append((joined[-1], end - session_ms))
    return found


def on_time(wait_ms: int, settings: Mapping[str, int]) -> bool:
    """Whether a heartbeat is due so long after joining."""
    interval = settings[HEARTBEAT]
    beats = max(1, round(wait_ms / interval))
    return -_LATE_MS <= wait_ms - beats * interval <= _LATE_MS + 8 * beats


def _drift(wait_ms: int, interval_ms: int) -> tuple[float, int]:
    """How much each interval was too long, if so long after the first a heartbeat was answered, and their number."""
    beats = max(1, round(wait_ms / interval_ms))
    return max(0.0, (wait_ms - beats * interval_ms) / beats), beats
