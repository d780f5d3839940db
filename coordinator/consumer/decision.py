"""A decision about a consumer group: the generic one, with the group's timers."""

from __future__ import annotations

from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.consumer.commands import (
    ClassicJoinTimedOut,
    ClassicSyncTimedOut,
    RebalanceTimedOut,
    SessionExpired,
)
from groupsim.coordinator.consumer.evolve import evolve
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.decision import Decision
from groupsim.coordinator.outcome import Arm
from groupsim.events.types import MemberId

RESOLUTION_TIMER = "expressions"
"""The key of the resolution that runs."""


def session_timer(member: MemberId) -> str:
    """The key of a member's session timer."""
    return f"session/{member}"


def session_expiry(member: MemberId, after_ms: int) -> Arm:
    """The member's session, counted from now."""
    return Arm(session_timer(member), after_ms, SessionExpired(member=member))


def rebalance_timer(member: MemberId) -> str:
    """The key of the timer that runs while a member has to give partitions up."""
    return f"rebalance/{member}"


def join_timer(member: MemberId) -> str:
    """The key of the timer that runs while a classic member is expected to rejoin."""
    return f"join/{member}"


def sync_timer(member: MemberId) -> str:
    """The key of the timer that runs while a classic member is expected to send its SyncGroup."""
    return f"sync/{member}"


class ConsumerDecision(Decision[ClassicGroup | ConsumerGroup]):
    """A decision about one group that is, or becomes, a consumer group."""

    def __init__(self, state: ClassicGroup | ConsumerGroup) -> None:
        super().__init__(state, evolve)

    @property
    def group(self) -> ConsumerGroup:
        """The consumer group after the facts decided so far."""
        assert isinstance(self.state, ConsumerGroup)
        return self.state

    def arm_session(self, member: MemberId, after_ms: int) -> None:
        """Let the member's session count from now."""
        self._timers.append(session_expiry(member, after_ms))

    def arm_rebalance(self, member: Member) -> None:
        """Let the member's rebalance timeout count from now."""
        timeout = RebalanceTimedOut(member=member.id, epoch=member.epoch)
        self.arm(rebalance_timer(member.id), member.rebalance_timeout_ms, timeout)

    def expect_join(self, member: Member) -> None:
        """A classic member is asked to rejoin: its rebalance timeout counts from the first time."""
        timeout = ClassicJoinTimedOut(member=member.id)
        self.arm(join_timer(member.id), member.rebalance_timeout_ms, timeout, keeps=True)

    def expect_sync(self, member: Member, after_ms: int) -> None:
        """A classic member has joined and has so long to send its SyncGroup."""
        self.disarm(join_timer(member.id))
        self.arm(sync_timer(member.id), after_ms, ClassicSyncTimedOut(member=member.id))

    def disarm_timers(self, member: MemberId) -> None:
        """Drop a removed member's timers."""
        for timer in (session_timer, rebalance_timer, join_timer, sync_timer):
            self.disarm(timer(member))
