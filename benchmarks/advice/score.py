"""The procedure on problems whose truth is known: how often it is right, how sure it says so, how many runs it takes.

`python -m benchmarks.advice.score [--trials N]` simulates nothing. In each trial the thousand seeds are put in
another order, and the procedure takes them from the front. The full grid it is compared with is fifty seeds of every
choice.
"""

from __future__ import annotations

import argparse
import itertools
import math
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.advice.problems import DEVELOPED, Problem, listed
from benchmarks.advice.truth import SEEDS, Values, place
from groupsim.advice.advice import GRID_SEEDS
from groupsim.advice.selection import Goal, Row, Selection, select

INDIFFERENCE = 0.05
BINS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.975, 0.99, 1.0)


@dataclass(frozen=True, slots=True)
class Trial:
    """One advice: right or not, the probability it stated, whether that was as much as was asked for, its runs."""

    problem: int
    right: bool
    said: float
    reached: bool
    runs: int
    share: float


def known() -> list[tuple[Problem, Values]]:
    """The problems whose truth has been simulated."""
    simulated = []
    for problem in listed():
        if place(problem).exists():
            with np.load(place(problem)) as data:
                simulated.append((problem, {name: data[name].astype(float) for name in data.files}))
    return simulated


def is_right(problem: Problem, truth: Values, selection: Selection) -> bool:
    """Within the indifference zone of the best of those that keep the bounds; or none, where none does."""
    means = {name: values.mean(axis=1) for name, values in truth.items()}
    keeps = [all(means[name][i] <= most for name, most in problem.bounds.items()) for i in range(len(selection.rows))]
    if selection.evidence is None:
        return not any(keeps)
    cost, best = means[problem.minimise], selection.evidence.best
    if not keeps[best]:
        return False
    least = min(cost[i] for i, kept in enumerate(keeps) if kept)
    return bool(cost[best] - least <= INDIFFERENCE * abs(least) + 1e-9)


def tried(problem: Problem, truth: Values, trial: int, goal: Goal | None = None) -> Selection:
    """The procedure, with the seeds in the order of this trial."""
    order = np.random.default_rng((problem.id, trial)).permutation(SEEDS)
    columns = {name: values[:, order] for name, values in truth.items()}

    def sample(asked: Sequence[tuple[int, int]]) -> list[Row]:
        return [{name: float(values[i, nth]) for name, values in columns.items()} for i, nth in asked]

    choices = len(problem.choices())
    wanted = goal or Goal(budget=choices * GRID_SEEDS, indifference=INDIFFERENCE)
    wanted = Goal(problem.minimise, problem.bounds, wanted.confidence, wanted.indifference, wanted.budget)
    return select(sample, choices, wanted)


def trials(problems: Iterable[tuple[Problem, Values]], count: int) -> Iterator[Trial]:
    """So many advices on each problem."""
    for problem, truth in problems:
        grid = len(problem.choices()) * GRID_SEEDS
        for number in range(count):
            selection = tried(problem, truth, number)
            right = is_right(problem, truth, selection)
            yield Trial(
                problem.id, right, selection.confidence, selection.reached, selection.runs, selection.runs / grid
            )


def brier(advised: Sequence[Trial]) -> float:
    """Mean squared difference of what was said and what was so: 0 is best, 0.25 is saying one half always."""
    return statistics.fmean((t.said - t.right) ** 2 for t in advised)


def reliability(advised: Sequence[Trial]) -> list[tuple[float, float, int, float, float]]:
    """For each range of stated probabilities: from, to, trials, stated in the mean, right."""
    rows = []
    for low, high in itertools.pairwise(BINS):
        some = [t for t in advised if low <= t.said < high or (high == 1.0 and t.said == 1.0)]
        if some:
            said, right = statistics.fmean(t.said for t in some), statistics.fmean(t.right for t in some)
            rows.append((low, high, len(some), said, right))
    return rows


def report(name: str, advised: Sequence[Trial]) -> str:
    """A paragraph and a table, in Markdown."""
    by_problem: dict[int, list[Trial]] = {}
    for trial in advised:
        by_problem.setdefault(trial.problem, []).append(trial)
    right = statistics.fmean(t.right for t in advised)
    shares = sorted(t.share for t in advised)
    said = statistics.fmean(t.said for t in advised)
    poor = [n for n, some in by_problem.items() if statistics.fmean(t.right for t in some) < 0.9]
    error = math.sqrt(right * (1 - right) / len(by_problem))
    lines = [
        f"**{name}**: {len(by_problem)} problems, {len(advised)} advices: right {right:.1%} (± {error:.1%}), "
        f"stated {said:.1%} in the mean, Brier score {brier(advised):.4f}, runs {statistics.median(shares):.0%} of the "
        f"grid in the median ({statistics.fmean(shares):.0%} in the mean, {shares[int(0.9 * len(shares))]:.0%} for the "
        f"dearest tenth), {statistics.fmean(t.reached for t in advised):.1%} as sure as asked for. "
        f"Problems right in less than 90 %: {len(poor)} ({', '.join(map(str, poor)) or 'none'}).",
        "",
        "| stated | advices | stated in the mean | right |",
        "|---|---:|---:|---:|",
    ]
    lines += [f"| {a:.3g}–{b:.3g} | {n} | {s:.3f} | {r:.3f} |" for a, b, n, s, r in reliability(advised)]
    return "\n".join(lines)


def main() -> None:
    """Both halves, and all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--half", type=int, choices=(1, 2))
    options = parser.parse_args()
    problems = known()
    halves: Mapping[int, str] = {1: f"Problems 0–{DEVELOPED - 1}", 2: f"Problems {DEVELOPED} and after"}
    every: list[Trial] = []
    for half, name in halves.items():
        some = [(p, v) for p, v in problems if (p.id >= DEVELOPED) == (half == 2)]
        if some and options.half in (None, half):
            every += (mine := list(trials(some, options.trials)))
            print(report(name, mine), end="\n\n")
    if options.half is None and every:
        print(report("All", every))


if __name__ == "__main__":
    main()
