"""A decision in the making: each fact is applied once, when it is decided, so the next step sees its effect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from groupsim.coordinator.outcome import Answer, Arm, Disarm, Outcome, Reply
from groupsim.events.base import Event

State = TypeVar("State")


class Decision(Generic[State]):
    """Collects facts, replies and timers; `state` is the state they lead to. Local to one call of `decide`."""

    def __init__(self, state: State, evolve: Callable[[State, Event], State]) -> None:
        self.state = state
        self._evolve = evolve
        self._events: list[Event] = []
        self._replies: list[Reply] = []
        self._timers: list[Arm | Disarm] = []
        self._cancels_undurable = False

    def record(self, event: Event) -> None:
        """Decide a fact."""
        self._events.append(event)
        self.state = self._evolve(self.state, event)

    def reply(self, request: int | None, answer: Answer) -> None:
        """Answer a request; with None (no request is parked) nothing happens."""
        if request is not None:
            self._replies.append(Reply(request, answer))

    def arm(self, key: str, after_ms: int, command: object) -> None:
        """Set a timer."""
        self._timers.append(Arm(key, after_ms, command))

    def disarm(self, key: str) -> None:
        """Drop a timer."""
        self._timers.append(Disarm(key))

    def cancel_undurable(self) -> None:
        """Void the answers that still wait for the write of earlier facts (see Outcome)."""
        self._cancels_undurable = True

    def outcome(self) -> Outcome[State]:
        """The decision."""
        return Outcome(
            self.state,
            tuple(self._events),
            tuple(self._replies),
            tuple(self._timers),
            self._cancels_undurable,
        )
