"""What can't be read, and why."""

from __future__ import annotations

from groupsim.events.errors import GroupSimError


class LogError(GroupSimError):
    """A log that can't be opened, or a zone or skew that makes no sense; one sentence that names it."""
