"""When: an instant that is known to lie in a span."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from groupsim.incidents.account.spans import INF


class When(NamedTuple):
    """An instant that lies in [lo, hi]: UTC milliseconds.

    `lo` and `hi` are equal if a line says it and its clock is exact. One is `-INF` or `INF` where nothing bounds that
    side; both are, of a line without a time: then only its order among other lines of its file is known.
    """

    lo: int
    hi: int

    def meet(self, other: When) -> When:
        """What both leave: each piece of evidence about one event narrows its span. Of two that disagree, the first."""
        lo, hi = max(self.lo, other.lo), min(self.hi, other.hi)
        return When(lo, hi) if lo <= hi else self

    def until(self, other: When) -> When:
        """From here up to another instant: when something happened between them."""
        return When(self.lo, max(self.lo, other.hi))

    @property
    def timed(self) -> bool:
        """Whether anything bounds it."""
        return self != ANY


ANY = When(-INF, INF)


def ordered(whens: Iterable[When]) -> list[When]:
    """Of events in the order in which they happened: each between those beside it."""
    found: list[When] = []
    lo = -INF
    for when in whens:
        lo = max(lo, when.lo)
        found.append(when if lo == when.lo <= when.hi else When(lo, max(lo, when.hi)))
    hi = INF
    for place in range(len(found) - 1, -1, -1):
        when = found[place]
        hi = max(when.lo, min(hi, when.hi))
        if hi != when.hi:
            found[place] = When(when.lo, hi)
    return found
