"""Where an advice flips: from which value of something unknown on another choice is better."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from groupsim.advice.advice import Advice, Flip
from groupsim.advice.selection import Goal, Sample, Selection, select
from groupsim.advice.unknown import Range

CONTENDERS = 5
"""So many choices, the best of the advice, are compared at every value."""
RUNS = 15
"""Runs of each of them at most, at one value."""
LOOKS = 5
"""Values that are looked at first, the ends included; between two with different answers five more are."""
HALVINGS = 5
SURE = 0.9
SampleAt = Callable[[Sequence[int], str, str], Sample]
"""Contenders, and the parameter that is held at a value, to the way to sample them."""


def flips(advice: Advice, ranges: Mapping[str, Range], sample_at: SampleAt) -> list[Flip]:
    """Every flip along each unknown parameter, in the order of the parameters and of their values."""
    contenders = _contenders(advice)
    if len(contenders) < 2:
        return []
    return [
        flip for key, between in ranges.items() for flip in _along(key, between, advice.goal, contenders, sample_at)
    ]


def _contenders(advice: Advice) -> list[int]:
    allowed = [i for i in range(len(advice.choices)) if advice.selection.allowed[i] >= 0.5]
    return sorted(allowed, key=lambda i: (advice.means(i)[advice.goal.minimise], i))[:CONTENDERS]


def _along(key: str, between: Range, goal: Goal, contenders: Sequence[int], sample: SampleAt) -> list[Flip]:
    """Look at some values, then halve the distance between neighbours that disagree."""
    goal = Goal(goal.minimise, {}, SURE, goal.indifference, RUNS * len(contenders))
    known: dict[float, Selection] = {}

    def best(share: float) -> int | None:
        """The surely best contender at this value, beyond the zone; None where it is not sure."""
        if share not in known:
            known[share] = select(sample(contenders, key, between.at(share)), len(contenders), goal)
        found = known[share]
        if found.evidence is None or not found.reached:
            return None
        return contenders[found.evidence.best]

    def better(share: float, one: int, other: int) -> bool:
        """At this value `one` is better than `other` by more than the zone, surely."""
        evidence = known[share].evidence
        if evidence is None or contenders[evidence.best] != one:
            return False
        return evidence.differences[contenders.index(other)].below(evidence.zone) <= 1 - SURE

    shares = [i / (LOOKS - 1) for i in range(LOOKS)]
    answers = [(share, answer) for share in shares if (answer := best(share)) is not None]
    found = []
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
        found.append(Flip(key, between.at(low), between.at(high), before, after))
    return found
