"""What a search has found: the choices, the goal, the evidence, and where another choice is better."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from groupsim.advice.choices import Choice
from groupsim.advice.selection import Goal, Row, Selection

GRID_SEEDS = 50
"""Runs of every choice that a full grid would take: what the runs used are compared with."""


@dataclass(frozen=True, slots=True)
class Flip:
    """Between the values `below` and `above` of `key` the best changes from choice `before` to choice `after`."""

    key: str
    below: str
    above: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Advice:
    """`before`: measures of the settings as they are, None where they are not known.

    `flips`: where along what is unknown another choice is better.
    """

    choices: Sequence[Choice]
    goal: Goal
    selection: Selection
    before: Row | None = None
    flips: Sequence[Flip] = ()

    def means(self, choice: int) -> dict[str, float]:
        """The mean of every measure of one choice."""
        rows = self.selection.rows[choice]
        return {name: statistics.fmean(row[name] for row in rows) for name in rows[0]}

    @property
    def equal(self) -> int | None:
        """The next best choice, if it is no worse than the best by more than the zone as surely as was asked for."""
        evidence = self.selection.evidence
        if evidence is None or evidence.runner_up is None:
            return None
        likely = evidence.differences[evidence.runner_up].below(evidence.zone)
        return evidence.runner_up if likely >= self.goal.confidence else None
