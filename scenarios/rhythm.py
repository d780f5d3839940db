"""When members beat, and how long their answers took, in a recorded group: its latencies, kept or drawn again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from coordinator.classic.commands import Heartbeat, Join, JoinAnswer, Sync
from incidents.lives import FROZEN, KILL, Life
from incidents.plot import Plot
from incidents.timeouts import HEARTBEAT, SESSION
from simulation.latencies import Drawn
from simulation.network import PASS, Deliver, Message, Rule, Verdict
from simulation.requests import ToGroup

MIDDLE = 4
"""Where a Drawn's median stands."""
_CLOCKS_MS = 50
"""Clients' and coordinator's lines of one event lie so far apart at most."""
_ANSWERED_MS = 1_000
_POOL = 3
_LATE_MS = 60
_COMMITTED_MS = 10
"""From a simulated heartbeat's answer to the commit's before the rebalance: the append linger."""
_SENT_MS = 200
"""A JoinGroup takes no longer to the coordinator."""
_MARGIN_MS = 10
"""A heartbeat that told of a rebalance came after its start; the one before came before it: by so much, at least."""
_SAME = 0.45
"""A simulated heartbeat that differs by less than this share of an interval from one that was seen is that one."""


@dataclass(frozen=True, slots=True)
class Rhythm:
    """Milliseconds by life (name) and generation (counted from the record's first).

    `drift`: how much longer than heartbeat.interval.ms an interval was; `beats`: when one was answered, and when the
    rebalance had begun that it told of (None: it told of none); `sent`: the last JoinGroup's way to the coordinator;
    `joined`: join phase completed → answer handled; `acted`: heartbeat answered → revoked callback begins, or JoinGroup
    is sent; `assigned`: the leader's answer handled → assignment at the coordinator.
    """

    interval_ms: int
    drift: Mapping[tuple[str, int], float]
    beats: Mapping[tuple[str, int], tuple[int, int | None]]
    sent: Mapping[tuple[str, int], int]
    joined: Mapping[tuple[str, int], int]
    acted: Mapping[tuple[str, int], int]
    assigned: Mapping[int, int]


def measured(plot: Plot) -> Rhythm:
    """The rhythm that the record shows, as far as it does."""
    drift: dict[tuple[str, int], float] = {}
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
                drift[life.name, number] = _drift(beat - at, plot.settings[HEARTBEAT])
                beats[life.name, number] = beat, _begun(plot, number, beat)
    for number, generation in enumerate(plot.generations):
        answered = _answered(plot, number)
        waits = [wait for (_, g), wait in joined.items() if g == number and wait <= (generation.sync_ms or 0)]
        if generation.sync_ms is not None and (answered is not None or waits):
            lead = max(waits, default=0) if answered is None else answered - generation.joined_ms
            assigned[number] = max(0, generation.sync_ms - max(0, lead))
    return Rhythm(plot.settings[HEARTBEAT], drift, beats, _sent(plot), joined, acted, assigned)


def _answered(plot: Plot, number: int) -> int | None:
    """When the leader of a generation handled its JoinGroup's answer."""
    found = [at for life in plot.lives for at in life.led if _generation(plot, life, at) == number]
    return found[-1] if found else None


def _sent(plot: Plot) -> dict[tuple[str, int], int]:
    """A join phase ends when the last JoinGroup is there: by life and generation, how long after it was sent.

    Who was added meanwhile was there then: the coordinator says so.
    """
    last: dict[int, tuple[int, str]] = {}
    for life in plot.lives:
        for at in life.joins:
            number = _generation(plot, life, at)
            sent = max([each for each in life.sent if each <= at], default=None)
            if number is not None and sent is not None and not sent <= (life.added_ms or -1) <= at:
                last[number] = max(last.get(number, (sent, life.name)), (sent, life.name))
    waits = {(name, number): plot.generations[number].joined_ms - sent for number, (sent, name) in last.items()}
    return {key: max(0, wait) for key, wait in waits.items() if wait <= _SENT_MS}


def _begun(plot: Plot, number: int, beat_ms: int) -> int | None:
    """When the rebalance began that ended this generation, if the heartbeat can have told of it."""
    if number + 1 == len(plot.generations):
        return None
    started = plot.generations[number + 1].started_ms
    return started if started is not None and started <= beat_ms + _CLOCKS_MS else None


def _generation(plot: Plot, life: Life, joined_ms: int) -> int | None:
    """Which generation (counted from the record's first) a client joined whose answer it handled then."""
    told = life.numbers.get(joined_ms, -1)
    past = [i for i, generation in enumerate(plot.generations) if generation.joined_ms <= joined_ms + _CLOCKS_MS]
    named = [i for i in past[-2:] if plot.generations[i].number == told]
    return max(named or past, default=None)


def _last_beats(life: Life, settings: Mapping[str, int]) -> list[tuple[int, int]]:
    """The last heartbeat before a session ended came one session earlier, if one was due then."""
    return [(joined, at) for joined, at in _last_words(life, settings[SESSION]) if on_time(at - joined, settings)]


def silent_since(life: Life, expired_ms: int, settings: Mapping[str, int]) -> bool:
    """Whether the last word before a session ended was no heartbeat (a commit, then: it counts as one)."""
    words = [each for each in _last_words(life, settings[SESSION]) if each[1] == expired_ms - settings[SESSION]]
    return any(not on_time(at - joined, settings) for joined, at in words)


def _last_words(life: Life, session_ms: int) -> list[tuple[int, int]]:
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


def _drift(wait_ms: int, interval_ms: int) -> float:
    """How much each interval was too long, if so long after joining a heartbeat was answered."""
    beats = max(1, round(wait_ms / interval_ms))
    return max(0.0, (wait_ms - beats * interval_ms) / beats)


class Exactly:
    """A network rule: what the record shows takes as long as it took; all else goes by the `usual` rule."""

    def __init__(
        self,
        rhythm: Rhythm,
        usual: Rule,
        life_of: Callable[[str], str | None],
        completed: Callable[[], int],
        now: Callable[[], int],
    ) -> None:
        self._rhythm = rhythm
        self._usual = usual
        self._life_of = life_of
        self._completed = completed
        self._now = now
        self._middle = _middle(rhythm)
        self._beats: dict[tuple[str, int], int] = {}

    def __call__(self, message: Message) -> Verdict:
        """How much later than at once the message arrives."""
        usual = self._usual(message)
        wait = self._known(message)
        if wait is None:
            return usual
        return Deliver(round(wait)) if round(wait) else PASS

    def _known(self, message: Message) -> float | None:
        body = message.body
        if isinstance(body, ToGroup) and isinstance(body.command, Heartbeat):
            return self._lag(message.source, body.command.generation)
        number = self._completed() - 1
        if isinstance(body, ToGroup) and isinstance(body.command, Join):
            return self._rhythm.sent.get((self._life_of(message.source) or "", number + 1))
        if isinstance(body, ToGroup) and isinstance(body.command, Sync) and body.command.assignment:
            return self._rhythm.assigned.get(number)
        if message.api == "OffsetCommit" and message.response:
            acted = self._rhythm.acted.get((self._life_of(message.target) or "", number))
            return None if acted is None else max(0, acted - _COMMITTED_MS)
        if isinstance(body, JoinAnswer) and body.generation >= 0:
            return self._rhythm.joined.get((self._life_of(message.target) or "", number))
        return None

    def _lag(self, process: str, generation: int) -> float | None:
        """The intervals' surplus adds up, which a simulated client's own clock does not have."""
        beats = self._beats[process, generation] = self._beats.get((process, generation), 0) + 1
        name = self._life_of(process) or ""
        place = name, self._completed() - 1
        drift = self._rhythm.drift.get(place, self._middle.get(name))
        if drift is None:
            return None
        now, wait = self._now(), drift * beats
        seen, begun = self._rhythm.beats.get(place, (None, None))
        if seen is not None and abs(now + wait - seen) <= _SAME * self._rhythm.interval_ms:
            return max(0, seen - now, 0 if begun is None else begun + _MARGIN_MS - now)
        if seen is not None and begun is not None and now + wait < seen:  # it did not tell of the rebalance yet
            early = min(wait, begun - _MARGIN_MS - now)
            return early if early >= 0 else seen - now
        return wait


def _middle(rhythm: Rhythm) -> dict[str, float]:
    """The middle drift of each life that shows any."""
    found: dict[str, list[float]] = {}
    for (name, _), drift in sorted(rhythm.drift.items()):
        found.setdefault(name, []).append(drift)
    return {name: sorted(drifts)[len(drifts) // 2] for name, drifts in found.items()}


class Again:
    """A network rule: heartbeats drift as the record's did, in another order; all else goes by the `usual` rule."""

    def __init__(self, rhythm: Rhythm, usual: Rule, chance: Random) -> None:
        self._pool = [drift for _, drift in sorted(rhythm.drift.items())]
        self._usual = usual
        self._chance = chance
        self._drifts: dict[tuple[str, int], float] = {}
        self._beats: dict[tuple[str, int], int] = {}

    def __call__(self, message: Message) -> Verdict:
        """How much later than at once the message arrives."""
        usual = self._usual(message)
        body = message.body
        if len(self._pool) < _POOL or not (isinstance(body, ToGroup) and isinstance(body.command, Heartbeat)):
            return usual
        key = message.source, body.command.generation
        if key not in self._drifts:
            self._drifts[key] = self._chance.choice(self._pool)
        self._beats[key] = self._beats.get(key, 0) + 1
        wait = round(self._drifts[key] * self._beats[key])
        return Deliver(wait) if wait else PASS


def middle(distribution: Drawn, what: str) -> float:
    """What takes as long as it mostly does (a draw of `simulation.delays`)."""
    return distribution.quantiles_ms[MIDDLE]
