"""What cannot be advised."""

from groupsim.events.errors import GroupSimError


class AdviceError(GroupSimError):
    """An impossible request, or a choice that cannot be simulated."""
