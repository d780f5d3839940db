"""What a scenario and a recorded incident have in common: sample choices, then the settings as they are, then look
where the advice flips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Protocol

from groupsim.advice.advice import Advice, Along
from groupsim.advice.choices import Choice
from groupsim.advice.current_settings import Present, is_worth_it
from groupsim.advice.flips import along as along_each
from groupsim.advice.pareto import select_front
from groupsim.advice.selection import FIRST, Goal, Sample, instead, preferring, same_as, select
from groupsim.advice.unknown import Range, Unknown

NOTHING: Mapping[str, str] = {}
EVENLY = 8
"""Seeds of each choice before anything is said where something is unknown: an eighth of its range is not left out."""
ENOUGH = 32
"""After so many draws, evenly spread, no more than that share of a range is left out, and they alone count."""
DOUBTED = 0.5
"""How sure an advice is that the values of what is unknown speak against, when there are no runs left."""


class Played(Protocol):
    """Runs of a scenario, or replays of an incident."""

    def sample(self, choices: Sequence[Choice], unknown: Unknown, held: Mapping[str, str] = NOTHING) -> Sample:
        """A way to sample these choices; what is `unknown` is drawn by the seed, but for what is `held`."""
        ...


def advised(
    played: Played,
    choices: Sequence[Choice],
    goal: Goal,
    unknown: Unknown,
    most: int,
    present: Present,
) -> Advice:
    """The best of these settings over all that is `unknown`, with `most` runs at most.

    Of those that are as good as the best, and worth a change of what is set now, the one that changes least.
    """
    as_it_is = len(choices)
    sample = played.sample([*choices, {}], unknown)
    first, divided = min(EVENLY if unknown else FIRST, most // len(choices)), goal.budget is not None
    if goal.also:
        chosen, front = select_front(sample, len(choices), replace(goal, budget=most), first)
        now = sample([(as_it_is, nth) for nth in range(max(map(len, chosen.rows)))])
        return Advice(choices, goal, chosen, now, tradeoff=front, present=present)

    def held(contenders: Sequence[int], key: str, value: str) -> Sample:
        return played.sample([choices[i] for i in contenders], unknown, {key: value})

    def answered(first: int) -> Advice:
        selection = select(sample, len(choices), replace(goal, budget=most), first, divided=divided)
        if selection.evidence is not None:
            alike = [selection.evidence.best, *same_as(selection.rows, selection.evidence.best)]
            selection = instead(selection, goal, min(alike, key=present.order.index))
        now = sample([(as_it_is, nth) for nth in range(len(selection.chosen_rows))])
        if is_worth_it(selection.chosen_rows, now, goal):
            smaller = [i for i in present.order if is_worth_it(selection.rows[i], now, goal)]
            selection = preferring(selection, replace(goal, budget=most), smaller)
        now = sample([(as_it_is, nth) for nth in range(len(selection.chosen_rows))])
        advice = Advice(choices, goal, selection, now, present=present)
        return replace(advice, along=along_each(advice, unknown, held))

    advice = answered(first)
    while _better_somewhere(advice, unknown):
        seeds = len(advice.selection.chosen_rows)
        more = min(2 * seeds, most // len(choices))
        if more <= seeds:
            doubted = min(advice.selection.confidence, DOUBTED)
            return replace(advice, selection=replace(advice.selection, confidence=doubted, reached=False))
        advice = answered(more)
    return advice


def _better_somewhere(advice: Advice, unknown: Unknown) -> list[int]:
    """The choices that cost less than the best in the mean over some range, by more than the zone, by its values."""
    evidence = advice.selection.evidence
    if evidence is None or len(advice.selection.chosen_rows) >= ENOUGH:
        return []
    better: list[int] = []
    for along in advice.along:
        costs = _over(along, unknown[along.key])
        if evidence.best in costs:
            most = costs[evidence.best] - advice.goal.indifference * abs(costs[evidence.best])
            better += [i for i, cost in costs.items() if cost < most]
    return list(dict.fromkeys(better))


def _over(along: Along, between: Range) -> dict[int, float]:
    """By choice: the mean over a range of what it costs at some of its values (trapezoids)."""
    costs: dict[int, float] = {}
    for (low, before), (high, after) in pairwise(along.means.items()):
        wide = between.share(float(high)) - between.share(float(low))
        for i in before.keys() & after.keys():
            costs[i] = costs.get(i, 0.0) + wide * (before[i] + after[i]) / 2
    return costs
