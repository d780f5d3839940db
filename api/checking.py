"""`groupsim.check`: limits that a scenario or a deployment has to keep, and settings that contradict each other."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groupsim.analysis.tables.measures import PARTITION_TIMES
from groupsim.api import html
from groupsim.api.check_plan import Plan, Side, of_files, plan_of
from groupsim.api.errors import BadRequest
from groupsim.api.progress import bar
from groupsim.api.testing import AFTER_START, LONGEST, OUTAGE, Runs, Verdict, runs_of, shown_measure, unit_of
from groupsim.checking.rules import Finding, Level, findings
from groupsim.checking.setup import Setup, read, setups
from groupsim.checking.simulated import simulated
from groupsim.coordinator.config import BadSetting
from groupsim.wording.numbers import counted, with_range

if TYPE_CHECKING:
    import pandas as pd

ROLLS = "deployment_rolls"
"""The scenario of a workload where no other one is named."""
_ALWAYS = (OUTAGE, LONGEST, AFTER_START, "rebalances", "reprocessed_records")
_CALLED = {
    OUTAGE: "outage",
    LONGEST: "longest outage of one partition",
    AFTER_START: "sum of all partitions",
    "rebalances": "rebalances",
    "reprocessed_records": "records read twice",
}
COLUMNS = ("measure", "before", "after", "limit", "kept")


@dataclass(frozen=True)
class Simulation:
    """The runs of one side, and what of its files could not be simulated."""

    runs: Runs
    settings: Mapping[str, str]
    notes: Sequence[str] = ()

    def values(self, measure: str) -> list[float]:
        """The measure of each seed that has it."""
        return [each.measures[measure] for each in self.runs if measure in each.measures]


@dataclass(frozen=True, repr=False)
class Check:
    """What came of a check: `.answer` in one sentence, `.ok`, `.to_frame()` a row a measure, `.findings`."""

    plan: Plan
    setups: Sequence[Setup]
    all_findings: Sequence[Finding]
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    after: Simulation | None = None
    before: Simulation | None = None
    notes: Sequence[str] = ()

    @property
    def findings(self) -> list[Finding]:
        """What the rules say, without what the file accepts."""
        return [each for each in self.all_findings if each.rule.name not in self.plan.accept]

    @property
    def failing(self) -> list[Finding]:
        """The findings for which the check fails."""
        return [each for each in self.findings if each.rule.level is Level.WRONG or self.plan.strict]

    @property
    def ok(self) -> bool:
        """Whether all limits are kept, the scenario went well, and nothing is wrong with the settings."""
        went_well = self.after is None or all(each.ok for each in self.after.runs)
        return went_well and not self.failing and all(each.ok for each in self.verdicts.values())

    @property
    def answer(self) -> str:
        """One sentence: which limit is broken, what is wrong, or that all is well."""
        failed = None if self.after is None else next((each for each in self.after.runs if not each.ok), None)
        broken = [(name, each) for name, each in self.verdicts.items() if not each.ok]
        if failed is not None and not self.failing:
            return f"The scenario failed under seed {failed.info.seed}, so no limit is kept."
        if broken and failed is None:
            name, verdict = broken[0]
            limit, seeds = shown_measure(verdict.measure, verdict.at_most), counted(verdict.seeds, "seed")
            return f"Limit broken: {called(name)} at most {limit} in {verdict.kept} of {seeds}."
        if self.failing:
            more = len(self.failing) - 1
            return self.failing[0].rule.about[:-1] + (f" ({more} more)." if more else ".")
        risks = f"; {counted(len(self.findings), 'risk')}" if self.findings else ""
        if self.after is None:
            return f"{self._looked_at()}{risks}."
        was = "" if self.before is None else f" instead of {self._median(self.before, OUTAGE)}"
        start = "All limits hold: outage" if self.verdicts else "Outage"
        runs = len(self.after.runs)
        over = f"the median of {runs} seeds" if runs > 1 else "one seed"
        return f"{start} {self._median(self.after, OUTAGE)}{was}, {over}{risks}."

    def _looked_at(self) -> str:
        """What the rules have seen."""
        settings, pods = (
            sum(len(each.settings) for each in self.setups),
            sum(bool(each.workload) for each in self.setups),
        )
        files = counted(len(self.plan.after.files), "file")
        if not settings and not pods:
            return f"No setting of a consumer and no workload in {files}"
        return f"Nothing contradicts itself: {counted(settings, 'setting')} and {counted(pods, 'workload')} in {files}"

    @property
    def measures(self) -> list[str]:
        """The measures of the table: the usual ones, and those with a limit."""
        return list(dict.fromkeys((*_ALWAYS, *(each.measure for each in self.verdicts.values()))))

    def rows(self) -> list[dict[str, str]]:
        """The table as people read it: medians, with the least and the most of the seeds in brackets."""
        if self.after is None:
            return []
        limits = {each.measure: each for each in self.verdicts.values()}
        found = []
        for measure in self.measures:
            unit = unit_of(measure).strip() if measure in PARTITION_TIMES else ""  # too long to stand in each cell
            row = {"measure": unit or called(measure), "after": _spread(measure, self.after)}
            if self.before is not None:
                row["before"] = _spread(measure, self.before)
            if (verdict := limits.get(measure)) is not None:
                row["limit"] = shown_measure(measure, verdict.at_most).removesuffix(f" {unit}")
                row["kept"] = f"{verdict.kept} of {verdict.seeds}{'' if verdict.ok else ', too few'}"
            found.append(row)
        return found

    def columns(self) -> list[str]:
        """The columns of the table that have something."""
        present = {name for row in self.rows() for name in row}
        return [name for name in COLUMNS if name in present]

    def to_frame(self) -> pd.DataFrame:
        """One row a side and seed: `side`, `seed`, and every measure (ms, counts)."""
        import pandas as pd

        sides = {"before": self.before, "after": self.after}
        frames = {name: side.runs.to_frame() for name, side in sides.items() if side is not None}
        found = pd.concat(frames, names=["side"]).reset_index("side") if frames else pd.DataFrame()
        return found.reset_index(drop=True)

    def to_dict(self) -> dict[str, Any]:
        """What `groupsim check --format json` prints."""
        return {
            "file": self.plan.where,
            "ok": self.ok,
            "answer": self.answer,
            "limits": [_limit_row(name, each, self.after) for name, each in self.verdicts.items()],
            "measures": [
                {"measure": measure, **{name: _bounds(measure, side) for name, side in self._sides()}}
                for measure in (self.measures if self.after is not None else ())
            ],
            "findings": [
                {
                    "rule": each.rule.name,
                    "level": each.rule.level,
                    "accepted": each.rule.name in self.plan.accept,
                    "setup": each.setup,
                    "sentence": each.sentence,
                    "source": each.rule.source,
                    "shown_by": each.rule.command,
                }
                for each in self.all_findings
            ],
            "settings": {name: dict(side.settings) for name, side in self._sides()},
            "notes": list(self.notes),
        }

    def _sides(self) -> list[tuple[str, Simulation]]:
        return [(name, side) for name, side in (("before", self.before), ("after", self.after)) if side is not None]

    def _median(self, side: Simulation, measure: str) -> str:
        return shown_measure(measure, statistics.median(side.values(measure)))

    def __str__(self) -> str:
        return self.answer

    def __repr__(self) -> str:
        return f"<Check: {self.answer}>"

    def _repr_html_(self) -> str:
        columns = self.columns()
        rows = [[row.get(name, "") for name in columns] for row in self.rows()]
        said = [html.line(each.sentence) for each in self.findings]
        return html.page(self.answer, *([html.table(columns, rows)] if rows else []), *said)


def check(
    file: str | Path | Sequence[str | Path],
    *,
    before: str | Path | None = None,
    reports: str | Path | None = None,
    progress: bool = False,
) -> Check:
    """Hold a scenario or a deployment to limits, and look for settings that contradict each other.

    Args:
        file: a TOML file (docs/how-to/ci.md), or files of settings and manifests, of which nothing is simulated.
        before: another TOML file; its settings and files are what the first is compared with.
        reports: a folder; the report of the worst seed of each broken limit is written to it.
        progress: show a bar.

    Raises:
        GroupsimError: for a file that can't be read, and for a key or a value that can't be, with file and key.
    """
    with bar("check", progress) as update:
        return checked(planned(file, before), reports, update)


def planned(file: str | Path | Sequence[str | Path], before: str | Path | None = None) -> Plan:
    """What these files ask for. Raises BadRequest and BadFile."""
    paths = [Path(file)] if isinstance(file, str | Path) else [Path(each) for each in file]
    if not paths:
        raise BadRequest("no file is given: a TOML file, or files of settings and manifests")
    if len(paths) == 1 and paths[0].suffix.lower() == ".toml":
        plan = plan_of(paths[0])
        return plan if before is None else replace(plan, before=plan_of(Path(before)).after)
    if before is not None or any(path.suffix.lower() == ".toml" for path in paths):
        raise BadRequest("one TOML file names all others; without one, give files of settings and manifests alone")
    return of_files(paths, ", ".join(map(str, paths)))


def checked(plan: Plan, reports: str | Path | None = None, progress: Callable[[float], None] = lambda _: None) -> Check:
    """Check what a plan says. Raises GroupsimError."""
    found, notes = _setups(plan.after)
    said = findings(found)
    share = 0.5 if plan.before is not None else 1.0
    after = None
    try:
        after = _simulated(plan, plan.after, found, reports, lambda done: progress(share * done))
    except BadSetting as wrong:
        if not any(each.rule.level is Level.WRONG for each in said):
            raise BadRequest(f"{plan.where}: {wrong}") from None
    asked = plan.limits or plan.before is not None
    if after is None and asked and not any(each.rule.level is Level.WRONG for each in said):
        what = "limits need" if plan.limits else "before and after need"
        raise BadRequest(f"{plan.where}: {what} a scenario, or a file with a Deployment or a StatefulSet")
    before = None
    if plan.before is not None and after is not None:
        earlier, _ = _setups(plan.before)
        try:
            before = _simulated(plan, plan.before, earlier, None, lambda done: progress(share * (1 + done)))
        except BadSetting as wrong:
            notes.append(f"before: not simulated, because {wrong}")
    verdicts: dict[str, Verdict] = {}
    if after is not None:
        for name, (measure, most) in plan.limits.items():
            verdicts[name] = after.runs.verdict(measure, at_most=most, share_of_seeds=plan.share_of_seeds)
    _write_reports(verdicts, reports, after)
    return Check(plan, found, said, verdicts, after, before, [*notes, *(after.notes if after is not None else ())])


def _setups(side: Side) -> tuple[list[Setup], list[str]]:
    """What the files of a side have, with the settings of the TOML file over them."""
    from groupsim.checking.given import BROKER_NAMES, CONSUMER_NAMES, Given

    found = read(side.files)
    own = {
        name: Given(text, f"[settings]: {name}")
        for name, text in side.settings.items()
        if name in (*CONSUMER_NAMES, *BROKER_NAMES)
    }
    together = replace(found, settings={**found.settings, **own})
    return setups(together, side.workload, side.partitions), list(found.notes)


def _simulated(
    plan: Plan, side: Side, found: Sequence[Setup], reports: str | Path | None, progress: Callable[[float], None]
) -> Simulation | None:
    """The runs of a side; None where nothing is to be simulated. Raises BadSetting and BadRequest."""
    from groupsim.api.scenarios import found as scenario_of
    from groupsim.simulation.errors import BadScenario
    from groupsim.simulation.run import resolve_settings

    pods = [each for each in found if each.workload is not None]
    asked = bool(plan.limits) or plan.before is not None
    name = side.scenario or (ROLLS if pods and asked else None)
    if name is None:
        return None
    if len(pods) > 1:
        named = ", ".join(each.name for each in pods[:5])
        raise BadRequest(f"{plan.where}: which one is simulated? workload = one of {named}")
    try:
        story = scenario_of(name)
    except BadScenario as wrong:
        raise BadRequest(f"{plan.where}: scenario: {wrong}") from None
    setup = pods[0] if pods else found[0] if found else Setup("settings")
    taken = simulated(setup, story.params)
    of_rules = ("group.instance.id", "group.id")
    settings = {**taken.settings, **{key: text for key, text in side.settings.items() if key not in of_rules}}
    try:
        resolve_settings(story, settings)
    except BadScenario as wrong:
        raise BadRequest(f"{plan.where}: {wrong}") from None
    _refuse_together(settings)
    folder = None if reports is None else Path(reports)

    def report_to(seed: int) -> Path:
        folder_of_all = folder or Path()
        folder_of_all.mkdir(parents=True, exist_ok=True)
        return folder_of_all / f"{Path(plan.where).stem}-seed-{seed}.html"

    runs = runs_of(name, settings=settings, seeds=range(plan.seeds), report_to=report_to, progress=progress)
    return Simulation(runs, settings, taken.notes)


def _refuse_together(settings: Mapping[str, str]) -> None:
    """Raises BadSetting, as a consumer does before it starts, for settings that its protocol excludes."""
    from groupsim.coordinator.config import concerning, with_settings
    from groupsim.simulation.clients.config import BOUNDS, ConsumerConfig, check_protocol

    chosen = concerning(ConsumerConfig(), settings)
    check_protocol(with_settings(ConsumerConfig(), chosen, BOUNDS), chosen)


def _write_reports(verdicts: Mapping[str, Verdict], reports: str | Path | None, after: Simulation | None) -> None:
    if reports is None or after is None:
        return
    for verdict in verdicts.values():
        if not verdict.ok:
            run = verdict.failed or verdict.worst
            run.report(after.runs.report_to(run.info.seed or 0))


def called(name: str) -> str:
    """A limit or a measure in words."""
    from groupsim.api.testing import LIMITS

    measure = LIMITS.get(name, name)
    return _CALLED.get(measure, measure)


def _spread(measure: str, side: Simulation) -> str:
    values = side.values(measure)
    if not values:
        return "—"
    shown = [shown_measure(measure, each) for each in (statistics.median(values), min(values), max(values))]
    unit = unit_of(measure)
    median, least, most = (each.removesuffix(unit) for each in shown)
    return with_range(median, least, most) + ("" if measure in PARTITION_TIMES else unit)


def _bounds(measure: str, side: Simulation) -> dict[str, float] | None:
    values = side.values(measure)
    return {"median": statistics.median(values), "least": min(values), "most": max(values)} if values else None


def _limit_row(name: str, verdict: Verdict, after: Simulation | None) -> dict[str, Any]:
    worst = verdict.failed or verdict.worst
    seed = worst.info.seed or 0
    return {
        "limit": name,
        "measure": verdict.measure,
        "at_most": verdict.at_most,
        "ok": verdict.ok,
        "kept": verdict.kept,
        "seeds": verdict.seeds,
        "share_of_seeds": verdict.share_of_seeds,
        "worst_seed": seed,
        "worst": worst.measures[verdict.measure],
        "repeat": None if after is None else after.runs.command(seed),
    }
