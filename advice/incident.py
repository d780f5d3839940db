"""An advice on a recorded incident: its choices are replayed as a what-if replays them, with the same draws for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from groupsim.advice import large_search as many
from groupsim.advice.advice import GRID_SEEDS, Advice, Record
from groupsim.advice.advising import advised
from groupsim.advice.choices import Choice, Space, combinations, corners
from groupsim.advice.current_settings import Present, apart
from groupsim.advice.errors import AdviceError
from groupsim.advice.refused import Refused
from groupsim.advice.replays import MEASURES, Replayed, Replays
from groupsim.advice.selection import Goal
from groupsim.advice.time_shifting import without_movers
from groupsim.advice.trust import reliance
from groupsim.advice.unknown import Range, Unknown
from groupsim.pipeline.parallel import Spread, here
from groupsim.replay import ask
from groupsim.replay.aftermath import tail_ms
from groupsim.replay.choice import Choice as ReplayedChoice
from groupsim.replay.choice_settings import ASSIGNOR, RESTART
from groupsim.replay.protocols import PROTOCOL
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.inferred_settings.evidence import SESSION
from groupsim.replay.replayable import ReplayableRun
from groupsim.replay.rests_on import basis

DRAWN = 36
"""Values that seeds draw from a range of the user's."""
NOTHING_UNKNOWN: Unknown = {}
LEAST = 2
"""Runs of each choice without which nothing can be said."""
SMALL_MEMBER_MS = 50_000_000
"""Simulated time, times members, times choices, below which one process is enough."""


def is_small(incident: ReplayableRun, space: Space) -> bool:
    """Whether other processes would take longer to start than to work."""
    choices = many.TRIALS if many.is_many(space) else len(combinations(space))
    return incident.lasts_ms * incident.members * choices < SMALL_MEMBER_MS


def advise(
    incident: ReplayableRun,
    space: Space,
    goal: Goal,
    *,
    unknown: Unknown = NOTHING_UNKNOWN,
    total_unknown: str | None = None,
    seed: int = 0,
    spread: Spread = here,
    progress: Callable[[float], None] = lambda _: None,
) -> Advice:
    """The best of these settings for an incident; every seed draws what the record leaves open, and what is `unknown`.

    `total_unknown`: why the record's own total is not known, if so. Raises AdviceError or BadSetting for an impossible
    request, and where the record can answer none of the choices.
    """
    for name in goal.names:
        if name not in MEASURES:
            raise AdviceError(f"unknown measure {name!r}; of an incident there are {', '.join(MEASURES)}")
    searched = many.is_many(space)
    ends = corners(space) if searched else combinations(space)
    of = _replayed(incident, ends, unknown)
    half = None if goal.budget is None or not searched else goal.budget // 2
    runs = many.MOST if searched and goal.budget is None else goal.budget or len(ends) * GRID_SEEDS
    played = Replays(of, seed, spread, lambda done: progress(min(done / runs, 1.0)))
    left: many.Found | None = None
    if searched:
        left = _searched(incident, played, space, goal, unknown, seed, half)
        asked, refused = left.choices, left.refused
    else:
        _enough(len(ends), goal.budget)
        asked, refused = _answerable(played, ends)
    single = _single(of, asked)
    asked = [asked[i] for i in _present(incident, of, asked).order]
    budget = half if searched else goal.budget
    _enough(len(asked), budget)
    _, trusted = ask.nearness(incident, range(seed, seed + ask.EXACT_SEEDS), single, total_unknown)
    open_ = {**_open(incident, single, asked), **unknown}

    def answered(choices: Sequence[Choice]) -> Advice:
        most = budget or len(choices) * GRID_SEEDS
        present = _present(incident, of, choices)
        advice = advised(played, choices, goal, open_, most, present)
        stopped = [f"{name or 'the record'}: {why}" for name, why in played.stopped.items()]
        assumed = (*ask.assumed(incident, single), *stopped)
        best = advice.selection.chosen_rows if advice.selection.evidence is not None else ()
        record = Record(
            reliance=reliance(best, advice.now, trusted, goal.minimise),
            basis=basis(incident, assumed),
            assumed=assumed,
            session_ms=of.incident.settings[SESSION],
            needs=[incident.needs(of.choice(choice)) for choice in choices],
        )
        return replace(advice, record=record, refused=refused)

    advice = without_movers(answered, asked)
    return advice if left is None else replace(advice, tried=left.tried, search_runs=left.runs)


def _enough(choices: int, budget: int | None) -> None:
    """Raises AdviceError for too small a budget."""
    if budget is not None and budget < LEAST * choices:
        raise AdviceError(f"--budget {budget}: {choices} choices need {LEAST * choices} runs at least")


def _searched(
    incident: ReplayableRun,
    played: Replays,
    space: Space,
    goal: Goal,
    unknown: Unknown,
    seed: int,
    most: int | None,
) -> many.Found:
    """The best of many choices, or of ranges. Raises AdviceError where the record can answer none that was tried."""
    single = _single(played.of, corners(space))
    drawn = {**_open(incident, single, corners(space)), **unknown}

    def refusal(choice: Choice) -> Refused | None:
        return next(iter(played.refused([choice])), None)

    return many.found(space, lambda tried: played.sample(tried, drawn), refusal, goal, seed, most)


def _replayed(incident: ReplayableRun, choices: Sequence[Choice], unknown: Unknown) -> Replayed:
    """What is replayed. Raises AdviceError for a simulated run: its scenario can be asked."""
    recorded = incident.incident
    if recorded is None:
        raise AdviceError(f"run {incident.name} was simulated: ask about its scenario instead")
    of = Replayed(_left_open(recorded, unknown), incident.window, 0)
    possible = [choice for choice in choices if of.refusal(choice) is None]
    ends = [{key: between.at(share) for key, between in unknown.items()} for share in (0.0, 1.0)]
    slowest = [of.choice({**end, **choice}) for choice in possible for end in ends]
    return replace(of, tail_ms=tail_ms(of.incident, slowest))


def _left_open(recorded: Incident, unknown: Unknown) -> Incident:
    """The incident with what the user says to be unknown among its settings. Raises AdviceError for another key."""
    for key in unknown:
        if key not in (RESTART, *recorded.settings):
            raise AdviceError(f"--unknown {key}: of an incident {RESTART} or {', '.join(sorted(recorded.settings))}")
    open_ = {key: _whole(between) for key, between in unknown.items() if key != RESTART}
    return replace(recorded, open_settings={**recorded.open_settings, **open_})


def _whole(between: Range) -> tuple[int, ...]:
    if not between.whole or between.low < 1:
        raise AdviceError(f"--unknown {between.low:g}..{between.high:g}: both ends must be whole milliseconds above 0")
    return tuple(map(int, between.steps(DRAWN)))


def _answerable(played: Replays, choices: Sequence[Choice]) -> tuple[list[Choice], list[Refused]]:
    """The choices that the record can answer, and the others. Raises AdviceError if there is none."""
    refused = played.refused(choices)
    left_out = [each.choice for each in refused]
    asked = [choice for choice in choices if choice not in left_out]
    if not asked:
        raise AdviceError(f"the record can answer none of {len(choices)} choices; {refused[0]}")
    return asked, refused


def _present(incident: ReplayableRun, of: Replayed, choices: Sequence[Choice]) -> Present:
    """How far each choice is from the settings of the record."""
    known = {key: str(value) for key, value in of.incident.settings.items()}
    changed = [_changed(incident, of, choice) for choice in choices]
    return Present(changed, [apart(known, choice) for choice in choices])


def _changed(incident: ReplayableRun, of: Replayed, choice: Choice) -> int:
    """How many of its values the record does not have: of equal choices the one that changes least is taken."""
    return sum(not incident.has_already(of.choice(_alone(choice, key))) for key in choice)


def _single(of: Replayed, choices: Sequence[Choice]) -> list[ReplayedChoice]:
    """Each value by itself, once: what notes are about."""
    values: dict[tuple[tuple[str, str], ...], Mapping[str, str]] = {}
    for choice in choices:
        for key in choice:
            alone = _alone(choice, key)
            values.setdefault(tuple(alone.items()), alone)
    return [of.choice(each) for each in values.values()]


def _alone(choice: Choice, key: str) -> Choice:
    """One value of a choice; an assignor with the protocol, which says whose it is."""
    kept = ("protocol", PROTOCOL) if key == ASSIGNOR else ()
    return {name: value for name, value in choice.items() if name == key or name in kept}


def _open(incident: ReplayableRun, single: Sequence[ReplayedChoice], choices: Sequence[Choice]) -> dict[str, Range]:
    """The settings that the record leaves open and no choice sets, from the least to the greatest that fits."""
    open_ = incident.open_settings(single)
    varied = {key for choice in choices for key in choice}
    return {key: Range(low, high, whole=True) for key, (low, high) in open_.items() if low < high and key not in varied}
