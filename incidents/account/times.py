"""What a printed time proves, and the only tolerances of the account, each with its source in Kafka or in a clock."""

from __future__ import annotations

from collections.abc import Container
from enum import IntEnum

from groupsim.incidents.account.when import ANY, When
from groupsim.incidents.facts.clocks import TimedRow

NO_TIME = -1
"""The time of a row in whose file no line has one."""


class Tolerance(IntEnum):
    """Milliseconds."""

    CLASSIC_SESSION = 6_000
    """group.min.session.timeout.ms by default: no classic session is shorter (Kafka: GroupCoordinatorConfig)."""
    CONSUMER_SESSION = 45_000
    """group.consumer.min.session.timeout.ms by default, of the consumer protocol."""
    HEARTBEAT = 3_000
    """heartbeat.interval.ms by default; it is at most a third of a session, as Kafka advises (ConsumerConfig)."""
    CONSUMER_HEARTBEAT = 5_000
    """group.consumer.heartbeat.interval.ms by default."""
    ROUND_TRIP = 1_000
    """From a request to what the client prints of its answer, on a machine that is very busy."""
    SAYS_SO = 1_001
    """A client that runs prints so soon after its session ended that it did (AbstractCoordinator.HeartbeatThread)."""


class Times:
    """The instant of a row: its printed time, by as much as clocks and what is printed of them may be off.

    `off_ms`: how far times of different files may be apart that are of one instant. `untimed`: the files in which no
    line has a time; of their rows only the order is known.
    """

    def __init__(self, off_ms: int = 0, untimed: Container[str] = ()) -> None:
        self.off_ms = off_ms
        self._untimed = untimed

    def of(self, timed: TimedRow) -> When:
        """When the row was written."""
        if timed.row.file in self._untimed:
            return ANY
        return When(timed.at - self.off_ms, timed.at + self.off_ms)
