"""An advice on a scenario: sample its choices, then the settings as they are, and say what was found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from groupsim.advice.advice import GRID_SEEDS, Advice
from groupsim.advice.advising import advised
from groupsim.advice.choices import Choice
from groupsim.advice.errors import AdviceError
from groupsim.advice.sampling import runs
from groupsim.advice.selection import Goal
from groupsim.advice.unknown import Unknown
from groupsim.analysis.tables.measures import MEASURES
from groupsim.scenarios import catalogue
from groupsim.simulation.run import resolve_settings

NOTHING_UNKNOWN: Unknown = {}
LEAST = 2
"""Runs of each choice without which nothing can be said."""


def search(
    scenario: str,
    choices: Sequence[Choice],
    fixed: Mapping[str, str],
    goal: Goal,
    *,
    unknown: Unknown = NOTHING_UNKNOWN,
    seed: int = 0,
    jobs: int = 1,
    progress: Callable[[float], None] = lambda _: None,
) -> Advice:
    """The best of these settings, on top of `fixed` ones and over all that is `unknown`.

    `progress` gets the share of the budget that is spent. Raises AdviceError, BadScenario or BadSetting for an
    impossible request, before anything is simulated.
    """
    most = _check(scenario, choices, fixed, goal, unknown)
    with runs(scenario, fixed, seed, jobs, lambda done: progress(min(done / most, 1.0))) as played:
        return advised(played, choices, goal, unknown, most)


def _check(scenario: str, choices: Sequence[Choice], fixed: Mapping[str, str], goal: Goal, unknown: Unknown) -> int:
    """The budget."""
    for name in goal.names:
        if name not in MEASURES:
            raise AdviceError(f"unknown measure {name!r}; there are {', '.join(MEASURES)}")
    found = catalogue.find(scenario)
    for choice in choices:
        for share in (0.0, 1.0):
            resolve_settings(found, {**fixed, **{key: each.at(share) for key, each in unknown.items()}, **choice})
    most = len(choices) * GRID_SEEDS if goal.budget is None else goal.budget
    if most < LEAST * len(choices):
        raise AdviceError(f"--budget {most}: {len(choices)} choices need {LEAST * len(choices)} runs at least")
    return most
