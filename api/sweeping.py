"""`groupsim.sweep`: a scenario under many settings and seeds, on Spark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groupsim.analysis.tables.measures import AFTER_START
from groupsim.api import html
from groupsim.api.errors import BadRequest
from groupsim.api.progress import bar
from groupsim.api.scenarios import ScenarioLike, found, subject
from groupsim.api.values import Seeds, Settings, Value, as_numbers, lists_of, seeds_of, texts_of
from groupsim.events.extras import needing

if TYPE_CHECKING:
    import pandas as pd

    from groupsim.pipeline import sweep as pipeline
    from groupsim.pipeline.sweep_report import Report


@dataclass(frozen=True, repr=False)
class Sweep:
    """The runs of a sweep in their folder: `.to_frame()` has a row a run, `.best()` a row a choice."""

    scenario: str
    folder: Path
    done: pipeline.Done
    master: str = "local[*]"

    @property
    def ok(self) -> bool:
        """Whether every run finished and broke no invariant."""
        return not self.done.failures and not self.done.broken

    @property
    def answer(self) -> str:
        """How many runs there are, and how many failed."""
        failed, broken = len(self.done.failures), self.done.broken
        said = f"{self.scenario}: {self.done.points:,} runs in {self.folder}"
        return f"{said}; {failed:,} failed, {broken:,} broke an invariant" if failed or broken else said

    def to_dict(self) -> dict[str, Any]:
        """What `groupsim sweep --format json` prints."""
        done = self.done
        counts = {"points": done.points, "done_before": done.before, "finished": done.points - len(done.failures)}
        counts |= {"failed": len(done.failures), "broken": done.broken}
        failures = [asdict(failure) for failure in done.failures]
        return {"scenario": self.scenario, "to": str(self.folder), **counts, "failures": failures}

    def to_frame(self) -> pd.DataFrame:
        """One row a run: `run`, `scenario`, `seed`, a column for each setting (numbers where all are), and every
        measure (ms, counts); of each label that occurs its part of `partition_ms`, such as `WITHHELD_ms`."""
        import pandas as pd

        with needing("spark"):
            from groupsim.pipeline.sweep_report import rows

        frame = rows(self.folder).to_pandas()
        frame.insert(frame.columns.get_loc("starting_ms"), AFTER_START, frame["partition_ms"] - frame["starting_ms"])
        params = pd.DataFrame([dict(each) for each in frame.pop("params")], index=frame.index).apply(as_numbers)
        labels = pd.DataFrame([dict(each or {}) for each in frame.pop("by_label")], index=frame.index).add_suffix("_ms")
        head = ["run", "scenario", "seed"]
        return pd.concat([frame[head], params, frame.drop(columns=head), labels.fillna(0).astype("int64")], axis=1)

    def best(self, measure: str = AFTER_START) -> pd.DataFrame:
        """One row a choice, best first, with median, p95 and their 95 % intervals, as `groupsim sweep-report`."""
        import pandas as pd

        return pd.DataFrame(self.report(measure).choices)

    def report(self, measure: str = AFTER_START) -> Report:
        """What `groupsim sweep-report` says, by this measure. Computed on Spark. Raises GroupsimError."""
        with needing("spark"):
            from groupsim.pipeline.session import spark_session
            from groupsim.pipeline.sweep_report import report, summaries

        session = spark_session(self.master, app="groupsim sweep-report")
        return report(summaries(session, self.folder), measure)

    def __str__(self) -> str:
        return self.answer

    def __repr__(self) -> str:
        return f"<Sweep of {self.answer}>"

    def _repr_html_(self) -> str:
        frame = self.to_frame()
        medians = frame.groupby("choice", sort=False)[AFTER_START].median().sort_values()
        rows = [(choice, round(value)) for choice, value in medians.items()]
        columns = ("choice", "median of unavailable partition-ms after start-up")
        return html.page(self.answer, html.first_rows(columns, rows))


def sweep(
    scenario: ScenarioLike,
    *,
    grid: Mapping[str, Iterable[Value]],
    to: str | Path,
    seeds: Seeds | None = None,
    settings: Settings | None = None,
    record: str = "all",
    master: str = "local[*]",
    memory: str = "2g",
    partitions: int | None = None,
    resume: bool = False,
    progress: bool = False,
) -> Sweep:
    """Simulate every combination of a grid under every seed, on Spark, and write Parquet files.

    Args:
        scenario: a built-in name, a file, or a function of a file marked `@groupsim.scenario`.
        grid: by parameter or Kafka setting the values: `{"partition.assignment.strategy": ["range", "sticky"]}`.
        to: a new folder for the files; with `resume` that of a sweep that was stopped.
        seeds: such as `range(20)`; default: the scenario's own.
        settings: what all runs have.
        record: "all", or "facts" to leave out heartbeats and messages.
        master: the Spark master, with a driver of `memory`; `partitions`: the number of Spark tasks.

    Raises:
        GroupsimError: for a wrong scenario, setting or folder, before anything is started.
    """
    from groupsim.pipeline.grid import Sweep as Grid

    with needing("spark"):
        from groupsim.pipeline.session import spark_session
        from groupsim.pipeline.sweep import check, sweep_into

    story = found(scenario)
    lists, fixed = lists_of(grid, "grid"), texts_of(settings)
    for key in sorted(lists.keys() & fixed.keys()):
        raise BadRequest(f"{key!r} is given both by grid and by settings")
    wanted = Grid(subject(scenario, record), lists, [story.seed] if seeds is None else seeds_of(seeds), fixed)
    check(wanted)
    with bar(story.name, progress) as update:
        done = sweep_into(
            lambda: spark_session(master, memory, app="groupsim sweep"),
            wanted,
            Path(to),
            partitions=partitions,
            resume=resume,
            progress=update,
        )
    return Sweep(story.name, Path(to), done, master)
