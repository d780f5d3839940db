"""HeartbeatTimers: how late the clients' heartbeat timers are; each interval counts from the heartbeat before it."""

from __future__ import annotations

from collections.abc import Callable
from math import floor

Late = Callable[[str], float]
"""By how many ms the next heartbeat of a process is late."""
LateInAll = Callable[[str, float, bool], float]
"""By how many ms so many heartbeats of a process are late, all together; of one that works on records, or not."""


class HeartbeatTimers:
    """The timers of all clients of a world: exact, until `late` is set.

    A thread that waits for the interval wakes a little later than that, and counts the next interval from then (Kafka:
    Heartbeat.sentHeartbeat), so that the phases of the members move apart with the time since their last rebalance.
    `nap_late`: how much longer each nap of a thread is that looks every retry.backoff.ms.
    """

    def __init__(self) -> None:
        self.late: Late | None = None
        self.nap_late: Late | None = None
        self.late_in_all: LateInAll | None = None
        self._left: dict[str, float] = {}
        self._quiet_ms: dict[str, int] = {}
        self._quiet_interval_ms: dict[str, int] = {}

    def has_been_quiet(self, process: str, for_ms: int) -> None:
        """The next heartbeat of a process comes when it would if it had sent them for so long before."""
        self._quiet_ms[process] = for_ms

    def is_due(self, process: str) -> bool:
        """Whether that heartbeat is not planned yet."""
        return process in self._quiet_ms

    def quiet_interval_ms(self, process: str) -> int:
        """The interval after which it was planned; 0 if it was not."""
        return self._quiet_interval_ms.get(process, 0)

    def late_ms(self, process: str, interval_ms: int, at_work: bool = False) -> int:
        """How late the next heartbeat of a process is, in whole ms; what is less than one is added to the next.

        `at_work`: its thread naps while the application works on records.
        """
        if self.late is None:
            return 0
        quiet = self._of_quiet(process, interval_ms, at_work)
        late = self._left.get(process, 0.0) + max(0.0, self.late(process)) + quiet
        self._left[process] = late - floor(late)
        return floor(late)

    def nap_late_ms(self, process: str) -> float:
        """How much longer a nap of its heartbeat thread is than it should be."""
        return 0.0 if self.nap_late is None else max(0.0, self.nap_late(process))

    def _of_quiet(self, process: str, interval_ms: int, at_work: bool) -> float:
        """By how much its phase is another one after that time."""
        quiet_ms = self._quiet_ms.pop(process, 0)
        if not quiet_ms or self.late_in_all is None or interval_ms <= 0:
            return 0.0
        self._quiet_interval_ms[process] = interval_ms
        return self.late_in_all(process, quiet_ms / interval_ms, at_work) % interval_ms
