"""A decision in the making: each fact is applied once, when it is decided, so the next step sees its effect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from groupsim.coordinator.outcome import Answer, Arm, Disarm, Error, Outcome, Reply
from groupsim.events.base import Event
from groupsim.events.errors import GroupsimError

State = TypeVar("State")


class RequestRefused(GroupsimError):
    """A request is answered with this error; nothing changes. `message` is Kafka's, where the protocol tells one."""

    def __init__(self, error: Error, message: str | None = None) -> None:
        super().__init__(message or error.name)
        self.error, self.message = error, message


class Decision(Generic[State]):
    """Collects facts, replies and timers; `state` is the state they lead to. Local to one call of `decide`."""

    def __init__(self, state: State, evolve: Callable[[State, Event], State]) -> None:
        self.state = state
        self._evolve = evolve
        self._events: list[Event] = []
        self._replies: list[Reply] = []
        self._timers: list[Arm | Disarm] = []
        self._cancels_undurable = False
        self._kept = self.outcome()

    def record(self, event: Event) -> None:
        """Decide a fact."""
        self._events.append(event)
        self.state = self._evolve(self.state, event)

    def reply(self, request: int | None, answer: Answer) -> None:
        """Answer a request; with None (no request is parked) nothing happens."""
        if request is not None:
            self._replies.append(Reply(request, answer))

    def arm(self, key: str, after_ms: int, command: object, *, keeps: bool = False) -> None:
        """Set a timer; if `keeps`, only where none of this key runs."""
        self._timers.append(Arm(key, after_ms, command, keeps))

    def disarm(self, key: str) -> None:
        """Drop a timer."""
        self._timers.append(Disarm(key))

    def cancel_undurable(self) -> None:
        """Void the answers that still wait for the write of earlier facts (see Outcome)."""
        self._cancels_undurable = True

    def keep(self) -> None:
        """What was decided so far stands, whatever is refused from here on."""
        self._kept = self.outcome()

    def undo(self) -> None:
        """Forget what was decided since `keep`, or since the beginning."""
        kept = self._kept
        self.state, self._cancels_undurable = kept.state, kept.cancels_undurable
        self._events, self._replies, self._timers = list(kept.events), list(kept.replies), list(kept.timers)

    def take(self, outcome: Outcome[State]) -> None:
        """Go on from what another machine decided about the present state."""
        self._events.extend(outcome.events)
        self._replies.extend(outcome.replies)
        self._timers.extend(outcome.timers)
        self._cancels_undurable = self._cancels_undurable or outcome.cancels_undurable
        self.state = outcome.state

    def outcome(self) -> Outcome[State]:
        """The decision."""
        return Outcome(
            self.state,
            tuple(self._events),
            tuple(self._replies),
            tuple(self._timers),
            self._cancels_undurable,
        )
