"""What a scenario can do wrong, and how it can fail."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from groupsim.events.errors import GroupsimError
from groupsim.storage.store import RunInfo

E = TypeVar("E", bound=StrEnum)


class BadScenario(GroupsimError):
    """A scenario asks for something impossible."""


class ScenarioRaised(BadScenario):
    """The scenario's own code raised an exception."""


class ScenarioFailed(GroupsimError):
    """An assertion of the scenario did not hold, or a wait took too long."""


class RunInterrupted(KeyboardInterrupt):
    """A KeyboardInterrupt during a run; `info`: what the store has of it."""

    def __init__(self, info: RunInfo) -> None:
        super().__init__(info)
        self.info = info


def one_of(kind: type[E], what: str, value: str) -> E:
    """The value as one of an enum's. Raises BadScenario."""
    try:
        return kind(value)
    except ValueError:
        raise BadScenario(f"{what} must be one of {', '.join(kind)}, not {value!r}") from None
