"""What cannot be advised."""

from groupsim.events.errors import GroupsimError


class AdviceError(GroupsimError):
    """An impossible request, or a choice that cannot be simulated."""
