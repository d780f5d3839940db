"""What a scenario can do wrong, and how it can fail."""

from __future__ import annotations

from groupsim.events.errors import GroupSimError


class BadScenario(GroupSimError):
    """A scenario that asks for something that can't be."""


class StoryError(BadScenario):
    """The story's own lines raised an exception."""


class ScenarioFailed(GroupSimError):
    """A claim of the scenario did not hold, or a wait took too long."""
