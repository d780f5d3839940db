"""What can be asked wrongly of the tables."""

from __future__ import annotations

from groupsim.events.errors import GroupsimError


class AnalysisError(GroupsimError):
    """A table, a column or a number of runs that can't be; one sentence."""
