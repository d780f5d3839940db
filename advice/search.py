"""An advice on a scenario: its choices are compared, or searched first where they are many."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from groupsim.advice import large_search as many
from groupsim.advice.advice import GRID_SEEDS, Advice
from groupsim.advice.advising import advised
from groupsim.advice.choices import Choice, Space, combinations
from groupsim.advice.current_settings import Present, of_values
from groupsim.advice.errors import AdviceError
from groupsim.advice.refused import Refused
from groupsim.advice.sampling import Runs
from groupsim.advice.selection import Goal
from groupsim.advice.unknown import Unknown
from groupsim.analysis.tables.measures import MEASURES
from groupsim.events.errors import GroupsimError
from groupsim.pipeline.grid import Subject, load
from groupsim.pipeline.parallel import Spread, here
from groupsim.simulation.run import DURATION, resolve_settings
from groupsim.simulation.settings import WORLD_NAMES

NOTHING_UNKNOWN: Unknown = {}
LEAST = 2
"""Runs of each choice without which nothing can be said."""


def search(
    what: Subject,
    space: Space,
    fixed: Mapping[str, str],
    goal: Goal,
    *,
    unknown: Unknown = NOTHING_UNKNOWN,
    seed: int = 0,
    spread: Spread = here,
    progress: Callable[[float], None] = lambda _: None,
) -> Advice:
    """The best of these settings, on top of `fixed` ones and over all that is `unknown`.

    `spread` does the runs. `progress` gets the share of the budget that is spent. Raises AdviceError, BadScenario or
    BadSetting for an impossible request, before anything is simulated.
    """
    for name in goal.names:
        if name not in MEASURES:
            raise AdviceError(f"unknown measure {name!r}; there are {', '.join(MEASURES)}")
    for name in WORLD_NAMES:
        if name in space:
            instead = f"--set {name}=... plays all choices with one, --unknown {name}=LOW..HIGH draws one for each seed"
            raise AdviceError(f"{name} is no choice that anybody has: {instead}")
    check = _check(what, fixed, unknown)

    def played(most: int) -> Runs:
        shown: Callable[[int], None] = lambda done: progress(min(done / most, 1.0))  # noqa: E731
        return Runs(what, fixed, seed, spread, shown, goal.names)

    if many.is_many(space):
        half = None if goal.budget is None else goal.budget // 2
        runs = played(many.MOST if goal.budget is None else goal.budget)
        left = many.found(space, lambda tried: runs.sample(tried, unknown), _refusal(check), goal, seed, half)
        now = _present(what, fixed, left.choices)
        found = advised(runs, left.choices, goal, unknown, _budget(len(left.choices), half), now)
        return replace(found, tried=left.tried, search_runs=left.runs, refused=left.refused)
    choices = combinations(space)
    for choice in choices:
        check(choice)
    most = _budget(len(choices), goal.budget)
    return advised(played(most), choices, goal, unknown, most, _present(what, fixed, choices))


def _present(what: Subject, fixed: Mapping[str, str], choices: Sequence[Choice]) -> Present:
    """The scenario's own parameters and what is `fixed`; a Kafka setting of its story is not known."""
    params, lasts_ms, given = resolve_settings(load(what), fixed)
    return of_values({key: str(value) for key, value in {**params, DURATION: lasts_ms, **given}.items()}, choices)


def _check(what: Subject, fixed: Mapping[str, str], unknown: Unknown) -> Callable[[Choice], None]:
    """Raises BadScenario or BadSetting for a choice that can't be, at either end of what is unknown."""
    scenario = load(what)
    ends = [{key: each.at(share) for key, each in unknown.items()} for share in (0.0, 1.0)]

    def check(choice: Choice) -> None:
        for end in ends:
            resolve_settings(scenario, {**fixed, **end, **choice})

    return check


def _refusal(check: Callable[[Choice], None]) -> Callable[[Choice], Refused | None]:
    """What `check` raises, as a reason."""

    def refusal(choice: Choice) -> Refused | None:
        try:
            check(choice)
        except GroupsimError as error:
            return Refused(choice, str(error))
        return None

    return refusal


def _budget(choices: int, budget: int | None) -> int:
    """Runs for so many choices. Raises AdviceError for too few."""
    most = choices * GRID_SEEDS if budget is None else budget
    if most < LEAST * choices:
        raise AdviceError(f"--budget {most}: {choices} choices need {LEAST * choices} runs at least")
    return most
