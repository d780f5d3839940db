"""A decision about a group that is, or becomes, a share group."""

from __future__ import annotations

from groupsim.coordinator.modern.conversion import check_here, replaces_classic
from groupsim.coordinator.modern.decision import ModernDecision
from groupsim.coordinator.share.evolve import State, evolve
from groupsim.coordinator.share.state import ShareGroup
from groupsim.events import share as facts


class ShareDecision(ModernDecision[ShareGroup]):
    """A decision about one group."""

    kind = ShareGroup

    def __init__(self, state: State) -> None:
        super().__init__(state, evolve)

    def open(self, *, creates: bool) -> None:
        """Make sure that there is a share group; `creates`: a new one where there is none.

        Raises RequestRefused: GROUP_ID_NOT_FOUND for another kind of group, also an empty one.
        """
        check_here(self.state)
        if not isinstance(self.state, ShareGroup):
            replaces_classic(self.state, creates=creates, takes_over=False)
            self.record(facts.ShareGroupCreated())
