"""Sample until it is sure enough which choice is best, within an indifference zone, or until the budget is spent.

Every round gives the next seeds to the best choice so far and to those that may still be better; the others rest.
Choices may have to keep below bounds of other measures; one that more likely does not is none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from groupsim.advice.evidence import Evidence, estimate, weigh

Row = Mapping[str, float]
Sample = Callable[[Sequence[tuple[int, int]]], Sequence[Row]]
"""Runs, as (choice, seed), to the measures of each."""
FIRST = 5
"""Runs of each choice before anything is said."""
GROWTH = 0.25
"""Seeds of a further round, as a share of those so far."""
NEGLIGIBLE = 1e-6
"""A choice that keeps its bounds no more likely than this is left alone."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What to `minimise`, and `bounds`: the most that the means of other measures may be.

    `also`: what else to minimise; then there is no single best (`pareto`). `indifference`: a share of the best that is
    no difference worth having. `budget`: runs at most.
    """

    minimise: str = "partition_ms"
    bounds: Mapping[str, float] = field(default_factory=dict)
    confidence: float = 0.95
    indifference: float = 0.05
    budget: int | None = None
    also: Sequence[str] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All measures that matter."""
        return tuple(dict.fromkeys((self.minimise, *self.also, *self.bounds)))


@dataclass(frozen=True, slots=True)
class Selection:
    """Where sampling ended. `rows` by choice and seed; `allowed`: how likely each choice keeps its bounds.

    `evidence` is about the choices that more likely keep them than not, None if there is none. `confidence`: at least
    so likely the best keeps its bounds, and none that keeps them is better by more than the zone.
    """

    evidence: Evidence | None
    allowed: Sequence[float]
    confidence: float
    rows: list[list[Row]] = field(repr=False)
    reached: bool = False

    @property
    def runs(self) -> int:
        """How many were used."""
        return sum(map(len, self.rows))


def select(sample: Sample, choices: int, goal: Goal, first: int = FIRST) -> Selection:
    """Find the best of so many choices. Seeds count from 0."""
    rows: list[list[Row]] = [[] for _ in range(choices)]
    _extend(sample, rows, range(choices), first)
    while True:
        found, doubts = _known(rows, goal)
        share = (1 - goal.confidence) / max(choices - 1, 1) / 2
        open_ = sorted(i for i, doubt in doubts.items() if doubt > share)
        if found.reached or not open_:
            return found
        wanted = _more(max(len(rows[i]) for i in open_))
        if found.evidence is not None:
            open_ = sorted({*open_, found.evidence.best})
            wanted = max(wanted, _more(len(rows[found.evidence.best])))
        needed = sum(wanted - len(rows[i]) for i in open_)
        if goal.budget is not None and found.runs + needed > goal.budget:
            return found
        _extend(sample, rows, open_, wanted)


def _more(seeds: int) -> int:
    return seeds + max(2, round(GROWTH * seeds))


def _known(rows: list[list[Row]], goal: Goal) -> tuple[Selection, dict[int, float]]:
    """What is known now, and how much doubt each choice brings."""
    allowed = [_allowed(found, goal.bounds) for found in rows]
    values = {i: [row[goal.minimise] for row in found] for i, found in enumerate(rows)}
    kept = {i: found for i, found in values.items() if allowed[i] >= 0.5}
    if not kept:
        doubts = {i: likely for i, likely in enumerate(allowed) if likely > NEGLIGIBLE}
        confidence = max(0.0, 1 - math.fsum(doubts.values()))
        return Selection(None, allowed, confidence, rows, confidence >= goal.confidence), doubts
    evidence = weigh(kept, goal.indifference)
    doubts = {**evidence.losses, evidence.best: 1 - allowed[evidence.best]}
    left_out = {i: values[i] for i in values if i not in kept and allowed[i] > NEGLIGIBLE}
    for i, found in left_out.items():
        pair = zip(found, values[evidence.best], strict=False)
        doubts[i] = allowed[i] * estimate([a - b for a, b in pair]).below(-evidence.zone)
    confidence = max(0.0, 1 - math.fsum(doubts.values()))
    return Selection(evidence, allowed, confidence, rows, confidence >= goal.confidence), doubts


def _allowed(rows: Sequence[Row], bounds: Mapping[str, float]) -> float:
    """How likely every mean is at most its bound: that of the most doubtful."""
    likely = 1.0
    for name, most in bounds.items():
        found = estimate([row[name] for row in rows])
        likely = min(likely, float(found.mean <= most) if not found.error else found.below(most))
    return likely


def _extend(sample: Sample, rows: list[list[Row]], choices: Sequence[int], seeds: int) -> None:
    asked = [(i, seed) for i in choices for seed in range(len(rows[i]), seeds)]
    for (i, _), row in zip(asked, sample(asked), strict=True):
        rows[i].append(row)
