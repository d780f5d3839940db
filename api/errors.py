"""What a caller can get wrong, by the command line or from Python."""

from __future__ import annotations

from groupsim.events.errors import GroupsimError


class BadRequest(GroupsimError):
    """An argument that can't be; one sentence, exit status 2 of the command line."""
