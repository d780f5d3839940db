"""What a command line can get wrong."""

from __future__ import annotations

from groupsim.api.errors import BadRequest
from groupsim.events.errors import GroupsimError

__all__ = ["BadRequest", "Interrupted"]


class Interrupted(GroupsimError):
    """What Ctrl-C or SIGTERM ended, and what is left of it; one sentence, exit status 130 or 143, as shells say."""
