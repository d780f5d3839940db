"""Whether an advice holds over all of what nobody knows: the values at which a flip was sought say it, too.

The draws of a few seeds may leave out a small part of a range in which a choice costs very much. The search for flips
looks at the ends of each range and between them.
"""

from __future__ import annotations

from itertools import pairwise

from groupsim.advice.advice import Advice, Along
from groupsim.advice.unknown import Range, Unknown

ENOUGH = 32
"""After so many draws, evenly spread, no more than that share of a range is left out, and they alone count."""


def better(advice: Advice, unknown: Unknown) -> list[int]:
    """The choices that cost less than the best in the mean over some range, by more than the zone, by its values."""
    evidence = advice.selection.evidence
    if evidence is None or len(advice.selection.chosen_rows) >= ENOUGH:
        return []
    found = []
    for each in advice.along:
        costs = over(each, unknown[each.key])
        if evidence.best in costs:
            most = costs[evidence.best] - advice.goal.indifference * abs(costs[evidence.best])
            found += [i for i, cost in costs.items() if cost < most]
    return list(dict.fromkeys(found))


def over(along: Along, between: Range) -> dict[int, float]:
    """By choice: the mean over a range of what it costs at some of its values (trapezoids)."""
    costs: dict[int, float] = {}
    for (low, before), (high, after) in pairwise(along.means.items()):
        wide = between.share(float(high)) - between.share(float(low))
        for i in before.keys() & after.keys():
            costs[i] = costs.get(i, 0.0) + wide * (before[i] + after[i]) / 2
    return costs
