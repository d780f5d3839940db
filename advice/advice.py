"""What a search has found: the choices, the goal, the evidence, and where another choice is better."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from groupsim.advice.choices import Choice
from groupsim.advice.current_settings import NOTHING_SET, Present, is_worth_it
from groupsim.advice.evidence import Estimate, estimate
from groupsim.advice.pareto import Front
from groupsim.advice.refused import Refused
from groupsim.advice.selection import Goal, Row, Selection, same_as
from groupsim.advice.trust import Reliance
from groupsim.analysis.tables.measures import AFTER_START, MEASURES
from groupsim.replay.rests_on import Basis
from groupsim.replay.verdict import Verdict

WORSE = 0.05
LEAST_MS, LEAST = 500, 0.5
"""What is more than this share worse, and by more than this, surely, is a price."""
_INSTANT = "lag_end"
"""It depends on how long ago the last commit was."""
_ALIKE = {"partition_ms", AFTER_START, "founding_ms"}
"""None of them is elsewhere for the others."""
_LATER = AFTER_START.removesuffix("ms")
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
class Along:
    """What happens along something unknown. `means`: by its value (as text, ascending) and choice, the measure."""

    key: str
    flips: Sequence[Flip]
    means: Mapping[str, Mapping[int, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What an advice on a recorded incident rests on. `assumed`: what the logs did not tell, and `basis` by its kinds.

    `session_ms`: the record's. `needs`: by choice, which limits of the brokers must be wider than by default.
    """

    reliance: Reliance
    basis: Basis
    assumed: Sequence[str] = ()
    session_ms: int | None = None
    needs: Sequence[Sequence[str]] = ()


@dataclass(frozen=True, slots=True)
class Advice:
    """`now`: the measures of the settings as they are, under the first seeds; none where they are not known.

    `along`: each unknown; where along it another choice is better. `record`: of an incident, what the advice rests on.
    `tradeoff`: where several measures are to be small; then there is no best.
    `tried`: of how many, in so many `search_runs`, a search has left the choices; 0 without a search.
    `present`: how far each choice is from the settings as they are. `refused`: the choices without figures.
    """

    choices: Sequence[Choice]
    goal: Goal
    selection: Selection
    now: Sequence[Row] = ()
    along: Sequence[Along] = ()
    record: Record | None = None
    tradeoff: Front | None = None
    tried: int = 0
    search_runs: int = 0
    present: Present = NOTHING_SET
    refused: Sequence[Refused] = ()
    other_runs: int = 0

    @property
    def runs(self) -> int:
        """How many were used to compare the choices."""
        return self.selection.runs + self.other_runs

    @property
    def of_runs(self) -> int:
        """How many a full grid would have used."""
        return (len(self.choices) + len(self.moved)) * GRID_SEEDS

    @property
    def moved(self) -> list[Refused]:
        """The choices that were simulated and left out, because they only move time."""
        return [each for each in self.refused if each.verdict is Verdict.MOVED]

    def means(self, choice: int) -> dict[str, float]:
        """The mean of every measure of one choice."""
        return _means(self.selection.rows[choice])

    @property
    def before(self) -> dict[str, float] | None:
        """The mean of every measure of the settings as they are; None where they are not known."""
        return _means(self.now) if self.now else None

    @property
    def flips(self) -> list[Flip]:
        """All of them."""
        return [flip for each in self.along for flip in each.flips]

    def holds(self, along: Along) -> bool:
        """Whether the best choice is within the zone of the least at every value that was looked at."""
        best = self.selection.evidence.best if self.selection.evidence is not None else -1
        within = 1 + self.goal.indifference
        return len(along.means) > 1 and all(
            best in means and means[best] <= within * min(means.values()) for means in along.means.values()
        )

    @property
    def same(self) -> list[int]:
        """The choices that do the same as the best: all measures are equal under every seed that both have."""
        evidence = self.selection.evidence
        return [] if evidence is None else same_as(self.selection.rows, evidence.best)

    @property
    def others(self) -> dict[int, Estimate]:
        """By how much each choice that does not do the same costs more than the best, the next best first."""
        evidence = self.selection.evidence
        if evidence is None:
            return {}
        same = self.same
        differences = {i: difference for i, difference in evidence.differences.items() if i not in same}
        return dict(sorted(differences.items(), key=lambda item: (item[1].mean, item[0])))

    @property
    def equal(self) -> int | None:
        """A choice that is no worse than the best by more than the zone as surely as was asked for: the next best."""
        evidence = self.selection.evidence
        zone = 0.0 if evidence is None else evidence.zone
        return next((i for i, each in self.others.items() if each.below(zone) >= self.goal.confidence), None)

    @property
    def seeds_alike(self) -> int:
        """How many seeds gave the same value of what is to be small, for every choice; 0 if some differ."""
        name = self.goal.minimise
        values = [[row[name] for row in rows if name in row] for rows in self.selection.rows if rows]
        seeds = min(map(len, values), default=0)
        return seeds if seeds > 1 and all(len(set(of_choice)) == 1 for of_choice in values) else 0

    @property
    def change(self) -> Estimate | None:
        """By how much the best costs more than the settings as they are, under the same seeds."""
        evidence, name = self.selection.evidence, self.goal.minimise
        if evidence is None or len(self.now) < 2:
            return None
        pairs = zip(self.selection.rows[evidence.best], self.now, strict=False)
        return estimate([row[name] - now[name] for row, now in pairs])

    @property
    def price(self) -> dict[str, tuple[float, float]]:
        """The measures that are worse than with the settings as they are: the mean of the best choice, and theirs."""
        evidence, minimised = self.selection.evidence, self.goal.minimise
        if evidence is None or len(self.now) < 2:
            return {}
        worse = {}
        rows = self.selection.rows[evidence.best]
        for name in self.now[0]:
            if name == _INSTANT or _is_like(name, minimised):
                continue
            more = estimate([row[name] - now[name] for row, now in zip(rows, self.now, strict=False)])
            before = estimate([row[name] for row in self.now]).mean
            enough = max(WORSE * before, LEAST_MS if name.endswith("_ms") else LEAST)
            if more.mean > enough and more.interval()[0] > 0:
                worse[name] = (before + more.mean, before)
        return worse

    @property
    def is_present(self) -> bool:
        """The best is what is set now."""
        evidence = self.selection.evidence
        return evidence is not None and evidence.best == self.present.own

    @property
    def keeps(self) -> bool:
        """What is set now is to be kept: it is the best, or no choice is better by enough to be worth a change."""
        if self.selection.evidence is None or not self.now:
            return False
        if self.record is not None and self.record.reliance.only_moves:
            return True
        return self.is_present or not is_worth_it(self.selection.chosen_rows, self.now, self.goal)


def _is_like(name: str, minimised: str) -> bool:
    """Whether a measure says nothing new beside the one that is minimised, or beside the same of as much of the run."""
    is_later = name.startswith(_LATER) and name != AFTER_START
    twin = f"{_LATER}{name}" in MEASURES if minimised.startswith(_LATER) else is_later
    return twin or name == minimised.removeprefix(_LATER) or {name, minimised} <= _ALIKE or name == minimised


def _means(rows: Sequence[Row]) -> dict[str, float]:
    return {name: statistics.fmean(row[name] for row in rows) for name in rows[0]}
