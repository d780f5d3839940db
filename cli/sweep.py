"""`groupsim sweep` and `sweep-report`: a scenario under every choice and many seeds, on Spark, and what is best."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groupsim.cli.errors import BadRequest
from groupsim.cli.fuzz import span
from groupsim.cli.options import Format, FormatOption, pairs
from groupsim.cli.output import note, plain, table, write_json
from groupsim.cli.progress import progress
from groupsim.cli.run import RecordOption, ScenarioArgument, SetOption

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from groupsim.pipeline.sweep import Done
    from groupsim.pipeline.sweep_report import Report

_SHOWN = 5
MasterOption = Annotated[
    str, typer.Option("--master", metavar="URL", help="Spark's master: local[2], local[*], spark://host:7077.")
]
MemoryOption = Annotated[str, typer.Option("--memory", metavar="SIZE", help="Heap of Spark's driver.")]


def sweep(
    scenario: ScenarioArgument,
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="A new folder; with --resume the one of before.")],
    grid: Annotated[
        list[str],
        typer.Option("--grid", metavar="KEY=V1,V2,...", help="Values of a parameter or of a Kafka setting."),
    ] = [],  # noqa: B006  typer copies it
    seeds: Annotated[
        str | None, typer.Option("--seeds", metavar="A:B", help="From seed A up to, not including, B.")
    ] = None,
    settings: SetOption = [],  # noqa: B006
    record: RecordOption = "all",
    master: MasterOption = "local[*]",
    partitions: Annotated[int | None, typer.Option("--partitions", min=1, metavar="N", help="Spark tasks.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a sweep that was stopped.")] = False,
    memory: MemoryOption = "2g",
    form: FormatOption = Format.TABLE,
) -> None:
    """Run a scenario under every choice of a grid and every seed, on Spark, into a folder of Parquet files.

    Example: groupsim sweep rolling_restart --grid assignor=range,cooperative-sticky --seeds 0:20 --to lake/
    """
    from groupsim.pipeline.grid import Sweep, grid_of, subject
    from groupsim.scenarios import catalogue

    if form not in (Format.TABLE, Format.JSON):
        raise BadRequest(f"--format must be table or json for a sweep, not {form.value}")
    if record not in ("all", "facts"):
        raise BadRequest(f"--record must be all or facts, not {record!r}")
    told = catalogue.find(scenario)
    asked, fixed = grid_of(grid), pairs(settings, "--set")
    for key in sorted(asked.keys() & fixed.keys()):
        raise BadRequest(f"{key!r} is given by --grid and by --set")
    wanted = Sweep(subject(scenario, record), asked, span(seeds) if seeds else [told.seed], fixed)

    from groupsim.pipeline.session import spark_session
    from groupsim.pipeline.sweep import check, sweep_into

    check(wanted)

    def start() -> SparkSession:
        return spark_session(master, memory, app="groupsim sweep")

    with progress(told.name) as bar:
        done = sweep_into(start, wanted, to, partitions=partitions, resume=resume, progress=bar)
    _tell(told.name, to, done, form)
    if done.failures or done.broken:
        raise typer.Exit(1)


def _tell(name: str, to: Path, done: Done, form: Format) -> None:
    """What a sweep came to: on stdout how much, on stderr what failed."""
    if form is Format.JSON:
        told_failures = [asdict(failure) for failure in done.failures]
        counts = {"points": done.points, "done_before": done.before, "finished": done.points - len(done.failures)}
        counts |= {"failed": len(done.failures), "broken": done.broken}
        write_json({"scenario": name, "to": str(to), **counts, "failures": told_failures})
    else:
        again = f"; {done.before:,} of them were done before" if done.before else ""
        print(f"{plain(name)}  {done.points:,} runs in {plain(to)}{again}")
        print(f"look: groupsim sweep-report {plain(to)}")
    for failure in done.failures[:_SHOWN]:
        note(f"failed: {failure.choice} seed {failure.seed}: {failure.error}")
    if len(done.failures) > _SHOWN:
        note(f"{len(done.failures):,} of {done.points:,} runs failed; their rows have the error")
    if done.broken:
        note(f"{done.broken:,} of {done.points:,} runs broke an invariant; column `violation` of their rows tells it")


def sweep_report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="What `groupsim sweep --to DIR` wrote.")],
    measure: Annotated[
        str, typer.Option("--measure", metavar="NAME", help="By what: partition_ms, after_start_ms, max_partitions, …")
    ] = "partition_ms",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="A picture besides: .png or .html.")
    ] = None,
    master: MasterOption = "local[*]",
    memory: MemoryOption = "2g",
    form: FormatOption = Format.TABLE,
) -> None:
    """Medians, p95 and the best choices of a sweep by unavailable partition time, with 95 % bootstrap intervals.

    Example: groupsim sweep-report lake/ -o sweep.png
    """
    from groupsim.pipeline.grid import read_manifest
    from groupsim.pipeline.report_plots import SUFFIXES, draw
    from groupsim.pipeline.session import spark_session
    from groupsim.pipeline.sweep_report import MEASURES, report, summaries

    if measure not in MEASURES:
        raise BadRequest(f"--measure {measure!r} is none of {', '.join(MEASURES)}")
    if form not in (Format.TABLE, Format.JSON):
        raise BadRequest(f"--format must be table or json for a sweep-report, not {form.value}")
    if output is not None and output.suffix not in SUFFIXES:
        raise BadRequest(f"-o {output}: a name that ends in {' or '.join(SUFFIXES)} is expected")
    read_manifest(folder)
    found = report(summaries(spark_session(master, memory, app="groupsim sweep-report"), folder), measure)
    if output is not None:
        draw(found, output)
        note(f"the picture is in {output}")
    if form is Format.JSON:
        write_json({**asdict(found), "best": found.best})
    else:
        _print(found)


def _print(found: Report) -> None:
    seconds = found.measure.endswith("_ms")
    title = f"{plain(found.scenario)}  {found.runs:,} runs, {len(found.choices):,} choices"
    troubles = [f"{n:,} {what}" for n, what in ((found.failed, "failed"), (found.broken, "broke an invariant")) if n]
    print(", ".join([title, *troubles]))
    print(f"{found.measure}{', in partition-seconds' if seconds else ''}; intervals hold 95 % of the bootstrap's draws")
    rows = [_told(row, 1_000 if seconds else 1) for row in found.choices]
    columns = ("", "choice", "runs", "failed", "median", "interval", "p95", "worse by", "rebalances", "mostly")
    table(rows, columns if found.failed else [c for c in columns if c != "failed"])
    if len(found.values) > 1:
        print("each value over all the others:")
        effects = [
            {**row, "median": _in(row["median"], seconds), "p95": _in(row["p95"], seconds)} for row in found.values
        ]
        table(effects, ("key", "value", "runs", "median", "p95"))
    first, *others = found.best
    print(f"best: {plain(first) or 'as it is'}")
    if others:
        print(f"as good, within the interval: {len(others):,} more, marked *")


def _in(value: float, seconds: bool) -> str:
    return f"{value / 1_000:,.1f}" if seconds else f"{value:,.1f}"


def _told(row: dict[str, Any], by: int) -> dict[str, Any]:
    """A row of the report as people read it."""
    if row["median"] is None:
        return {**row, "": "", "median": None, "interval": None, "p95": None, "worse by": None}
    numbers = {name: f"{row[name] / by:,.1f}" for name in ("median", "p95")}
    spans = {
        shown: f"{row[f'{name}_low'] / by:,.1f} … {row[f'{name}_high'] / by:,.1f}"
        for shown, name in (("interval", "median"), ("worse by", "worse"))
    }
    return {**row, "": "*" if row["as_good"] else "", **numbers, **spans}
