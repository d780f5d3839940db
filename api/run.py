"""`groupsim.Run`: a run of a store with its tables, its answer, its pictures and its report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from groupsim.analysis.incomplete_runs import unfinished
from groupsim.analysis.periods import Between, period_of
from groupsim.analysis.runs import Run as StoredRun
from groupsim.analysis.runs import open_run
from groupsim.analysis.tables.known_delays import DELAYS
from groupsim.api import html
from groupsim.api.delaying import delayed
from groupsim.api.errors import BadRequest
from groupsim.api.explaining import Explanation, of_run
from groupsim.api.pictures import RunPictures
from groupsim.api.progress import bar
from groupsim.api.scenarios import ScenarioLike, found
from groupsim.api.values import Duration, Seeds, Settings, counts_of, seeds_of
from groupsim.storage.store import EventStore, RunInfo, RunSource, RunStatus
from groupsim.wording.lists import as_sentence

if TYPE_CHECKING:
    import pandas as pd

    from groupsim.api.asking import WhatIf
    from groupsim.diagnosis import explain as diagnosed
    from groupsim.incidents.facts.importer import ImportResult
    from groupsim.simulation.run import RunResult, Scenario


class Imported(Protocol):
    """How a run was imported (`api.importing`)."""

    @property
    def result(self) -> ImportResult:
        """The run, and what was assumed."""
        ...

    @property
    def explanation(self) -> diagnosed.Explanation | None:
        """What the logs show of it."""
        ...

    def numbers(self, run: StoredRun) -> dict[str, Any]:
        """What `groupsim import --format json` prints."""
        ...


class Run(StoredRun):
    """One run, simulated or recorded. In a notebook it shows its answer, its headline and its timeline.

    Every table is a pandas DataFrame. `info` has id, name, seed, status and settings.
    """

    def __init__(
        self,
        store: EventStore,
        info: RunInfo,
        *,
        result: RunResult | None = None,
        story: Scenario | None = None,
        imported: Imported | None = None,
    ) -> None:
        super().__init__(store, info)
        self._result = result
        self._story = story
        self._imported = imported

    @cached_property
    def checks(self) -> RunResult:
        """How a simulated run ended, and every invariant of Kafka's groups with what broke it."""
        if self._result is not None:
            return self._result
        from groupsim.api.reporting import watched
        from groupsim.simulation.run import RunResult

        watch = watched(self.read())
        notes = {each.name: each.note for each in watch.invariants}
        return RunResult(self.info, {name: tuple(found) for name, found in watch.violations.items()}, notes)

    @property
    def ok(self) -> bool:
        """Whether it ended as it should: its story held, and no invariant was broken."""
        return self.checks.ok and self.info.status == RunStatus.FINISHED

    @property
    def failure(self) -> str | None:
        """What went wrong in the scenario's story, if anything did and the run was simulated just now."""
        return self.checks.failure

    @property
    def notes(self) -> tuple[str, ...]:
        """What the logs did not show and was assumed, of a run that was imported just now."""
        return () if self._imported is None else self._imported.result.notes

    @cached_property
    def explanation(self) -> Explanation:
        """What happened, why, and what to change, as `groupsim run` and `import` say it: of the logs, where they were
        imported just now. Remedies are not simulated (`groupsim.explain(run)` does)."""
        of_logs = None if self._imported is None else self._imported.explanation
        return of_run(self, [], simulate=False) if of_logs is None else Explanation(of_logs, run=self.info.id)

    @property
    def answer(self) -> str:
        """The first sentence of the explanation; of a run that did not end as it should, that and why."""
        failure = None if self._result is None else self._result.failure
        if failure is not None:
            return as_sentence(f"the scenario failed: {failure}")
        if (ending := unfinished(self.info)) is not None:
            return as_sentence(ending)
        try:
            return self.explanation.answer
        except BadRequest:
            return "No group took part in this run."

    @cached_property
    def measures(self) -> dict[str, float]:
        """Every measure of a simulated run, as of a sweep: `partition_ms`, `after_start_outage_ms`, … (ms, counts)."""
        from groupsim.analysis.tables.measures import measured

        return measured(self.state_changing, self.intervals)

    def to_dict(self) -> dict[str, Any]:
        """What `groupsim run --format json` prints; of a run that was imported just now `groupsim import`."""
        from groupsim.api.numbers import of_simulated

        if self._imported is not None:
            return self._imported.numbers(self)
        if self.info.source == RunSource.RECORDED:
            return {"run": self.info.id, "name": self.info.name, **self.summary(), "explanation": self._explained()}
        return of_simulated(self._store, self.checks.unless_interrupted())

    def _explained(self) -> dict[str, Any]:
        return self.explanation.to_dict()

    def what_if(
        self,
        *,
        assignor: str | Iterable[str] = (),
        settings: Settings | Sequence[Settings] = (),
        protocol: str | Iterable[str] = (),
        migrate: str | None = None,
        between: Between | None = None,
        seeds: Seeds | None = None,
        group: str | None = None,
        topics: Mapping[str, int] | None = None,
        assume: Mapping[str, int | str] | None = None,
        scenario: ScenarioLike | None = None,
        trust: bool = False,
        progress: bool = False,
    ) -> WhatIf:
        """Simulate the incident again, as recorded and with each choice, as `groupsim whatif` does.

        Args:
            assignor: another assignor, or several: each is one choice.
            settings: settings that change together, or a list of such dicts: each is one choice. Besides Kafka's
                settings: `membership` ("static", "dynamic") and `restart.ms`.
            protocol: "consumer" or "classic": another group protocol.
            migrate: "rolling" or "stop-all": what the change of the protocol costs itself.
            between: compare only this time; default: from when the group first worked to the end.
            seeds: the seeds to simulate; default: 10 to 40, until the medians are stable.
            group: the group; default: the one with the most rebalances.
            topics: partitions of topics that the logs don't show.
            assume: what you know and the logs don't show: `{"session.timeout.ms": 10_000, "client": "java"}`.
            scenario: of a simulated run that was loaded: its file, which is executed, or its function; or `trust` the
                file that the store names.
            progress: show a bar.

        Raises:
            GroupsimError: if no choice can be answered, with the reason.
        """
        from groupsim.api.asking import WhatIfQuestion, asked, choices_of
        from groupsim.api.choices import choices
        from groupsim.api.migrating import wanted
        from groupsim.api.question import assumptions
        from groupsim.scenarios.scenario_of_run import Consent

        chosen = choices_of(assignor, settings, protocol)
        if migrate is not None and not any(choice.protocol for choice in chosen):
            chosen = [*choices([], [], wanted(migrate, [], [])), *chosen]
        story = self._story if scenario is None else found(scenario)
        consent = Consent(story, trust, "give it: scenario=FILE, or its function")
        wanted_seeds = None if seeds is None else seeds_of(seeds)
        given, part = assumptions(assume or {}), period_of(between, self.info)
        question = WhatIfQuestion(group, counts_of(topics), given, part, wanted_seeds, consent, migrate)
        self.__dict__.pop("what_ifs", None)  # one more is kept with it
        with bar("simulating", progress) as update:
            return asked(self._store, self.info, chosen, question, progress=update)

    def delays(
        self,
        *,
        rates: Mapping[str, float] | None = None,
        capacity: float | None = None,
        slo: Duration | None = None,
        batch: Duration | Mapping[str, Duration] | None = None,
        between: Between | None = None,
    ) -> pd.DataFrame:
        """How long records waited for a member that takes them, one row a group: after start-up, or `between`.

        `rates`: records per second in each partition, by topic; default: the scenario's, or that of the commits.
        `capacity`: records per second that one member takes; default: all at once. `slo`: a record that waits longer
        is late. `batch`: how long members work on a batch, or a mapping by client id; records wait for the next poll,
        too. `p50`, `p99`, `longest`, `catch_up` are timedeltas; `at_least_…`, `at_most_…` their bounds where logs
        show outages only in bounds. `waiting`: records that nobody had taken at the end.
        Raises BadRequest where no rate is known.
        """
        from groupsim.analysis.tables import frames

        rows, _ = delayed(self, rates, capacity, slo, batch, period_of(between, self.info))
        return frames.table(rows, DELAYS)

    def report(self, path: str | PathLike[str], *others: Run, progress: bool = False) -> Path:
        """Write the report, one HTML file that needs nothing else; `others` are compared in it. Gives its path.

        A report that stands there is replaced, another file is not. Raises GroupsimError.
        """
        from groupsim.api.reporting import rendered, written

        with bar("report", progress) as update:
            return written(Path(path), rendered([self, *others], update))

    @property
    def plot(self) -> RunPictures:
        """Its pictures: `run.plot.timeline()`, `unavailable()`, `lag()`, `rebalance()`."""
        return RunPictures(self)

    def __repr__(self) -> str:
        seed = "" if self.info.seed is None else f", seed {self.info.seed}"
        head = f"run {self.info.id} of {self.info.name}{seed}, {self.info.facts:,} facts, {self.info.status}"
        return f"<{head}\n{self.answer}\nunavailable: {self.headline}>"

    def _repr_html_(self) -> str:
        from groupsim.api.timeline_svg import timeline

        numbers = self.summary()
        rows = [(name, group["rebalances"], group["members"]) for name, group in numbers["groups"].items()]
        groups = html.table(("group", "rebalances", "members at the end"), rows)
        return html.page(self.answer, html.line(f"unavailable: {self.headline}"), groups, timeline(self.intervals))


def load(store: str | Path | EventStore, run: str = "latest") -> Run:
    """A run of a store (path, SQLAlchemy URL or EventStore), by id, unique prefix, name or `latest`.

    Raises UnknownRun if there is none, StoreError for a store that does not exist and for a damaged run.
    """
    found = open_run(store, run)
    return Run(found.store, found.info)
