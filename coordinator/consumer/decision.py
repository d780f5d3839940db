"""A decision about a consumer group: the generic one, with the group's timers."""

from __future__ import annotations

from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.consumer.commands import ClassicJoinTimedOut, ClassicSyncTimedOut
from groupsim.coordinator.consumer.evolve import evolve
from groupsim.coordinator.consumer.state import ConsumerGroup, Member
from groupsim.coordinator.modern.decision import ModernDecision
from groupsim.events.types import MemberId

RESOLUTION_TIMER = "expressions"
"""The key of the resolution that runs."""


def join_timer(member: MemberId) -> str:
    """The key of the timer that runs while a classic member is expected to rejoin."""
    return f"join/{member}"


def sync_timer(member: MemberId) -> str:
    """The key of the timer that runs while a classic member is expected to send its SyncGroup."""
    return f"sync/{member}"


class ConsumerDecision(ModernDecision[ConsumerGroup]):
    """A decision about one group that is, or becomes, a consumer group."""

    kind = ConsumerGroup

    def __init__(self, state: ClassicGroup | ConsumerGroup) -> None:
        super().__init__(state, evolve)

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
        super().disarm_timers(member)
        for timer in (join_timer, sync_timer):
            self.disarm(timer(member))
