"""What can't be read, and why."""

from __future__ import annotations

from groupsim.events.errors import GroupsimError


class LogError(GroupsimError):
    """A log that can't be opened, or a zone or skew that makes no sense; one sentence that names it."""
