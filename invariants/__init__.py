"""What must hold in every run. Invariants read the facts alone, and see the group as its coordinator does.

`Watch` gives each invariant the facts that it reads. Safety is checked at each fact, liveness at the end of the run.

base         Invariant, Violation, Watch
ownership    no assignment gives a partition to two members
cooperative  a cooperative assignor assigns to others nothing that a member still owns
epochs       generations only grow
fencing      no commit is accepted from a member that is not in the group, or from another generation
member_epochs  the same for consumer groups: member epochs and assignment epochs
share_groups  in a share group nobody is given what is not initialised, and nothing that is stays with nobody
streams_groups  a task has one active owner; no process has a task twice; epochs grow
convergence  a group that is left in peace becomes Stable and owns all its partitions
reconciliation  how far a consumer group's members have come to its target: what convergence asks of them
"""

from __future__ import annotations

from groupsim.invariants.base import Invariant, Violation, Watch
from groupsim.invariants.convergence import Converges
from groupsim.invariants.cooperative import WithheldUntilRevoked
from groupsim.invariants.epochs import GenerationsAdvance
from groupsim.invariants.fencing import FencedCommits
from groupsim.invariants.ownership import SingleOwner
from groupsim.invariants.share_groups import ShareAssignments
from groupsim.invariants.streams_groups import StreamsTasks

__all__ = ["Invariant", "Violation", "Watch", "all_invariants"]


def all_invariants() -> list[Invariant]:
    """Fresh instances of every invariant, for one run."""
    return [
        SingleOwner(),
        WithheldUntilRevoked(),
        GenerationsAdvance(),
        FencedCommits(),
        ShareAssignments(),
        StreamsTasks(),
        Converges(),
    ]
