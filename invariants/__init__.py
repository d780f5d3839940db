"""What must hold in every run, watched through the facts alone; all of them see through the coordinator's eyes.

`observe` each fact in order (noise may be left out), then `finish`. Safety speaks at once, liveness at the end.
"""

from __future__ import annotations

from invariants.base import Invariant, Violation
from invariants.claims import WithheldUntilRevoked
from invariants.convergence import Converges
from invariants.epochs import GenerationsAdvance
from invariants.fencing import FencedCommits
from invariants.ownership import SingleOwner

__all__ = ["Invariant", "Violation", "all_invariants"]


def all_invariants() -> list[Invariant]:
    """Fresh instances of every invariant, for one run."""
    return [SingleOwner(), WithheldUntilRevoked(), GenerationsAdvance(), FencedCommits(), Converges()]
