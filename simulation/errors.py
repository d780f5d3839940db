"""What a scenario can do wrong, and how it can fail."""

from __future__ import annotations

from groupsim.events.errors import GroupSimError


class BadScenario(GroupSimError):
    """A scenario asks for something impossible."""


class ScenarioRaised(BadScenario):
    """The scenario's own code raised an exception."""


class ScenarioFailed(GroupSimError):
    """An assertion of the scenario did not hold, or a wait took too long."""
