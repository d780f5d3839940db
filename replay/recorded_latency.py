"""Latencies of a recorded group put on a simulated network: kept as they were, or drawn again."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from groupsim.coordinator.classic.commands import Heartbeat, Join, JoinAnswer, Sync
from groupsim.replay.timings import SENT_MS, RecordedTimings
from groupsim.simulation.latencies import Drawn
from groupsim.simulation.network import PASS, Deliver, Message, Rule, Verdict
from groupsim.simulation.requests import ToGroup

MIDDLE = 4
"""Where a Drawn's median stands."""
_POOL = 3
_SERIES = 3
"""So many intervals show a drift; a single one shows hardly more than how late one heartbeat was."""
_ISSUED_MS = 300
"""A member id takes no longer to be issued, nor then its JoinGroup to come."""
_COMMITTED_MS = 10
"""From a simulated heartbeat's answer to the commit's before the rebalance: the append linger."""
_MARGIN_MS = 10
"""A heartbeat that told of a rebalance came after its start; the one before came before it: by so much, at least."""
_SAME = 0.45
"""A simulated heartbeat that differs by less than this share of an interval from one that was seen is that one."""


class Exactly:
    """A network rule: what the record shows takes as long as it took; all else goes by the `usual` rule."""

    def __init__(
        self,
        rhythm: RecordedTimings,
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
        self._steady = _steady(rhythm)
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
            return self._joins(self._life_of(message.source) or "", body.command.member, number + 1)
        if isinstance(body, ToGroup) and isinstance(body.command, Sync) and body.command.assignment:
            return self._rhythm.assigned.get(number)
        if message.api == "Heartbeat" and (self._life_of(message.target) or "", number) in self._rhythm.acted:
            return 0
        if message.api == "OffsetCommit" and message.response:
            acted = self._rhythm.acted.get((self._life_of(message.target) or "", number))
            return None if acted is None else max(0, acted - _COMMITTED_MS)
        if isinstance(body, JoinAnswer) and body.generation >= 0:
            return self._rhythm.joined.get((self._life_of(message.target) or "", number))
        return None

    def _joins(self, name: str, member: str, number: int) -> int | None:
        """A JoinGroup that a new member id was issued or added for came then; the last of a join phase at its end."""
        now = self._now()
        for issued, added in self._rhythm.came.get(name, ()):
            came = added if member else issued
            if 0 <= came - now <= _ISSUED_MS:
                return came - now
        wait, there = self._rhythm.sent.get((name, number), (None, 0))
        return there - now if wait is not None and 0 <= there - now <= SENT_MS else wait

    def _lag(self, process: str, generation: int) -> float | None:
        """The intervals' surplus adds up, which a simulated client's own clock does not have."""
        beats = self._beats[process, generation] = self._beats.get((process, generation), 0) + 1
        name = self._life_of(process) or ""
        place = name, self._completed() - 1
        known = self._rhythm.drift.get(place)
        drift = known[0] if known else self._steady.get(name)
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


def _steady(rhythm: RecordedTimings) -> dict[str, float]:
    """The drift of each life over the longest stretch that shows it."""
    longest: dict[str, tuple[int, float]] = {}
    for (name, _), (drift, beats) in sorted(rhythm.drift.items()):
        if beats >= _SERIES:
            longest[name] = max(longest.get(name, (0, 0.0)), (beats, drift))
    return {name: drift for name, (_, drift) in longest.items()}


class Again:
    """A network rule: heartbeats drift as the record's did, in another order; all else goes by the `usual` rule."""

    def __init__(self, rhythm: RecordedTimings, usual: Rule, chance: Random) -> None:
        self._pool = [drift for _, (drift, beats) in sorted(rhythm.drift.items()) if beats >= _SERIES]
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
