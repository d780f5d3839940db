"""Network rules that give a simulated network the latencies of a recorded group: the same ones, or drawn from them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from groupsim.coordinator.classic.commands import Heartbeat, Join, JoinAnswer, Sync
from groupsim.replay.timings import JOIN_LATENCY_MS, RecordedTimings
from groupsim.simulation.heartbeat_timers import Late
from groupsim.simulation.latencies import Drawn
from groupsim.simulation.network import PASS, Deliver, Handled, Message, Rule
from groupsim.simulation.requests import ToGroup

CONSUMER_HEARTBEAT = "ConsumerGroupHeartbeat"
MIDDLE = 4
"""The index of the median in `Drawn.quantiles_ms`."""
_POOL = 3
_SERIES = 3
"""From so many intervals on a drift is known; a single one shows little more than how late one heartbeat was."""
_ISSUED_MS = 300
"""A member id is issued within this time, and its JoinGroup arrives within it."""
_MARGIN_MS = 10
"""A heartbeat that reported a rebalance came at least this long after its start, the one before as long before it."""
_SAME = 0.45
"""A simulated heartbeat within this share of an interval from a recorded one is taken to be that one."""


class ExactLatency:
    """A network rule: what the record shows takes as long as it did; for the rest, the `usual` rule."""

    def __init__(
        self,
        timings: RecordedTimings,
        usual: Rule,
        incarnation_of: Callable[[str], str | None],
        completed: Callable[[], int],
        now: Callable[[], int],
        write_ms: int,
        left_out: Callable[[], int] = lambda: 0,
    ) -> None:
        """`write_ms`: from a simulated heartbeat's answer to the commit's before the rebalance.

        `left_out`: how many heartbeats of each member are not simulated until now.
        """
        self._timings = timings
        self._usual = usual
        self._incarnation_of = incarnation_of
        self._completed = completed
        self._now = now
        self._write_ms = write_ms
        self._left_out = left_out
        self._left_out_first: dict[tuple[str, int], int] = {}
        self._steady = _steady(timings)
        self._sent: dict[tuple[str, int], int] = {}
        self._led: dict[int, int] = {}

    def __call__(self, message: Message) -> Handled:
        """How much later than at once the message arrives."""
        usual = self._usual(message)
        wait = self._known(message)
        if wait is None:
            return usual
        return Deliver(round(wait)) if round(wait) else PASS

    def _known(self, message: Message) -> float | None:
        body = message.body
        if isinstance(body, ToGroup) and isinstance(body.command, Heartbeat):
            return self._heartbeat_delay(message.source, body.command.generation)
        if message.api == CONSUMER_HEARTBEAT and not message.response:
            return self._until_received(self._name(message.source))
        number = self._completed() - 1
        if isinstance(body, ToGroup) and isinstance(body.command, Join):
            return self._join_delay(self._name(message.source), body.command.member, number + 1)
        if isinstance(body, ToGroup) and isinstance(body.command, Sync) and body.command.assignment:
            return self._sync_delay(body.command, number)
        receiver = self._name(message.target), number
        if message.api == "Heartbeat" and receiver in self._timings.reactions:
            return 0
        if message.api == "OffsetCommit" and message.response:
            reaction = self._timings.reactions.get(receiver)
            return None if reaction is None else max(0, reaction - self._write_ms)
        if isinstance(body, JoinAnswer) and body.generation >= 0:
            wait = self._timings.joined.get(receiver)
            if body.members:
                self._led[number] = self._now() + (wait or 0)
            return wait
        return None

    def _sync_delay(self, sync: Sync, number: int) -> float | None:
        """The leader of Kafka Streams took a part of the recorded time to compute the assignment, in simulation too."""
        wait = self._timings.assigned.get(number)
        if wait is None or not sync.user_data:
            return wait
        return max(0, wait - (self._now() - self._led.get(number, self._now())))

    def heartbeat_late_ms(self, process: str, usual: Late) -> float:
        """For `HeartbeatTimers`: where the record shows when heartbeats came, the message waits instead."""
        return usual(process) if self._drift(self._name(process)) is None else 0

    def _drift(self, name: str) -> float | None:
        """By how much an incarnation's intervals are too long in the present generation."""
        known = self._timings.drift.get((name, self._completed() - 1))
        return known[0] if known else self._steady.get(name)

    def _name(self, process: str) -> str:
        """The incarnation that this process replays; empty before its start."""
        return self._incarnation_of(process) or ""

    def _until_received(self, name: str) -> int | None:
        """A heartbeat whose answer brought something new within an interval from now arrived then."""
        now = self._now()
        later = next((at for at in self._timings.received.get(name, ()) if at >= now), None)
        return later - now if later is not None and later - now <= self._timings.interval_ms else None

    def _join_delay(self, name: str, member: str, number: int) -> int | None:
        """A JoinGroup for which a member id was issued or added arrived then; the last of a join phase at its end."""
        now = self._now()
        for issued, added in self._timings.admissions.get(name, ()):
            arrives = added if member else issued
            if 0 <= arrives - now <= _ISSUED_MS:
                return arrives - now
        wait, arrived = self._timings.last_joins.get((name, number), (None, 0))
        return arrived - now if wait is not None and 0 <= arrived - now <= JOIN_LATENCY_MS else wait

    def _heartbeat_delay(self, process: str, generation: int) -> float | None:
        """Recorded intervals are a little too long, and that adds up; a simulated client's intervals are exact."""
        number = self._sent[process, generation] = self._sent.get((process, generation), 0) + 1
        name = self._name(process)
        key = name, self._completed() - 1
        drift = self._drift(name)
        if drift is None:
            return None
        others = self._left_out() - self._left_out_first.setdefault((process, generation), self._left_out())
        now, wait = self._now(), drift * number + drift * others % self._timings.interval_ms
        seen, begun = self._timings.heartbeats.get(key, (None, None))
        if seen is not None and abs(now + wait - seen) <= _SAME * self._timings.interval_ms:
            return max(0, seen - now, 0 if begun is None else begun + _MARGIN_MS - now)
        if seen is not None and begun is not None and now + wait < seen:  # it did not report the rebalance yet
            early = min(wait, begun - _MARGIN_MS - now)
            return early if early >= 0 else seen - now
        return wait


def _steady(timings: RecordedTimings) -> dict[str, float]:
    """The drift of each incarnation over the longest series that shows it."""
    longest: dict[str, tuple[int, float]] = {}
    for (name, _), (drift, intervals) in sorted(timings.drift.items()):
        if intervals >= _SERIES:
            longest[name] = max(longest.get(name, (0, 0.0)), (intervals, drift))
    return {name: drift for name, (_, drift) in longest.items()}


class DrawnLateness:
    """For `HeartbeatTimers`: each process has a drift of the record; where it shows too few, the `usual` lateness."""

    def __init__(self, timings: RecordedTimings, usual: Late, chance: Random) -> None:
        self._pool = [drift for _, (drift, intervals) in sorted(timings.drift.items()) if intervals >= _SERIES]
        self._usual = usual
        self._chance = chance
        self._drifts: dict[str, float] = {}

    @property
    def is_recorded(self) -> bool:
        """Whether the record shows enough of them; they contain what naps are late."""
        return len(self._pool) >= _POOL

    def __call__(self, process: str) -> float:
        """How late its next heartbeat is, in ms."""
        if not self.is_recorded:
            return self._usual(process)
        if process not in self._drifts:
            self._drifts[process] = self._chance.choice(self._pool)
        return self._drifts[process]


def median_draw(distribution: Drawn, what: str) -> float:
    """The median instead of a random draw (a draw of `simulation.message_delays`)."""
    return distribution.quantiles_ms[MIDDLE]
