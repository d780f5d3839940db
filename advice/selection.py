"""Sample until it is sure enough which choice is best, within an indifference zone, or until the budget is spent.

Every round gives the next seeds to the best choice so far and to those that may still be better; the others rest. With
a budget that is to be used well, each round is divided by `ocba` instead. Choices may have to keep below bounds of
other measures; one that more likely does not is none.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from groupsim.advice.evidence import Estimate, Evidence, estimate, reach, weigh
from groupsim.advice.ocba import allocation

Row = Mapping[str, float]
Sample = Callable[[Sequence[tuple[int, int]]], Sequence[Row]]
"""Runs, as (choice, seed), to the measures of each."""
FIRST = 6
"""Runs of each choice before anything is said: of fewer, all that agree show no direction (`replay.spread.FEWEST`)."""
GROWTH = 0.15
"""Seeds of a further round, as a share of those so far; a look more costs nothing but the wait for its slowest run."""
LEAD = 0.5
"""How far a divided round may take one choice beyond what any had: a first impression may be wrong."""
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

    `evidence` is about the choices that more likely keep them than not, None if there is none. `keeps`: whether a
    choice keeps its bounds as surely as was asked for (False: surely not), None where that is not known.

    `confidence`, if it `reached` what was asked for: at least so likely the best keeps its bounds, and none that keeps
    them is better by more than the zone. If not: about so likely, as far as the runs go.
    """

    evidence: Evidence | None
    allowed: Sequence[float]
    keeps: Sequence[bool | None]
    confidence: float
    rows: list[list[Row]] = field(repr=False)
    reached: bool = False

    @property
    def chosen_rows(self) -> Sequence[Row]:
        """Those of the best choice, else of the first."""
        return self.rows[0 if self.evidence is None else self.evidence.best]

    @property
    def runs(self) -> int:
        """How many were used."""
        return sum(map(len, self.rows))


def select(sample: Sample, choices: int, goal: Goal, first: int = FIRST, *, divided: bool = False) -> Selection:
    """Find the best of so many choices. Seeds count from 0. `divided`: divide each round of the budget by `ocba`."""
    rows: list[list[Row]] = [[] for _ in range(choices)]
    _extend(sample, rows, dict.fromkeys(range(choices), first))
    while True:
        found, doubts = _known(rows, goal)
        share = (1 - goal.confidence) / max(choices - 1, 1) / 2
        open_ = {i for i, doubt in doubts.items() if doubt > share}
        if found.reached or not open_:
            return found
        if found.evidence is not None:
            open_.add(found.evidence.best)
        left = None if goal.budget is None else goal.budget - found.runs
        wanted = _divided(rows, goal, open_, left) if divided and left is not None else _together(rows, open_)
        needed = sum(seeds - len(rows[i]) for i, seeds in wanted.items())
        if needed == 0 or (left is not None and needed > left):
            return found
        _extend(sample, rows, wanted)


def _together(rows: Sequence[Sequence[Row]], open_: Collection[int]) -> dict[int, int]:
    """As many seeds for each of them."""
    most = max(len(rows[i]) for i in open_)
    return dict.fromkeys(sorted(open_), most + max(1, round(GROWTH * most)))


def _divided(rows: Sequence[Sequence[Row]], goal: Goal, open_: Collection[int], left: int) -> dict[int, int]:
    """Seeds for each, of the next part of what is left: more for those that are hard to tell from the best.

    Pairs are compared seed by seed, so a choice counts with the spread of its difference from the best, and the best
    with the widest of them: it has as many seeds as any other then. A distance is how far a choice is from being better
    by more than the zone.
    """
    among = sorted(open_)
    values = [[row[goal.minimise] for row in rows[i]] for i in among]
    runs = [len(own) for own in values]
    seeds = min(runs)
    best = min(range(len(among)), key=lambda i: (statistics.fmean(values[i][:seeds]), i))
    apart = [[a - b for a, b in zip(own, values[best], strict=False)] for own in values]
    zone = goal.indifference * abs(statistics.fmean(values[best]))
    distances = [abs(statistics.fmean(own)) + zone for own in apart]
    spreads = [statistics.variance(own) for own in apart]
    distances[best], spreads[best] = 0.0, max(spreads)
    more = min(left, max(len(among), round(GROWTH * sum(runs))))
    most = max(runs) + max(2, round(LEAD * max(runs)))
    given = allocation(distances, spreads, runs, more)
    wanted = [min(had + extra, most) for had, extra in zip(runs, given, strict=True)]
    for _ in range(sum(runs) + more - sum(wanted)):  # what nobody may take before the others have caught up
        wanted[wanted.index(min(wanted))] += 1
    return dict(zip(among, wanted, strict=True))


def same_as(rows: Sequence[Sequence[Row]], i: int) -> list[int]:
    """The other choices that do the same: all measures are equal under every seed that both have."""
    others = (j for j in range(len(rows)) if j != i)
    return [j for j in others if all(a == b for a, b in zip(rows[i], rows[j], strict=False))]


def instead(found: Selection, goal: Goal, chosen: int) -> Selection:
    """With another choice in the place of the best."""
    return _known(found.rows, goal, chosen)[0]


def preferring(found: Selection, goal: Goal, order: Sequence[int]) -> Selection:
    """With the first in this order that is as good as the best, as surely as was asked for; else as it is.

    Where sampling ended before the best was known, as good as that which may be it.
    """
    if (evidence := found.evidence) is None:
        return found
    for i in order:
        if i == evidence.best:
            break
        if found.allowed[i] < 0.5:
            continue
        as_good = not found.reached and evidence.differences[i].below(evidence.zone) >= goal.confidence
        if (other := instead(found, goal, i)).reached or as_good:
            return other
    return found


def _known(rows: list[list[Row]], goal: Goal, chosen: int | None = None) -> tuple[Selection, dict[int, float]]:
    """What is known now of the best, or of the one that is `chosen`, and how much doubt each choice brings."""
    unseen = {name: reach([[row[name] for row in own] for own in rows]) for name in (goal.minimise, *goal.bounds)}
    margins = [_margins(own, goal.bounds, unseen) for own in rows]
    over = [max((m.doubt(0) for m in own), default=0.0) for own in margins]
    under = [min((m.turned().doubt(0) for m in own), default=1.0) for own in margins]
    allowed = [1 - max((m.below(0) for m in own), default=0.0) for own in margins]
    wrong = 1 - goal.confidence
    keeps = [True if o <= wrong else False if u <= wrong else None for o, u in zip(over, under, strict=True)]
    values = {i: [row[goal.minimise] for row in own] for i, own in enumerate(rows)}
    kept = {i: own for i, own in values.items() if allowed[i] >= 0.5}
    evidence, doubts, chances = None, dict[int, float](), dict[int, float]()
    if kept:
        evidence = weigh(kept, goal.indifference, chosen)
        doubts = {**evidence.losses, evidence.best: over[evidence.best]}
        chances = {i: d.below(-evidence.zone) for i, d in evidence.differences.items()}
        chances[evidence.best] = 1 - allowed[evidence.best]
    for i in values:
        if i in kept or under[i] <= NEGLIGIBLE:
            continue
        doubts[i], chances[i] = under[i], allowed[i]
        if evidence is not None:
            pair = zip(values[i], values[evidence.best], strict=False)
            difference = estimate([a - b for a, b in pair], unseen=unseen[goal.minimise])
            doubts[i] = min(doubts[i], difference.doubt(-evidence.zone))
            chances[i] *= difference.below(-evidence.zone)
    sure = max(0.0, 1 - math.fsum(_counted(doubts, evidence)))
    reached = sure >= goal.confidence
    confidence = sure if reached else math.prod(1 - chance for chance in chances.values())
    return Selection(evidence, allowed, keeps, confidence, rows, reached), doubts


def _counted(doubts: Mapping[int, float], evidence: Evidence | None) -> list[float]:
    """The doubts to add up: choices that did the same under every seed do so for one reason, and are one doubt."""
    most: dict[tuple[str, float], float] = {}
    for i, doubt in doubts.items():
        apart = None if evidence is None else evidence.differences.get(i)
        key = ("alike", apart.mean) if apart is not None and apart.error == 0 else ("choice", float(i))
        most[key] = max(doubt, most.get(key, 0.0))
    return list(most.values())


def _margins(rows: Sequence[Row], bounds: Mapping[str, float], unseen: Mapping[str, float]) -> list[Estimate]:
    """How far below each bound the mean is."""
    return [estimate([most - row[name] for row in rows], unseen=unseen[name]) for name, most in bounds.items()]


def _extend(sample: Sample, rows: list[list[Row]], wanted: Mapping[int, int]) -> None:
    """Sample until each choice has as many seeds as wanted."""
    asked = [(i, seed) for i, seeds in wanted.items() for seed in range(len(rows[i]), seeds)]
    for (i, _), row in zip(asked, sample(asked), strict=True):
        rows[i].append(row)
