"""A decision in the making: each fact is applied as it is decided, so the next step sees what the log will say."""

from __future__ import annotations

from groupsim.coordinator.classic.commands import JoinAnswer, SessionExpired, SyncAnswer
from groupsim.coordinator.classic.evolve import evolve
from groupsim.coordinator.classic.state import Group, Member
from groupsim.coordinator.outcome import Arm, Disarm, Error, Outcome, Reply
from groupsim.events.base import Event
from groupsim.events.types import MemberId

JOIN_TIMER = "join"
SYNC_TIMER = "sync"


def heartbeat_timer(member: MemberId) -> str:
    """The key of a member's session alarm."""
    return f"heartbeat/{member}"


class Decision:
    """Collects facts, replies and timers; `group` is the state they lead to. Local to one call of `decide`."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self._events: list[Event] = []
        self._replies: list[Reply] = []
        self._timers: list[Arm | Disarm] = []

    def record(self, event: Event) -> None:
        """Decide a fact."""
        self._events.append(event)
        self.group = evolve(self.group, event)

    def reply(self, request: int | None, answer: object) -> None:
        """Answer a request; None (nobody waits) is passed by."""
        if request is not None:
            self._replies.append(Reply(request, answer))

    def arm(self, key: str, after_ms: int, command: object) -> None:
        """Set an alarm."""
        self._timers.append(Arm(key, after_ms, command))

    def arm_session(self, member: Member) -> None:
        """Give the member its session timeout from now on."""
        self.arm(heartbeat_timer(member.id), member.session_timeout_ms, SessionExpired(member.id))

    def disarm(self, key: str) -> None:
        """Forget an alarm."""
        self._timers.append(Disarm(key))

    def release(self, member: Member, error: Error) -> None:
        """Answer what the member has parked, with an error."""
        echoed = "" if error is Error.UNKNOWN_MEMBER_ID else member.id
        self.reply(member.join_request, JoinAnswer(error=error, member=echoed))
        self.reply(member.sync_request, SyncAnswer(error=error))

    def outcome(self) -> Outcome:
        """The decision."""
        return Outcome(tuple(self._events), tuple(self._replies), tuple(self._timers))
