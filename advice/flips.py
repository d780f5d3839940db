"""Where an advice flips: from which value of something unknown on another choice is better."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from statistics import fmean

from groupsim.advice.advice import Advice, Along, Flip
from groupsim.advice.choices import main_effects
from groupsim.advice.selection import Goal, Sample, Selection, select
from groupsim.advice.unknown import Range

CONTENDERS = 6
"""So many choices are compared at every value."""
RUNS = 15
"""Runs of each of them at most, at one value."""
LOOKS = 5
"""Values that are looked at first, the ends included; between two with different answers five more are."""
HALVINGS = 5
SURE = 0.9
SampleAt = Callable[[Sequence[int], str, str], Sample]
"""Contenders, and the parameter that is held at a value, to the way to sample them."""


def along(advice: Advice, ranges: Mapping[str, Range], sample_at: SampleAt) -> list[Along]:
    """Each unknown parameter, in order: every flip along it, and what the contenders cost at the values looked at."""
    contenders = _contenders(advice)
    if len(contenders) < 2:
        return []
    return [_along(key, between, advice.goal, contenders, sample_at) for key, between in ranges.items()]


def _contenders(advice: Advice) -> list[int]:
    """The best, then the best with each value of each setting, from the setting that matters most."""
    name = advice.goal.minimise
    means = [advice.means(i)[name] for i in range(len(advice.choices))]
    allowed = [i for i in range(len(means)) if advice.selection.allowed[i] >= 0.5]
    ranked = sorted(allowed, key=lambda i: (means[i], i))
    evidence = advice.selection.evidence
    contenders = dict.fromkeys(ranked[:1] if evidence is None else [evidence.best])
    for key in main_effects(advice.choices, means):
        best: dict[str, int] = {}
        for i in ranked:
            best.setdefault(advice.choices[i][key], i)
        contenders |= dict.fromkeys(best.values())
    return list(contenders)[:CONTENDERS]


def _along(key: str, between: Range, goal: Goal, contenders: Sequence[int], sample: SampleAt) -> Along:
    """Look at some values, then halve the distance between neighbours that disagree."""
    goal = Goal(goal.minimise, {}, SURE, goal.indifference, RUNS * len(contenders))
    known: dict[float, Selection] = {}

    def best(share: float) -> int | None:
        """The surely best contender at this value, beyond the zone; None where it is not sure."""
        if share not in known:
            known[share] = select(sample(contenders, key, between.at(share)), len(contenders), goal)
        selection = known[share]
        if selection.evidence is None or not selection.reached:
            return None
        return contenders[selection.evidence.best]

    def better(share: float, one: int, other: int) -> bool:
        """At this value `one` is better than `other` by more than the zone, surely."""
        evidence = known[share].evidence
        if evidence is None or contenders[evidence.best] != one:
            return False
        return evidence.differences[contenders.index(other)].below(evidence.zone) <= 1 - SURE

    shares = [i / (LOOKS - 1) for i in range(LOOKS)]
    answers = [(share, answer) for share in shares if (answer := best(share)) is not None]
    flips = []
    for (low, before), (high, after) in pairwise(answers):
        if before == after:
            continue
        holds_before = any(better(share, before, after) for share in shares if share <= low)
        holds_after = any(better(share, after, before) for share in shares if share >= high)
        if not (holds_before and holds_after):
            continue
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            answer = best(middle)
            if answer == before:
                low = middle
            elif answer == after:
                high = middle
            else:
                break
        flips.append(Flip(key, between.at(low), between.at(high), before, after))
    return Along(key, flips, {between.at(share): _means(known[share], contenders, goal) for share in sorted(known)})


def _means(found: Selection, contenders: Sequence[int], goal: Goal) -> dict[int, float]:
    rows = zip(contenders, found.rows, strict=True)
    return {i: fmean(row[goal.minimise] for row in own) for i, own in rows}
