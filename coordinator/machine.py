"""The protocol of a coordinator machine: a module that exports these names."""

from __future__ import annotations

from typing import Protocol, TypeVar

from groupsim.coordinator.outcome import Arm, Outcome
from groupsim.events.base import Event

State = TypeVar("State")


class Machine(Protocol[State]):
    """A reader learns both group protocols once."""

    def decide(self, state: State, command: object) -> Outcome:
        """Judge a command; change nothing."""
        ...

    def evolve(self, state: State, event: Event) -> State:
        """Apply a fact; judge nothing."""
        ...

    def resume(self, state: State) -> tuple[Arm, ...]:
        """The alarms to set when a coordinator takes this state over."""
        ...
