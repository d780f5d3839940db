"""HeartbeatTimers: how late the clients' heartbeat timers are; each interval counts from the heartbeat before it."""

from __future__ import annotations

from collections.abc import Callable
from math import floor

Late = Callable[[str], float]
"""By how many ms the next heartbeat of a process is late."""


class HeartbeatTimers:
    """The timers of all clients of a world: exact, until `late` is set.

    A thread that waits for the interval wakes a little later than that, and counts the next interval from then (Kafka:
    Heartbeat.sentHeartbeat), so that the phases of the members move apart with the time since their last rebalance.
    """

    def __init__(self) -> None:
        self.late: Late | None = None
        self._left: dict[str, float] = {}

    def late_ms(self, process: str) -> int:
        """How late the next heartbeat of a process is, in whole ms; what is less than one is added to the next."""
        if self.late is None:
            return 0
        late = self._left.get(process, 0.0) + max(0.0, self.late(process))
        self._left[process] = late - floor(late)
        return floor(late)
