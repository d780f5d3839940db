"""What a command line can get wrong."""

from __future__ import annotations

from groupsim.events.errors import GroupSimError


class BadRequest(GroupSimError):
    """An argument that can't be; one sentence, exit status 2."""


class Interrupted(GroupSimError):
    """What Ctrl-C or SIGTERM ended, and what is left of it; one sentence, exit status 130 or 143, as shells say."""
