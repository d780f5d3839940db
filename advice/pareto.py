"""Several measures to make small together: sample until it is sure enough which choices no other beats (Pareto).

A choice is beaten where another is no worse by more than the zone in any measure, and better by more in one. Of choices
that differ by less than the zone in all measures, the first stands for the others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from groupsim.advice.evidence import Estimate, estimate, reach
from groupsim.advice.selection import FIRST, GROWTH, Goal, Row, Sample, Selection, select


@dataclass(frozen=True, slots=True)
class Front:
    """`members`: the choices that no other beats, by the first measure; `alike`: for each, those it stands for."""

    names: Sequence[str]
    members: Sequence[int]
    alike: Mapping[int, Sequence[int]]


@dataclass(slots=True)
class _Known:
    """Differences between choices, seed by seed, as far as rows go."""

    rows: Sequence[Sequence[Row]]
    names: Sequence[str]
    indifference: float
    unseen: Mapping[str, float]

    def mean(self, i: int, name: str) -> float:
        return fmean(row[name] for row in self.rows[i])

    def zone(self, i: int, name: str) -> float:
        return self.indifference * abs(self.mean(i, name))

    def difference(self, i: int, j: int, name: str) -> Estimate:
        apart = [a[name] - b[name] for a, b in zip(self.rows[i], self.rows[j], strict=False)]
        return estimate(apart, unseen=self.unseen[name])

    def better(self, i: int, j: int) -> float:
        """At most so likely i is better than j by more than the zone in some measure."""
        return min(1.0, math.fsum(self.difference(i, j, name).doubt(-self.zone(j, name)) for name in self.names))

    def no_worse(self, i: int, j: int) -> float:
        """At most so likely i is worse than j by more than the zone in no measure."""
        return min(_at_most(self.difference(i, j, name), self.zone(j, name)) for name in self.names)

    def alike(self, i: int, j: int) -> bool:
        return all(abs(self.mean(i, name) - self.mean(j, name)) <= self.zone(j, name) for name in self.names)

    def beats(self, i: int, j: int) -> bool:
        """By the means alone."""
        no_worse = all(self.mean(i, name) <= self.mean(j, name) + self.zone(j, name) for name in self.names)
        return no_worse and any(self.mean(i, name) < self.mean(j, name) - self.zone(j, name) for name in self.names)


def _at_most(found: Estimate, bound: float) -> float:
    return 1.0 if found.error == 0 and found.mean <= bound else found.doubt(bound)


def select_front(sample: Sample, choices: int, goal: Goal, first: int = FIRST) -> tuple[Selection, Front]:
    """Find the choices that no other beats in what is minimised; those whose means exceed a bound are none."""
    names = (goal.minimise, *goal.also)
    start = select(sample, choices, replace(goal, budget=0), first)
    rows = start.rows
    while True:
        unseen = {name: reach([[row[name] for row in of_choice] for of_choice in rows]) for name in names}
        known = _Known(rows, names, goal.indifference, unseen)
        allowed = [i for i in range(choices) if all(known.mean(i, name) <= most for name, most in goal.bounds.items())]
        front = _front(known, names, allowed)
        doubts = _doubts(known, front, allowed)
        confidence = max(0.0, 1 - math.fsum(doubt for doubt, _ in doubts.values()))
        selection = replace(
            start, evidence=None, confidence=confidence, rows=rows, reached=confidence >= goal.confidence
        )
        share = (1 - goal.confidence) / max(choices, 1) / 2
        open_ = sorted({i for key, (doubt, other) in doubts.items() if doubt > share for i in (key, other)})
        most = max((len(rows[i]) for i in open_), default=0)
        wanted = most + max(2, round(GROWTH * most))
        needed = sum(wanted - len(rows[i]) for i in open_)
        if selection.reached or not open_ or (goal.budget is not None and selection.runs + needed > goal.budget):
            return selection, front
        asked = [(i, seed) for i in open_ for seed in range(len(rows[i]), wanted)]
        for (i, _), row in zip(asked, sample(asked), strict=True):
            rows[i].append(row)


def _front(known: _Known, names: Sequence[str], allowed: Sequence[int]) -> Front:
    ranked = sorted(allowed, key=lambda i: (*(known.mean(i, name) for name in names), i))
    alike: dict[int, list[int]] = {}
    unbeaten = [i for i in ranked if not any(known.beats(j, i) for j in allowed)]
    for i in unbeaten or ranked[:1]:  # within zones three can beat each other in turn
        member = next((j for j in alike if known.alike(i, j)), None)
        if member is None:
            alike[i] = []
        else:
            alike[member].append(i)
    return Front(names, list(alike), alike)


def _doubts(known: _Known, front: Front, allowed: Sequence[int]) -> dict[int, tuple[float, int]]:
    """By choice: how likely its place is wrong, at most, and with which other that is seen."""
    doubts: dict[int, tuple[float, int]] = {}
    stands = {i for others in front.alike.values() for i in others}
    for i in allowed:
        if i in front.alike:
            against = [(min(known.better(j, i), known.no_worse(j, i)), j) for j in allowed if j != i]
            if against:
                doubts[i] = min(1.0, math.fsum(doubt for doubt, _ in against)), max(against)[1]
        elif i not in stands:
            doubts[i] = min(((known.better(i, j), j) for j in allowed if j != i), default=(1.0, i))
    return doubts
