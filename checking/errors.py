"""What can be wrong with a file that is checked."""

from __future__ import annotations

from groupsim.events.errors import GroupsimError


class BadFile(GroupsimError):
    """A file of settings or manifests that can't be read, or says what can't be; one sentence, exit status 2."""
