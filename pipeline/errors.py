"""The error of this package."""

from __future__ import annotations

from groupsim.events.errors import GroupsimError


class PipelineError(GroupsimError):
    """Spark can't be started or used like this, or a lake is wrong."""
