"""A decision about a classic group: the generic one, with the group's session timers and parked requests."""

from __future__ import annotations

from groupsim.coordinator.classic.commands import JoinAnswer, SessionExpired, SyncAnswer
from groupsim.coordinator.classic.evolve import evolve
from groupsim.coordinator.classic.state import ClassicGroup, Member
from groupsim.coordinator.decision import Decision
from groupsim.coordinator.outcome import Error
from groupsim.events.types import MemberId

JOIN_TIMER = "join"
SYNC_TIMER = "sync"


def session_timer(member: MemberId) -> str:
    """The key of a member's session timer."""
    return f"heartbeat/{member}"


class ClassicDecision(Decision[ClassicGroup]):
    """A decision about one classic group."""

    def __init__(self, group: ClassicGroup) -> None:
        super().__init__(group, evolve)

    @property
    def group(self) -> ClassicGroup:
        """The group after the facts decided so far."""
        return self.state

    def arm_session(self, member: Member) -> None:
        """Let the member's session timeout count from now."""
        self.arm(session_timer(member.id), member.session_timeout_ms, SessionExpired(member.id))

    def refuse_parked(self, member: Member, error: Error) -> None:
        """Answer the member's parked requests with an error."""
        echoed = "" if error is Error.UNKNOWN_MEMBER_ID else member.id
        self.reply(member.join_request, JoinAnswer(error=error, member=echoed))
        self.reply(member.sync_request, SyncAnswer(error=error))
