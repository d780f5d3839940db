"""What a printed time proves, and what the account takes from the tables of tolerances and of default settings."""

from __future__ import annotations

from collections.abc import Container
from enum import IntEnum

from groupsim.incidents.account.when import ANY, When
from groupsim.incidents.default_settings import (
    CONSUMER_HEARTBEAT_MS,
    HEARTBEAT_MS,
    LEAST_CONSUMER_SESSION_MS,
    LEAST_SESSION_MS,
)
from groupsim.incidents.facts.clocks import TimedRow
from groupsim.incidents.tolerances import FETCH_MS, ONE_INSTANT_MS, REACTS_MS

NO_TIME = -1
"""The time of a row in whose file no line has one."""


class Tolerance(IntEnum):
    """Milliseconds."""

    CLASSIC_SESSION = LEAST_SESSION_MS
    """group.min.session.timeout.ms by default: no classic session is shorter (Kafka: GroupCoordinatorConfig)."""
    CONSUMER_SESSION = LEAST_CONSUMER_SESSION_MS
    """group.consumer.min.session.timeout.ms by default, of the consumer protocol."""
    HEARTBEAT = HEARTBEAT_MS
    """heartbeat.interval.ms by default; it is at most a third of a session, as Kafka advises (ConsumerConfig)."""
    CONSUMER_HEARTBEAT = CONSUMER_HEARTBEAT_MS
    """group.consumer.heartbeat.interval.ms by default."""
    DELIVERY = 2 * ONE_INSTANT_MS
    """From sending a heartbeat to the session that it renews, and from that session's end to the removal (Timer)."""
    LATE = FETCH_MS + ONE_INSTANT_MS
    """The thread that sends heartbeats wakes so late on a busy machine: half a second, as drawn groups have it."""
    SAYS_SO = REACTS_MS + 1
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
