"""A decision about a group with epochs: the generic one, with the timers of members."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, TypeVar

from groupsim.coordinator.classic.state import ClassicGroup
from groupsim.coordinator.decision import Decision
from groupsim.coordinator.modern.commands import RebalanceTimedOut, SessionExpired
from groupsim.coordinator.modern.state import ModernGroup, ModernMember
from groupsim.coordinator.outcome import Arm
from groupsim.events.base import Event
from groupsim.events.consumer import MemberState
from groupsim.events.types import MemberId

Group = TypeVar("Group", bound=ModernGroup[Any, Any])


def session_timer(member: MemberId) -> str:
    """The key of a member's session timer."""
    return f"session/{member}"


def session_expiry(member: MemberId, after_ms: int) -> Arm:
    """The member's session, counted from now."""
    return Arm(session_timer(member), after_ms, SessionExpired(member=member))


def rebalance_timer(member: MemberId) -> str:
    """The key of the timer that runs while a member has to give something up."""
    return f"rebalance/{member}"


def rebalance_expiry(member: ModernMember) -> Arm:
    """The member's rebalance timeout, counted from now; a negative one, which Kafka accepts, is over at once."""
    timeout = RebalanceTimedOut(member=member.id, epoch=member.epoch)
    return Arm(rebalance_timer(member.id), max(member.rebalance_timeout_ms, 0), timeout)


class ModernDecision(Decision[ClassicGroup | Group], Generic[Group]):
    """A decision about one group that is, or becomes, one of type `kind`."""

    kind: ClassVar[type[ModernGroup[Any, Any]]]

    @property
    def group(self) -> Group:
        """The group after the facts decided so far."""
        assert isinstance(self.state, self.kind)
        return self.state

    def arm_session(self, member: MemberId, after_ms: int) -> None:
        """Let the member's session count from now."""
        self._timers.append(session_expiry(member, after_ms))

    def step(self, fact: Event, after: ModernMember) -> None:
        """A member's step towards its target: who has to give something up has its rebalance timeout to do so."""
        self.record(fact)
        if after.state is MemberState.UNREVOKED_PARTITIONS:
            self._timers.append(rebalance_expiry(after))
        else:
            self.disarm(rebalance_timer(after.id))

    def disarm_timers(self, member: MemberId) -> None:
        """Drop a removed member's timers."""
        for timer in (session_timer, rebalance_timer):
            self.disarm(timer(member))
