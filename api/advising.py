"""`groupsim.advise`: which settings to take, and how sure that is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from groupsim.analysis.periods import Between, period_of
from groupsim.api import html
from groupsim.api.errors import BadRequest
from groupsim.api.in_python import in_python
from groupsim.api.progress import bar
from groupsim.api.question import Question, assumptions, total_unknown
from groupsim.api.scenarios import ScenarioLike, subject
from groupsim.api.spreading import Where, spreading
from groupsim.api.values import Settings, Value, as_numbers, counts_of, lists_of, mapping_of, one_or_more, texts_of
from groupsim.events.extras import needing

if TYPE_CHECKING:
    import pandas as pd

    from groupsim.advice.advice import Advice as Found
    from groupsim.advice.choices import Space
    from groupsim.advice.selection import Goal
    from groupsim.advice.unknown import Range, Unknown
    from groupsim.api.run import Run
    from groupsim.pipeline.grid import Subject
    from groupsim.pipeline.parallel import Spread
    from groupsim.storage.store import EventStore, RunInfo

    Spreading = Callable[[Subject, Any, Where], AbstractContextManager[Spread]]

Ends: TypeAlias = "tuple[int | float, int | float]"
"""A range that is searched: low and high."""


@dataclass(frozen=True, repr=False)
class Advice:
    """What to set: `.answer` in short sentences, `.best` the settings, `.to_frame()` a row a choice."""

    found: Found

    @property
    def answer(self) -> str:
        """What to take and what it saves, then how sure that is."""
        from groupsim.advice.sentences import answer

        return answer(self.found)

    @property
    def rests_on(self) -> list[str]:
        """In sentences what the answer rests on, and what else has to be known to decide."""
        from groupsim.advice.sentences import rests_on

        return [in_python(each) for each in rests_on(self.found)]

    @property
    def best(self) -> dict[str, str] | None:
        """The best settings; None where no choice keeps the bounds."""
        evidence = self.found.selection.evidence
        return None if evidence is None else self.found.choices[evidence.best]

    @property
    def reached(self) -> bool:
        """Whether it is as sure as was asked for."""
        return self.found.selection.reached

    @property
    def confidence(self) -> float:
        """How likely no other choice is better by more than `indifference`, 0 to 1."""
        return self.found.selection.confidence

    def to_dict(self) -> dict[str, Any]:
        """What `groupsim advise --format json` prints."""
        from groupsim.advice.as_data import as_data

        return as_data(self.found)

    def to_frame(self) -> pd.DataFrame:
        """One row a choice, best first: a column for each setting (numbers where all are), `runs`, the mean of each
        measure, and with bounds `keeps`: whether it keeps them (yes, no, not known)."""
        import pandas as pd

        from groupsim.advice.as_data import ranked, table_rows

        rows = zip(ranked(self.found), table_rows(self.found), strict=True)
        frame = pd.DataFrame(
            [{**self.found.choices[i], **{k: v for k, v in row.items() if k != "choice"}} for i, row in rows]
        )
        names = list(dict.fromkeys(name for choice in self.found.choices for name in choice))
        return frame.assign(**{name: as_numbers(frame[name]) for name in names})

    def __str__(self) -> str:
        return self.answer

    def __repr__(self) -> str:
        return f"<Advice: {self.answer}>"

    def _repr_html_(self) -> str:
        frame = self.to_frame()
        return html.page(self.answer, html.first_rows(list(frame.columns), list(frame.itertuples(index=False))))


def advise(
    about: Run | ScenarioLike,
    *,
    vary: Mapping[str, Iterable[Value] | Value | Ends],
    unknown: Mapping[str, Ends] | None = None,
    minimize: str | Sequence[str] = (),
    subject_to: Mapping[str, float] | None = None,
    indifference: float = 0.05,
    confidence: float = 0.95,
    budget: int | None = None,
    seed: int = 0,
    settings: Settings | None = None,
    group: str | None = None,
    topics: Mapping[str, int] | None = None,
    assume: Mapping[str, int | str] | None = None,
    between: Between | None = None,
    jobs: int | None = None,
    master: str | None = None,
    memory: str = "2g",
    to: str | Path | None = None,
    resume: bool = False,
    progress: bool = False,
) -> Advice:
    """Find the best of several settings with as few runs as possible, as `groupsim advise` does.

    Args:
        about: a scenario, or a recorded run.
        vary: by setting the values to compare, as a list; or a range that is searched, as a tuple `(low, high)`.
        unknown: parameters that nobody knows, as `(low, high)`: drawn anew under each seed, alike for all choices.
        minimize: what to make small, by default unavailable time after start-up; several give what no choice beats.
        subject_to: the most that the means of other measures may be: `{"detection_ms": 10_000}`.
        indifference, confidence, budget: a share of the best that is no difference; how sure it has to be; most runs.
        settings: of a scenario: what all choices have.
        group, topics, assume, between: of a recorded run, as for `Run.what_if`.
        jobs, master, memory: processes, one a core by default; or on Spark, with a driver of so much.
        to: a folder that keeps the runs; with `resume` that of an advice that was stopped.

    Raises:
        GroupsimError: for a request that can't be, before anything is simulated.
    """
    from groupsim.api.run import Run

    with needing("advise"):
        from groupsim.advice.selection import Goal
    space, ranges, fixed = space_of(vary), _ranges(unknown or {}), texts_of(settings)
    if twice := sorted((space.keys() & fixed.keys()) | (ranges.keys() & (space.keys() | fixed.keys()))):
        raise BadRequest(f"{twice[0]!r} is given twice, by vary, unknown or settings")
    first, *also = dict.fromkeys(one_or_more(minimize)) or [usual_measure(recorded=isinstance(about, Run))]
    goal = Goal(first, dict(subject_to or {}), confidence, indifference, budget, tuple(also))
    where = Where(jobs or os.cpu_count() or 1, master, memory, None if to is None else Path(to), resume)
    with bar("advise", progress) as update, needing("advise"), needing("spark"):
        if not isinstance(about, Run):
            return Advice(
                of_scenario(subject(about, "facts"), space, fixed, goal, ranges, seed, where, progress=update)
            )
        _no_settings(fixed)
        about.__dict__.pop("advices", None)  # one more is kept with it
        given, part = assumptions(assume or {}), period_of(between, about.info)
        asked = AdviceQuestion(group, counts_of(topics), given, part, space, goal, ranges)
        return Advice(of_run(about.store, about.info, asked, seed, where, progress=update))


def usual_measure(*, recorded: bool) -> str:
    """The total from when the group first worked, as every command says it: of a record no other is measured."""
    from groupsim.analysis.tables.measures import AFTER_START

    return "partition_ms" if recorded else AFTER_START


def space_of(vary: Mapping[str, Iterable[Value] | Value | Ends]) -> dict[str, list[str] | Range]:
    """Lists of values by setting; of a tuple of two numbers the range between them. Raises BadRequest."""
    if not mapping_of(vary, "vary", '{"session.timeout.ms": [6000, 45000]}'):
        raise BadRequest('vary names no setting: vary={"session.timeout.ms": [10_000, 45_000]}')
    ranges = {name: _range(each, f"vary {name}") for name, each in vary.items() if _is_range(each)}
    lists = lists_of({name: each for name, each in vary.items() if name not in ranges}, "vary")
    return {name: ranges[name] if name in ranges else lists[name] for name in vary}


def _no_settings(fixed: Mapping[str, str]) -> None:
    if fixed:
        raise BadRequest("settings are for scenarios; of a run its own are what choices are compared with")


def _ranges(unknown: Mapping[str, Ends]) -> dict[str, Range]:
    return {name: _range(ends, f"unknown {name}") for name, ends in unknown.items()}


def _is_range(given: object) -> bool:
    return isinstance(given, tuple) and len(given) == 2 and all(type(end) in (int, float) for end in given)


def _range(ends: Any, what: str) -> Range:
    from groupsim.advice.unknown import Range

    if not _is_range(ends) or not 0 <= ends[0] < ends[1]:
        raise BadRequest(f"{what}: expected (low, high), two numbers from 0 on, the first below the second")
    low, high = ends
    return Range(float(low), float(high), whole=all(isinstance(end, int) for end in ends))


def of_scenario(
    what: Subject,
    space: Space,
    fixed: Mapping[str, str],
    goal: Goal,
    unknown: Unknown,
    seed: int,
    where: Where,
    spread_by: Spreading = spreading,
    progress: Callable[[float], None] = lambda _: None,
) -> Found:
    """The advice on a scenario. Raises GroupsimError."""
    from groupsim.advice.sampling import ROW
    from groupsim.advice.search import search

    with spread_by(what, ROW, where) as spread:
        return search(what, space, fixed, goal, unknown=unknown, seed=seed, spread=spread, progress=progress)


@dataclass(frozen=True, slots=True)
class AdviceQuestion(Question):
    """What is asked about a recorded run."""

    space: Space
    goal: Goal
    unknown: Unknown


def of_run(
    store: EventStore,
    info: RunInfo,
    asked: AdviceQuestion,
    seed: int,
    where: Where,
    spread_by: Spreading = spreading,
    progress: Callable[[float], None] = lambda _: None,
    nothing_varied: Callable[[Sequence[str]], str] = lambda examples: "vary names no setting",
) -> Found:
    """The advice on a recorded run, which is kept with it. Raises GroupsimError; where nothing is varied, with the
    sentence that `nothing_varied` makes of examples."""
    from groupsim.advice.example import of_incident
    from groupsim.advice.incident import advise as advise_incident
    from groupsim.advice.incident import is_small
    from groupsim.advice.replays import Done
    from groupsim.advice.stored import stored
    from groupsim.analysis import advices
    from groupsim.pipeline.grid import Subject
    from groupsim.pipeline.parallel import digest_of
    from groupsim.replay.replayable import replayable_run
    from groupsim.storage.errors import StoreError
    from groupsim.storage.run_info import scenario_command
    from groupsim.storage.store import RunSource

    if info.source != RunSource.RECORDED:
        again = scenario_command("advise", info.scenario_path or info.name, info.params)
        raise BadRequest(f"run {info.id} was simulated; ask about its scenario: {again}")
    unknown_total = None if asked.topics else total_unknown(store, info)
    incident = replayable_run(store, info, asked.group, asked.topics, asked.assume, between=asked.between)
    if not asked.space:
        raise BadRequest(nothing_varied(of_incident(incident)))
    topics, assume = ([f"{key}={value}" for key, value in each.items()] for each in (asked.topics, asked.assume))
    options = [asked.group, topics, assume, asked.between, sorted(asked.space.items()), asked.unknown]
    about = Subject(scenario=f"run {info.id} with these options", text=digest_of([info.digest, *options]))
    where = replace(where, jobs=1) if is_small(incident, asked.space) else where
    with spread_by(about, Done, where) as spread:
        found = advise_incident(
            incident,
            asked.space,
            asked.goal,
            unknown=asked.unknown,
            total_unknown=unknown_total,
            seed=seed,
            spread=spread,
            progress=progress,
        )
    with suppress(StoreError):  # a store that can only be read has the answer on the screen alone
        advices.keep(store, info, stored(found, incident.group))
    return found
