"""An advice on a recorded incident: its choices are replayed as a what-if replays them, with the same draws for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from groupsim.advice.advice import GRID_SEEDS, Advice, Record
from groupsim.advice.advising import advised
from groupsim.advice.choices import Choice, in_words
from groupsim.advice.errors import AdviceError
from groupsim.advice.replays import MEASURES, Replayed, Replays
from groupsim.advice.selection import Goal
from groupsim.advice.unknown import Range, Unknown
from groupsim.pipeline.spread import Spread, here
from groupsim.replay import ask
from groupsim.replay.choice import Choice as ReplayedChoice
from groupsim.replay.choice_settings import ASSIGNOR, RESTART
from groupsim.replay.protocols import PROTOCOL
from groupsim.replay.quiet_time import tail_ms
from groupsim.replay.reconstruct.incident import Incident
from groupsim.replay.reconstruct.inferred_settings.evidence import SESSION
from groupsim.replay.replayable import ReplayableRun

DRAWN = 36
"""Values that seeds draw from a range of the user's."""
NOTHING_UNKNOWN: Unknown = {}
LEAST = 2
"""Runs of each choice without which nothing can be said."""
SMALL_MEMBER_MS = 50_000_000
"""Simulated time, times members, times choices, below which one process is enough."""


def is_small(incident: ReplayableRun, choices: Sequence[Choice]) -> bool:
    """Whether other processes would take longer to start than to work."""
    return incident.lasts_ms * incident.members * len(choices) < SMALL_MEMBER_MS


def advise(
    incident: ReplayableRun,
    choices: Sequence[Choice],
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
    of = _replayed(incident, choices, unknown)
    most = len(choices) * GRID_SEEDS if goal.budget is None else goal.budget
    if most < LEAST * len(choices):
        raise AdviceError(f"--budget {most}: {len(choices)} choices need {LEAST * len(choices)} runs at least")
    played = Replays(of, seed, spread, lambda done: progress(min(done / most, 1.0)))
    asked, refused = _answerable(played, choices)
    asked.sort(key=lambda choice: _changed(incident, of, choice))
    single = _single(of, asked)
    found = advised(played, asked, goal, {**_open(incident, single, asked), **unknown}, most)
    _, trusted = ask.nearness(incident, range(seed, seed + ask.EXACT_SEEDS), single, total_unknown)
    stopped = [f"{name or 'the record'}: {why}" for name, why in played.stopped.items()]
    warning = trusted.warning().removesuffix(": ")
    if not warning and (doubts := trusted.doubts_about([row["partition_ms"] for row in found.now])):
        warning = f"The direction is not sure: {'; '.join(doubts)}"
    if total_unknown is not None:
        warning = f"The record's total is unknown ({total_unknown}), so all figures are the simulation's alone"
    record = Record(
        off=trusted.off(),
        warning=warning,
        assumed=(*ask.assumed(incident, single), *stopped),
        refused=refused,
        session_ms=of.incident.settings[SESSION],
        changed=[_changed(incident, of, choice) for choice in asked],
        needs=[incident.needs(of.choice(choice)) for choice in asked],
    )
    return replace(found, record=record)


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


def _answerable(played: Replays, choices: Sequence[Choice]) -> tuple[list[Choice], list[tuple[Choice, str]]]:
    """The choices that the record can answer, and why not the others. Raises AdviceError if there is none."""
    reasons = played.refused(choices)
    asked = [choice for choice, why in zip(choices, reasons, strict=True) if why is None]
    refused = [(choice, why) for choice, why in zip(choices, reasons, strict=True) if why is not None]
    if not asked:
        first, why = refused[0]
        raise AdviceError(f"the record can answer none of {len(choices)} choices; {in_words(first)}: {why}")
    return asked, refused


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
