"""What real runs leave to chance, as distributions taken from the 222 classic recordings; all in milliseconds.

Each is given by its quantiles; values between two quantiles are drawn evenly. The recordings come from clients and a
broker that share two busy cores (half busy in the median), so these are latencies of that machine, not Kafka's own.
Outliers above the 99th percentile are left out: they show in the recordings' ranges, not in medians.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from random import Random

from conformance.recording import KAFKA_PYTHON
from simulation.clients.config import JAVA, LIBRDKAFKA

SHARES = (0.0, 0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 1.0)
LINGER_MS = 10
"""group.coordinator.append.linger.ms: the simulated broker has it itself, so measured times are given without it."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A distribution by its quantiles at SHARES."""

    quantiles_ms: tuple[float, ...]

    def draw(self, chance: Random) -> float:
        """One value, in ms."""
        at = chance.random()
        i = min(bisect_right(SHARES, at), len(SHARES) - 1)
        low, high = self.quantiles_ms[i - 1], self.quantiles_ms[i]
        return low + (high - low) * (at - SHARES[i - 1]) / (SHARES[i] - SHARES[i - 1])


NONE = Drawn((0,) * len(SHARES))


@dataclass(frozen=True, slots=True, kw_only=True)
class Latencies:
    """One client library's latencies.

    `start`: consumer built → first JoinGroup at the coordinator. `command`: an order given to the program → its loop,
    which polls for 100 ms at a time, sees it. `joined`: join phase completed → answer handled. `first_assignor`,
    `assignor`: answer handled → the leader's SyncGroup at the coordinator, the first time in a process (classes are
    loaded) and later. `synced`: assignment written → answer handled. `told`: answer handled → assigned callback begins.
    `committed`: commit written → revoked callback begins or JoinGroup is sent. `drift`: how much longer than
    heartbeat.interval.ms one interval is.
    """

    start: Drawn
    command: Drawn = Drawn((1, 5, 10, 25, 50, 76, 94, 97, 110))
    joined: Drawn
    first_assignor: Drawn
    assignor: Drawn
    synced: Drawn
    told: Drawn
    committed: Drawn
    drift: Drawn


LATENCIES: dict[str, Latencies] = {
    # 546 starts, 114 closes, 1,656 join answers, 654 leaders' assignments, 1,636 callbacks, 417 series of beats
    JAVA: Latencies(
        start=Drawn((66, 81, 89, 106, 139, 185, 238, 290, 400)),
        joined=Drawn((0, 0, 1, 1, 4, 10, 17, 27, 60)),
        first_assignor=Drawn((3, 5, 5, 9, 14, 21, 40, 50, 80)),
        assignor=Drawn((0, 1, 1, 2, 4, 7, 15, 40, 60)),
        synced=Drawn((0, 0, 1, 1, 2, 4, 10, 21, 40)),
        told=Drawn((0, 1, 1, 1, 5, 14, 25, 36, 60)),
        committed=Drawn((0, 0, 1, 2, 7, 13, 24, 33, 60)),
        drift=Drawn((0, 0.2, 0.6, 1.2, 2.0, 3.7, 6.7, 9.3, 15)),
    ),
    # 100 starts, 16 closes, 112 join phases; its log tells fewer steps
    LIBRDKAFKA: Latencies(
        start=Drawn((54, 56, 56, 57, 58, 59, 62, 63, 66)),
        joined=Drawn((0, 0, 0, 0, 0, 1, 1, 1, 2)),
        first_assignor=Drawn((0, 0, 0, 0, 1, 1, 1, 2, 5)),
        assignor=Drawn((0, 0, 1, 1, 1, 2, 3, 3, 9)),
        synced=NONE,
        told=NONE,
        committed=NONE,
        drift=NONE,
    ),
    # 50 starts, 8 closes, 56 join phases, 140 callbacks
    KAFKA_PYTHON: Latencies(
        start=Drawn((17, 18, 18, 19, 22, 26, 40, 48, 67)),
        joined=Drawn((0, 0, 0, 0, 1, 1, 2, 2, 3)),
        first_assignor=Drawn((2, 2, 2, 3, 3, 3, 3, 4, 5)),
        assignor=Drawn((1, 1, 1, 1, 2, 3, 5, 5, 8)),
        synced=Drawn((0, 0, 0, 0, 0, 1, 2, 3, 10)),
        told=Drawn((0, 0, 0, 0, 1, 1, 3, 5, 20)),
        committed=NONE,
        drift=NONE,
    ),
}
