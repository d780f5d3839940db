"""What must hold in every run, watched through the facts alone; all of them see through the coordinator's eyes.

`observe` each fact in order (noise may be left out), then `finish`. Safety speaks at once, liveness at the end.
"""

from __future__ import annotations

from groupsim.invariants.assertions import WithheldUntilRevoked
from groupsim.invariants.base import Invariant, Violation
from groupsim.invariants.convergence import Converges
from groupsim.invariants.epochs import GenerationsAdvance
from groupsim.invariants.fencing import FencedCommits
from groupsim.invariants.ownership import SingleOwner

__all__ = ["Invariant", "Violation", "all_invariants"]


def all_invariants() -> list[Invariant]:
    """Fresh instances of every invariant, for one run."""
    return [SingleOwner(), WithheldUntilRevoked(), GenerationsAdvance(), FencedCommits(), Converges()]
