"""Many choices, or a continuum of them: a search that learns from every batch leaves a few, which are then compared.

The search is Optuna's (tree-structured Parzen estimator), seeded; its batches do not depend on how many processes there
are. It guarantees nothing about choices that it did not try; among those that it leaves, `selection` does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from groupsim.advice.advice import GRID_SEEDS
from groupsim.advice.choices import Choice, Space, front
from groupsim.advice.errors import AdviceError
from groupsim.advice.refused import Refused
from groupsim.advice.selection import Goal, Row, Sample
from groupsim.advice.unknown import Range

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.trial import Trial

FEW = 64
"""So many combinations are compared one by one."""
TRIALS, BATCH, SEEDS, FINALISTS = 64, 8, 3, 8
"""Choices that the search tries, so many at a time, with so many runs of each; the best of them are compared."""
MOST = TRIALS * SEEDS + FINALISTS * GRID_SEEDS
"""Runs of a search and of the comparison after it, where no budget is given."""
DIGITS = 2
"""Significant digits of a tried value: nobody sets 17,342 ms."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the search leaves, best first, none equal to another; how many it `tried`, and how many runs that took.

    `refused`: what it came upon and could not try.
    """

    choices: list[Choice]
    tried: int
    runs: int
    refused: list[Refused]


def is_many(space: Space) -> bool:
    """Whether to search: a range, or more than FEW combinations."""
    lists = [values for values in space.values() if not isinstance(values, Range)]
    return len(lists) < len(space) or math.prod(map(len, lists)) > FEW


def found(
    space: Space,
    sampled: Callable[[Sequence[Choice]], Sample],
    refusal: Callable[[Choice], Refused | None],
    goal: Goal,
    seed: int,
    most: int | None,
) -> Found:
    """Search with `most` runs at most. `sampled`: choices to a way to sample them.

    `refusal`: why a choice can't be tried, if so. Raises AdviceError if none can be, or for few runs.
    """
    import optuna

    trials = TRIALS if most is None else min(TRIALS, most // SEEDS)
    if trials < BATCH:
        raise AdviceError(f"--budget: a search needs {2 * BATCH * SEEDS} runs at least, half to compare the best")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = optuna.samplers.TPESampler(n_startup_trials=2 * BATCH, seed=seed)
    study = optuna.create_study(sampler=sampler, directions=[optuna.study.StudyDirection.MINIMIZE] * len(_aims(goal)))
    scores: dict[tuple[tuple[str, str], ...], list[float]] = {}
    refused: dict[tuple[tuple[str, str], ...], Refused] = {}
    for first in range(0, trials, BATCH):
        asked = [study.ask(_distributions(space)) for _ in range(min(BATCH, trials - first))]
        batch: list[tuple[Trial, Choice]] = []
        for trial in asked:
            choice = _choice(space, trial.params)
            if (why := refusal(choice)) is not None:
                refused[tuple(choice.items())] = why
                study.tell(trial, state=optuna.trial.TrialState.FAIL)
            else:
                batch.append((trial, choice))
        rows = sampled([choice for _, choice in batch])([(i, nth) for i in range(len(batch)) for nth in range(SEEDS)])
        for i, (trial, choice) in enumerate(batch):
            score = _score(rows[i * SEEDS : (i + 1) * SEEDS], goal)
            scores[tuple(choice.items())] = score
            study.tell(trial, score)
    if not scores:
        why = next(iter(refused.values()))
        raise AdviceError(f"none of {trials} choices that the search tried is possible: {why}")
    best: dict[tuple[float, ...], Choice] = {}  # one of those with equal scores: a setting without effect makes them
    for settings, score in sorted(scores.items(), key=lambda item: (item[1], item[0])):
        best.setdefault(tuple(score), dict(settings))
    means = [dict(zip(_aims(goal), score, strict=True)) for score in best]
    unbeaten = [list(best.values())[i] for i in front(means, _aims(goal))] if goal.also else list(best.values())
    every = max(1, len(unbeaten) // FINALISTS) if goal.also else 1
    return Found(unbeaten[::every][:FINALISTS], len(scores), len(scores) * SEEDS, list(refused.values()))


def _aims(goal: Goal) -> list[str]:
    return [goal.minimise, *goal.also]


def _score(rows: Sequence[Row], goal: Goal) -> list[float]:
    """What is minimised; where a bound is not kept more than any amount can be, and more the further it is."""
    beyond = 0.0
    for name, bound in goal.bounds.items():
        mean = fmean(row[name] for row in rows)
        beyond += max(0.0, mean - bound) / max(abs(bound), 1.0)
    return [1e15 * (1 + beyond) if beyond else fmean(row[name] for row in rows) for name in _aims(goal)]


def _distributions(space: Space) -> dict[str, BaseDistribution]:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    made: dict[str, BaseDistribution] = {}
    for key, values in space.items():
        if not isinstance(values, Range):
            made[key] = CategoricalDistribution(list(values))
        elif values.whole:
            made[key] = IntDistribution(int(values.low), int(values.high), log=values.low > 0)
        else:
            made[key] = FloatDistribution(values.low, values.high, log=values.low > 0)
    return made


def _choice(space: Space, params: Mapping[str, float | str]) -> Choice:
    return {key: _text(params[key], values) for key, values in space.items()}


def _text(value: float | str, values: Sequence[str] | Range) -> str:
    """A value of a range with few digits, inside the range."""
    if isinstance(value, str) or not isinstance(values, Range):
        return str(value)
    rounded = min(max(float(f"{value:.{DIGITS}g}"), values.low), values.high)
    return str(round(rounded)) if values.whole else f"{rounded:.6g}"
