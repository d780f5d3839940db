"""How long real clients took for each step: distributions from the 222 classic recordings; all in milliseconds.

Each is given by its quantiles; values between two quantiles are drawn evenly. The recordings come from clients and a
broker that share two busy cores (half busy in the median), so these are latencies of that machine, not Kafka's own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from groupsim.simulation.clients.config import AIOKAFKA, JAVA, KAFKA_PYTHON, KAFKAJS, LIBRDKAFKA, SARAMA

SHARES = (0.0, 0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99, 1.0)


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

    @property
    def mean_ms(self) -> float:
        """Its mean."""
        return sum(weight * (low + high) / 2 for weight, low, high in self._parts())

    @property
    def variance(self) -> float:
        """Its variance, ms²."""
        squares = sum(weight * (low**2 + low * high + high**2) / 3 for weight, low, high in self._parts())
        return squares - self.mean_ms**2

    def _parts(self) -> Iterator[tuple[float, float, float]]:
        for (since, until), (low, high) in zip(pairwise(SHARES), pairwise(self.quantiles_ms), strict=True):
            yield until - since, low, high


LOG_CREATION_MS = 8.0
"""What a broker takes to make the log of one new partition: 900 of them took more than 6.0 s and less than 8.7 s in two
recordings (6.7 to 9.6 ms each); six took less than 94 ms."""
NONE = Drawn((0,) * len(SHARES))
ONE = Drawn((1,) * len(SHARES))
EVENLY = Drawn(SHARES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Latencies:
    """One client library's latencies, without the broker's append linger, which the simulated broker has itself.

    `start`: consumer built → first JoinGroup at the coordinator; `consumer_start`: → first ConsumerGroupHeartbeat.
    `command`: an order given to the program → its loop, which polls for 100 ms at a time, sees it. `sent`: callback
    ended → JoinGroup or LeaveGroup at the coordinator; `rejoined`: the same after a cooperative member's revoked
    callback, and after the commit that follows it (the join goes on, and the next poll() begins, in between).
    `first_joined`, `joined`: join phase completed → heartbeats begin, the first time in a process (classes are loaded)
    and later. `first_assignor`, `assignor`: from then to the leader's SyncGroup at the coordinator, likewise.
    `first_synced`: from then to a follower's first SyncGroup at the coordinator; later ones follow at once.
    `first_assigned`, `assigned`: assignment written → assigned callback begins, likewise; `at_once`: a SyncGroup that
    waited for nothing → its answer handled, but for the first in a process (202 took as long as those that waited);
    `late`: the same where the application came late to the JoinGroup's answer, at work till then. `first_fetched`,
    `fetched`: assigned callback ends → records that wait are returned, likewise.
    `first_beat`, `beat`: ConsumerGroupHeartbeat answered → its answer handled, likewise.
    `first_committed`, `committed`: commit written → revoked callback begins or JoinGroup is sent, likewise. `drift`:
    how much longer than heartbeat.interval.ms an interval is, throughout, `drift_shared`: and which part of that is the
    same for all members on one machine (24 pairs of Java members); `hiccup`: and now and then. `napping`: how
    much longer a nap of the heartbeat thread is, in the mean of an interval (15 series of programs that work long).
    `polls_every_ms`: poll() acts on what a heartbeat says only when it has waited for records, for so long at most (0:
    at once). `metadata`: how much longer than metadata.max.age.ms one refresh takes. `slowness`: by what every `start`
    of one run is multiplied, as the machine was busy (their medians over the share of it that was).
    """

    start: Drawn
    consumer_start: Drawn
    command: Drawn = Drawn((1, 5, 9, 26, 50, 76, 94, 97, 111, 125))
    sent: Drawn = NONE
    rejoined: Drawn = NONE
    first_joined: Drawn
    joined: Drawn
    first_assignor: Drawn
    assignor: Drawn
    first_synced: Drawn = NONE
    at_once: Drawn = NONE
    late: Drawn = NONE
    first_assigned: Drawn
    assigned: Drawn
    first_committed: Drawn = NONE
    committed: Drawn = NONE
    first_fetched: Drawn = NONE
    fetched: Drawn = NONE
    first_beat: Drawn = NONE
    beat: Drawn = NONE
    drift: Drawn
    drift_shared: float = 0.8
    hiccup: Drawn = NONE
    napping: Drawn = NONE
    polls_every_ms: int = 0
    metadata: Drawn = NONE
    slowness: Drawn = ONE


LATENCIES: dict[str, Latencies] = {
    # 666 starts, 71 by the consumer protocol, 114 closes, 1,656 join answers, 654 assignments, 1,636 callbacks,
    # 115 rejoins after a revoked callback, 417 series of beats, 12 refreshes; by the consumer protocol 206 first
    # answers and 203 later ones, of a host that was slower by 1.9
    JAVA: Latencies(
        start=Drawn((60, 82, 92, 109, 138, 181, 226, 274, 437, 893)),
        consumer_start=Drawn((43, 52, 57, 64, 94, 139, 170, 212, 307, 310)),
        sent=Drawn((0, 0, 0, 0, 1, 2, 4, 7, 12, 14)),
        rejoined=Drawn((0, 0, 0, 0, 0.5, 3, 6, 11, 32, 50)),
        first_joined=Drawn((0, 1, 1, 2, 4, 7, 13, 20, 42, 80)),
        joined=Drawn((0, 0, 0, 0, 0, 2, 7, 14, 30, 80)),
        first_assignor=Drawn((4, 7, 8, 12, 18, 26, 41, 52, 75, 80)),
        assignor=Drawn((0, 0, 1, 2, 4, 8, 13, 17, 38, 60)),
        first_synced=Drawn((0, 0.5, 1, 2, 3, 4, 5, 6, 8, 12)),
        at_once=Drawn((0, 0, 0, 1, 2, 4, 8, 15, 30, 50)),
        late=Drawn((0, 0, 0.2, 1, 2, 3, 8, 12, 20, 30)),
        first_assigned=Drawn((0, 5, 6, 9, 16, 25, 42, 58, 88, 148)),
        assigned=Drawn((0, 1, 1, 2, 4, 9, 19, 32, 57, 87)),
        first_committed=Drawn((0, 3, 5, 7, 11, 17, 30, 43, 62, 110)),
        committed=Drawn((0, 1, 2, 3, 4, 5, 11, 17, 26, 34)),
        first_fetched=Drawn((25, 35, 38, 45, 60, 80, 110, 130, 200, 250)),
        fetched=Drawn((2, 4, 6, 12, 18, 25, 35, 42, 60, 80)),
        first_beat=Drawn((1.5, 2, 3, 4, 7, 11, 22, 45, 90, 110)),
        beat=Drawn((0, 0.5, 0.5, 1.5, 2.5, 6, 12, 15, 35, 70)),
        drift=Drawn((0, 0, 0.2, 0.6, 1.3, 2.6, 5.2, 7.5, 11, 16)),
        hiccup=Drawn((0, 0, 0, 0, 0, 0, 1.5, 5, 15, 40)),
        napping=Drawn((0, 0.1, 0.2, 0.3, 0.6, 1, 1.5, 2.2, 2.8, 3.2)),
        metadata=Drawn((0, 0, 20, 45, 78, 180, 215, 230, 247, 250)),
        slowness=Drawn((0.84, 0.845, 0.86, 0.895, 1.0, 1.14, 1.33, 1.42, 1.6, 8)),
    ),
    # 100 starts, 48 by the consumer protocol, 16 closes, 112 join phases; its log tells fewer steps
    LIBRDKAFKA: Latencies(
        start=Drawn((52, 54, 55, 55, 56, 57, 60, 61, 64, 65)),
        consumer_start=Drawn((7, 10, 10, 22, 63, 79, 107, 127, 1040, 1040)),
        first_joined=NONE,
        joined=NONE,
        first_assignor=Drawn((0, 0, 0, 0, 0, 0, 1, 2, 4, 5)),
        assignor=Drawn((0, 0, 0, 0, 0, 1, 2, 2, 6, 8)),
        first_assigned=Drawn((0, 0, 0, 0, 0, 1, 1, 2, 4, 8)),
        assigned=Drawn((0, 0, 0, 0, 0, 1, 1, 2, 4, 8)),
        drift=Drawn((0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.5, 2.0)),
        hiccup=Drawn((0, 0, 0, 0, 0, 0, 0, 0.5, 3, 20)),
    ),
    # 50 starts, 8 closes, 56 join phases, 140 callbacks; poll() sees a rebalance when its 100 ms are over
    KAFKA_PYTHON: Latencies(
        start=Drawn((15, 16, 16, 17, 20, 24, 38, 46, 60, 65)),
        consumer_start=NONE,
        first_joined=Drawn((0, 0, 0, 0, 0, 1, 1, 1, 2, 3)),
        joined=Drawn((0, 0, 0, 0, 0, 1, 1, 1, 2, 3)),
        first_assignor=Drawn((1, 1, 1, 2, 2, 2, 2, 3, 4, 5)),
        assignor=Drawn((0, 0, 0, 0, 1, 2, 4, 4, 7, 8)),
        first_assigned=Drawn((0, 0, 0, 0, 0, 1, 3, 6, 15, 30)),
        assigned=Drawn((0, 0, 0, 0, 0, 1, 3, 6, 15, 30)),
        drift=Drawn((0.6, 0.7, 0.75, 0.8, 0.85, 0.95, 1.1, 1.3, 1.5, 2.0)),
        hiccup=Drawn((0, 0, 0, 0, 0, 0, 0, 3, 30, 45)),
        polls_every_ms=100,
    ),
    # 32, 80 and 80 starts, 28, 60 and 68 assignments of leaders, 72, 156 and 176 callbacks; their heartbeats were not
    # timed: the drift is kafka-python's
    KAFKAJS: Latencies(
        start=Drawn((16, 17, 17, 18, 24, 78, 107, 203, 300, 342)),
        consumer_start=NONE,
        first_joined=NONE,
        joined=NONE,
        first_assignor=Drawn((6, 6, 6, 6, 8, 11, 20, 40, 110, 110)),
        assignor=Drawn((1, 1, 2, 2, 3, 4, 5, 6, 6, 6)),
        first_assigned=Drawn((1, 1, 1, 2, 4, 7, 10, 12, 31, 31)),
        assigned=Drawn((0, 0, 1, 1, 1, 2, 3, 4, 4, 4)),
        drift=Drawn((0.6, 0.7, 0.75, 0.8, 0.85, 0.95, 1.1, 1.3, 1.5, 2.0)),
    ),
    SARAMA: Latencies(
        start=Drawn((4, 5, 5, 6, 8, 9, 15, 23, 44, 44)),
        consumer_start=NONE,
        first_joined=NONE,
        joined=NONE,
        first_assignor=Drawn((1, 1, 1, 2, 3, 4, 6, 12, 26, 26)),
        assignor=Drawn((0, 1, 1, 2, 5, 8, 10, 12, 13, 13)),
        first_assigned=Drawn((2, 3, 4, 6, 8, 13, 23, 43, 53, 53)),
        assigned=Drawn((3, 3, 4, 5, 10, 15, 19, 24, 40, 40)),
        drift=Drawn((0.6, 0.7, 0.75, 0.8, 0.85, 0.95, 1.1, 1.3, 1.5, 2.0)),
    ),
    AIOKAFKA: Latencies(
        start=Drawn((6, 7, 8, 9, 12, 19, 37, 64, 262, 262)),
        consumer_start=NONE,
        first_joined=NONE,
        joined=NONE,
        first_assignor=Drawn((1, 1, 1, 2, 2, 3, 4, 5, 8, 8)),
        assignor=Drawn((0, 1, 1, 1, 1, 2, 3, 3, 4, 4)),
        first_assigned=Drawn((1, 1, 1, 2, 2, 3, 4, 5, 23, 23)),
        assigned=Drawn((1, 1, 1, 2, 2, 3, 8, 11, 23, 23)),
        drift=Drawn((0.6, 0.7, 0.75, 0.8, 0.85, 0.95, 1.1, 1.3, 1.5, 2.0)),
    ),
}
IDLE_DRIFT: dict[str, Drawn] = {LIBRDKAFKA: Drawn((1.6, 1.62, 1.65, 1.7, 1.8, 2.0, 2.1, 2.13, 2.18, 2.2))}
"""How late each heartbeat of such a program is throughout: 2.11 and 2.07 ms in two groups that had one of librdkafka,
1.69 and 1.70 in two that had nothing else, for each of their six members (within 0.02: they stay in step)."""
IDLE_DRIFT_SHARED = 0.95
"""So much of it is the same for all on a machine: the rest is 0.01 ms, less than could be seen in 110 heartbeats."""
IDLE_LATE: dict[str, Drawn] = {
    # 8,944 and 559 intervals of half an hour of quiet: 1.0 (sd 1.5 to 2.1) and 1.2 ms (0.7)
    JAVA: Drawn((0, 0, 0, 0.2, 0.7, 1.2, 2.0, 3.2, 5.5, 20)),
    LIBRDKAFKA: NONE,
    **dict.fromkeys((KAFKA_PYTHON, KAFKAJS, SARAMA, AIOKAFKA), Drawn((0, 0.2, 0.4, 0.8, 1.1, 1.5, 2, 2.4, 3, 6))),
}
"""How late each single heartbeat of a program is that has nothing else to do: the phases of two move apart as a random
walk (six Java members were 93 to 123 ms apart after half an hour). Nobody timed those of the last three libraries; they
have kafka-python's."""
IDLE_STEPS: dict[str, dict[str, Drawn]] = {
    # two recordings after their first 30 s: 221 join answers (a third one's, too), 162 assignments, 133 rejoins that a
    # heartbeat brought, 27 after a revoked callback, 31 assignments of leaders, 19 members' first join answers; less
    # what the network and the write take in a simulation (`python -m tests.conformance.old_group_steps`); naps of 648
    # intervals of members at work (tests/golden/old-groups, `old-group-at-work`)
    JAVA: {
        "joined": Drawn((0, 0, 0.5, 0.5, 1.5, 3.5, 4.5, 6.5, 9.5, 15)),
        "assigned": Drawn((0, 0, 0.5, 0.5, 2.5, 5.5, 8.5, 10.5, 21, 28.5)),
        "committed": Drawn((0, 0, 0, 0, 0.5, 3.5, 6.5, 9, 14, 19.5)),
        "assignor": Drawn((0.5, 0.5, 0.5, 2.5, 3.5, 5.5, 6.5, 8, 9.5, 9.5)),
        "rejoined": Drawn((0, 0, 0.5, 3, 5, 11, 15, 16, 20, 22)),
        "first_joined": Drawn((9, 9.5, 11.5, 12.5, 18.5, 25.5, 31.5, 36, 40.5, 40.5)),
        "napping": Drawn((0.1, 0.16, 0.19, 0.25, 0.3, 0.36, 0.42, 0.47, 0.65, 0.9)),
    },
    **{library: {} for library in (LIBRDKAFKA, KAFKA_PYTHON, KAFKAJS, SARAMA, AIOKAFKA)},
}
"""The steps of a program that has little else to do, where enough of them were seen: nothing waits for a processor, so
that the slow ones are three times as fast as on a busy host, the median no faster."""
POSITIONED: dict[str, dict[str, Drawn]] = {
    # 158 first ones and 287 later ones: "Setting offset for partition …" in the client's log
    JAVA: {
        "first_fetched": Drawn((2, 4, 4, 6, 9, 15, 30, 39, 87, 128)),
        "fetched": Drawn((0, 1, 1, 2, 4, 8, 17, 25, 58, 74)),
    },
    **{library: {} for library in (LIBRDKAFKA, KAFKA_PYTHON, KAFKAJS, SARAMA, AIOKAFKA)},
}
"""Assigned callback ends → the position is known, from which a partition counts as available; its first records come
later, by what connecting to the leader and a fetch take (`first_fetched`, `fetched`)."""
