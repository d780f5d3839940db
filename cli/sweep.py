"""`groupsim sweep`, `groupsim sweep-report`: a scenario under many settings and seeds, on Spark, and the best ones."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groupsim.cli.errors import BadRequest, Interrupted
from groupsim.cli.options import FormatOption, check_record_mode, key_values, seed_range
from groupsim.cli.output import Format, note, plain, table, write_json
from groupsim.cli.progress import progress
from groupsim.cli.run import RecordOption, ScenarioArgument, SetOption
from groupsim.cli.signals import quietly, was_signalled
from groupsim.wording.numbers import seconds
from groupsim.wording.seeds import seed_changes_nothing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from groupsim.pipeline.sweep import Done
    from groupsim.pipeline.sweep_report import Report

_SHOWN = 5
MasterOption = Annotated[
    str, typer.Option("--master", metavar="URL", help="The Spark master: local[2], local[*], spark://host:7077.")
]
MemoryOption = Annotated[str, typer.Option("--memory", metavar="SIZE", help="The heap of the Spark driver.")]


def sweep(
    scenario: ScenarioArgument,
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="A new folder, or with --resume that of the sweep.")],
    grid: Annotated[
        list[str],
        typer.Option("--grid", metavar="KEY=V1,V2,...", help="The values of a parameter or Kafka setting."),
    ] = [],  # noqa: B006  typer copies it
    seeds: Annotated[str | None, typer.Option("--seeds", metavar="A:B", help="The seeds from A up to B - 1.")] = None,
    settings: SetOption = [],  # noqa: B006
    record: RecordOption = "all",
    master: MasterOption = "local[*]",
    partitions: Annotated[
        int | None, typer.Option("--partitions", min=1, metavar="N", help="Number of Spark tasks.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue a sweep that was stopped.")] = False,
    memory: MemoryOption = "2g",
    form: FormatOption = Format.TABLE,
) -> None:
    """Simulate every combination of a grid under every seed, on Spark, and write Parquet files.

    Example: groupsim sweep rolling_restart --grid assignor=range,cooperative-sticky --seeds 0:20 --to lake/
    """
    from groupsim.pipeline.grid import Sweep, grid_of, subject
    from groupsim.scenarios import catalogue

    if form not in (Format.TABLE, Format.JSON):
        raise BadRequest(f"--format must be table or json for a sweep, not {form.value}")
    check_record_mode(record)
    found = catalogue.find(scenario)
    asked, fixed = grid_of(grid), key_values(settings, "--set")
    for key in sorted(asked.keys() & fixed.keys()):
        raise BadRequest(f"{key!r} is given both by --grid and by --set")
    wanted = Sweep(subject(scenario, record), asked, seed_range(seeds) if seeds else [found.seed], fixed)

    from groupsim.pipeline.session import spark_session
    from groupsim.pipeline.sweep import check, sweep_into

    check(wanted)

    def start() -> SparkSession:
        return quietly(lambda: spark_session(master, memory, app="groupsim sweep"))

    try:
        with progress(found.name) as bar:
            done = sweep_into(start, wanted, to, partitions=partitions, resume=resume, progress=bar)
    except (KeyboardInterrupt, Exception) as error:  # py4j may make its own error of an interrupt
        if not isinstance(error, KeyboardInterrupt) and not was_signalled():
            raise
        raise Interrupted(f"interrupted; `--resume` continues the sweep in {to}") from None
    _print_done(found.name, to, done, form)
    if done.failures or done.broken:
        raise typer.Exit(1)


def _print_done(name: str, to: Path, done: Done, form: Format) -> None:
    """Print the outcome of a sweep: counts on stdout, failures on stderr."""
    if form is Format.JSON:
        failures = [asdict(failure) for failure in done.failures]
        counts = {"points": done.points, "done_before": done.before, "finished": done.points - len(done.failures)}
        counts |= {"failed": len(done.failures), "broken": done.broken}
        write_json({"scenario": name, "to": str(to), **counts, "failures": failures})
    else:
        before = f"; {done.before:,} of them were finished earlier" if done.before else ""
        print(f"{plain(name)}  {done.points:,} runs in {plain(to)}{before}")
        print(f"next: groupsim sweep-report {plain(to)}")
    for failure in done.failures[:_SHOWN]:
        note(f"failed: {failure.choice} seed {failure.seed}: {failure.error}")
    if len(done.failures) > _SHOWN:
        note(f"{len(done.failures):,} of {done.points:,} runs failed; the errors are in their summary rows")
    if done.broken:
        note(f"{done.broken:,} of {done.points:,} runs broke an invariant; see column `violation` of their rows")


def sweep_report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder that `groupsim sweep --to DIR` wrote.")],
    measure: Annotated[
        str,
        typer.Option("--measure", metavar="NAME", help="What to compare: after_start_ms, partition_ms, outage_ms, …"),
    ] = "after_start_ms",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Also write a picture: .png or .html.")
    ] = None,
    master: MasterOption = "local[*]",
    memory: MemoryOption = "2g",
    form: FormatOption = Format.TABLE,
) -> None:
    """Show the best choices of a sweep: medians and 95th percentiles, with 95 % bootstrap intervals.

    Example: groupsim sweep-report lake/ -o sweep.png
    """
    from groupsim.analysis.tables.measures import MEASURES
    from groupsim.pipeline.grid import read_manifest
    from groupsim.pipeline.session import spark_session
    from groupsim.pipeline.sweep_plots import SUFFIXES, draw
    from groupsim.pipeline.sweep_report import report, summaries

    if measure not in MEASURES:
        raise BadRequest(f"--measure must be one of {', '.join(MEASURES)}, not {measure!r}")
    if form not in (Format.TABLE, Format.JSON):
        raise BadRequest(f"--format must be table or json for a sweep-report, not {form.value}")
    if output is not None and output.suffix not in SUFFIXES:
        raise BadRequest(f"-o {output}: the name must end in {' or '.join(SUFFIXES)}")
    read_manifest(folder)
    session = quietly(lambda: spark_session(master, memory, app="groupsim sweep-report"))
    found = report(summaries(session, folder), measure)
    if output is not None:
        draw(found, output)
        note(f"picture written to {output}")
    if form is Format.JSON:
        write_json({"answer": found.answer, **asdict(found), "best": found.best})
    else:
        _print(found)


def _print(found: Report) -> None:
    from groupsim.analysis.tables.amounts import unit

    print(plain(found.answer))
    seconds, counts = found.measure.endswith("_ms"), unit(found.measure)
    title = f"{plain(found.scenario)}  {found.runs:,} runs, {len(found.choices):,} choices"
    troubles = [f"{n:,} {what}" for n, what in ((found.failed, "failed"), (found.broken, "broke an invariant")) if n]
    print(", ".join([title, *troubles]))
    sure = "" if found.alike else "; intervals are 95 % bootstrap intervals"
    print(f"{found.measure}{f', in {counts}' if seconds else ''}{sure}")
    if found.alike:
        print(seed_changes_nothing(found.alike))
    rows = [_row(row, 1_000 if seconds else 1) for row in found.choices]
    columns = ("", "choice", "runs", "failed", "median", "interval", "p95", "worse by", "rebalances", "mostly")
    table(rows, columns if found.failed else [c for c in columns if c != "failed"])
    if len(found.values) > 1:
        print("each value, over all combinations of the others:")
        effects = [
            {**row, "median": _in(row["median"], seconds), "p95": _in(row["p95"], seconds)} for row in found.values
        ]
        table(effects, ("key", "value", "runs", "median", "p95"))
    if len(found.best) > 1:
        print(f"not distinguishable from the best: {len(found.best) - 1:,} more, marked *")


def _in(value: float, in_seconds: bool) -> str:
    return seconds(value) if in_seconds else f"{value:,.1f}"


def _row(row: dict[str, Any], by: int) -> dict[str, Any]:
    """A row of the report with formatted numbers."""
    if row["median"] is None:
        return {**row, "": "", "median": None, "interval": None, "p95": None, "worse by": None}
    numbers = {name: f"{row[name] / by:,.1f}" for name in ("median", "p95")}
    interval = None if row["distinct"] == 1 else _span(row, "median", by)
    spans = {"interval": interval, "worse by": _span(row, "worse", by)}
    return {**row, "": "*" if row["as_good"] else "", **numbers, **spans}


def _span(row: dict[str, Any], name: str, by: int) -> str:
    """`1.0 … 2.5`; one number where both ends are the same."""
    low, high = (f"{row[f'{name}_{end}'] / by:,.1f}" for end in ("low", "high"))
    return low if low == high else f"{low} … {high}"
