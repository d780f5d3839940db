"""What heartbeats with epochs have in common, and the timers of their senders."""

from __future__ import annotations

from groupsim.coordinator.commands import Request, Situated
from groupsim.coordinator.outcome import Answer, Error
from groupsim.events.types import MemberId

JOIN_EPOCH = 0
LEAVE_EPOCH = -1
NO_TIMEOUT = -1
"""What a heartbeat says that does not change its rebalance timeout."""


class ModernHeartbeatAnswer(Answer, frozen=True, kw_only=True):
    """The response to a heartbeat; each protocol adds what is assigned."""

    member: MemberId | None = None
    epoch: int = 0
    heartbeat_interval_ms: int = 0


class ModernHeartbeat(Request, frozen=True, kw_only=True):
    """A heartbeat of a member. A field that is None (-1 for the timeout) was not sent: nothing changes."""

    member: MemberId
    epoch: int
    instance_id: str | None = None
    rack: str | None = None
    client_id: str = ""
    client_host: str = ""
    rebalance_timeout_ms: int = NO_TIMEOUT

    def refused(self, error: Error, message: str | None) -> Answer:
        """The response to a request that is refused; most protocols have no message."""
        return self.answer(error=error)


class SessionExpired(Situated, frozen=True, kw_only=True):
    """The session timer of a member fired."""

    member: MemberId


class RebalanceTimedOut(Situated, frozen=True, kw_only=True):
    """A member did not give up in time what it had to give up at this member epoch."""

    member: MemberId
    epoch: int
