"""`groupsim import`: the logs of a recorded incident become a run. Exported runs are recognised, and loaded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groupsim.analysis.availability.labels import Interval, Label
from groupsim.cli import output
from groupsim.cli.errors import BadRequest
from groupsim.cli.existing_store import DEFAULT_STORE, readable
from groupsim.cli.importing_store import importing
from groupsim.cli.incident_read import print_wordings, read
from groupsim.cli.load import load_runs
from groupsim.cli.log_options import (
    DateOption,
    LogsArgument,
    MasterOption,
    MostPartitionsOption,
    NameOption,
    SessionOption,
    StreamOption,
    TextOption,
    TimeOption,
    TopicOption,
    UnrecognisedOption,
    ZoneOption,
    export_fields,
    log_files,
    wanted_rows,
)
from groupsim.cli.options import FormatOption, StoreOption, key_integers
from groupsim.cli.output import Format
from groupsim.cli.progress import progress
from groupsim.cli.record import record
from groupsim.cli.signals import quietly
from groupsim.cli.summary import headline, measured
from groupsim.cli.whatif import whatif
from groupsim.incidents.facts.limits import MOST_PARTITIONS as USUAL_PARTITIONS
from groupsim.wording.lists import folded, listed
from groupsim.wording.numbers import counted
from groupsim.wording.times import duration

if TYPE_CHECKING:
    from groupsim.diagnosis.explain import Explanation
    from groupsim.events.base import Recorded
    from groupsim.incidents.facts.importer import ImportResult
    from groupsim.incidents.logs.rows import Reading, Row
    from groupsim.storage import EventStore
    from groupsim.storage.store import RunInfo

app = typer.Typer(help="Read the logs of brokers and clients, and turn them into runs.", no_args_is_help=True)
app.command()(read)
app.command()(whatif)
app.command()(record)


@app.command(name="import")
def import_(
    logs: LogsArgument,
    name: NameOption = None,
    topics: TopicOption = [],  # noqa: B006
    tz: ZoneOption = None,
    date: DateOption = None,
    skews: Annotated[list[str], typer.Option("--skew", metavar="FILE=MS", help="Added to the times of a file.")] = [],  # noqa: B006
    session: SessionOption = None,
    most: MostPartitionsOption = USUAL_PARTITIONS,
    groups: Annotated[list[str], typer.Option("--group", metavar="G", help="Only this group; may be repeated.")] = [],  # noqa: B006
    since: Annotated[
        str | None, typer.Option(metavar="INSTANT", help="Only lines from this time on, UTC: 2024-03-01T10:00.")
    ] = None,
    until: Annotated[str | None, typer.Option(metavar="INSTANT", help="Only lines up to this time, UTC.")] = None,
    text: TextOption = None,
    time: TimeOption = None,
    stream: StreamOption = None,
    unrecognised: UnrecognisedOption = False,
    in_full: Annotated[
        bool, typer.Option("--notes", help="List what the logs do not show and what was assumed.")
    ] = False,
    require_total: Annotated[
        bool, typer.Option("--require-total", help="End with 1 if the total of the run is unknown.")
    ] = False,
    master: MasterOption = None,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Turn logs into a run, and say what happened, why, and what to change.

    All commands for runs work on it: `unavailable`, `blame`, `report`. Exported runs are loaded, as `load` does.

    Example: groupsim import broker.log m1.log m2.log --topic orders=12
    """
    from groupsim.api.numbers import explanation_of_import, of_import
    from groupsim.diagnosis.outages import keep_with_outages

    if _are_exported(logs):
        return load_runs(logs, store, form)
    counts = key_integers(topics, "--topic", minimum=1)
    how = {"tz": tz, "date": date, "skews": key_integers(skews, "--skew"), "fields": export_fields(text, time, stream)}
    reading, explanation = _read_and_explained(logs, master, wanted=wanted_rows(groups, since, until), **how)
    print_wordings(reading.unrecognised if unrecognised else [])
    with importing(store) as opened:
        result = _import(reading, opened, name=name, topics=counts, session_timeout_ms=session, most_partitions=most)
        facts = list(opened.read(result.run.id))
        summary = of_import(result, *(found := measured(facts)), reading)
        explanation = keep_with_outages(opened, result.run, explanation, found[1])
        total_known = summary["unavailable"]["partition_ms"] is not None
        if form is Format.TABLE:
            _print_answer(summary, explanation)
            _print_missing(reading, None if found[1] else counts)
            _print_notes(result, _trust_note(found[1]), in_full)
            _print_unrecognised(reading, unrecognised)
            _print_same(opened, result.run, name)
            _print_next(result.run, facts, explanation, total_known)
        else:
            summary["explanation"] = explanation and explanation_of_import(explanation, facts, total_known)
            output.write_json(summary)
    raise typer.Exit(int(require_total and not total_known))


def _are_exported(paths: Sequence[Path]) -> bool:
    """Whether all are exported runs; raises BadRequest if only some are."""
    from groupsim.pipeline.is_export import is_export

    exported = [path for path in paths if is_export(path)]
    if exported and len(exported) < len(paths):
        raise BadRequest(f"{exported[0]} is an exported run; load it by itself: groupsim load {exported[0]}")
    return bool(exported)


def _print_same(store: EventStore, run: RunInfo, given: str | None) -> None:
    """Print which other runs have the same name, if one was given."""
    if given is None:
        return
    same = [info.id for info in readable(store)[0] if info.name == run.name and info.id != run.id]
    if same:
        there = f"there {'is' if len(same) == 1 else 'are'} {counted(len(same), 'other run')}"
        output.note(
            f"note: {there} named {run.name!r} ({listed(same[::-1])}); all are kept, so the name no longer chooses one:"
            f" use the id {run.id}, or `latest`"
        )


def _print_next(info: RunInfo, facts: Sequence[Recorded], explanation: Explanation | None, total_known: bool) -> None:
    """Print what to look at next."""
    from groupsim.diagnosis.what_if import REMEDIES, questions

    output.note(f"next: groupsim explain {info.id}, groupsim report {info.id}")
    asked = () if explanation is None else questions(info, facts, explanation, total_known=total_known)
    for question in asked:
        output.note(f"to test what {question.what}: {question.command}")
    if any(question.what == REMEDIES for question in asked):
        output.note(f"what to set: groupsim advise {info.id} (it names settings to compare)")


def _print_missing(reading: Reading, counts: dict[str, int] | None) -> None:
    """Print which logs are missing, as `read` does, and what partition counts would give where there are none.

    `counts`: those that were given; None where the logs name partitions.
    """
    from groupsim.diagnosis.topics_given import topics_would_give
    from groupsim.incidents.facts.clock_check import on_brokers_clock
    from groupsim.incidents.facts.what_to_export import missing, summarise

    if reading.cut_off:
        return  # they were given, and a note says why they say nothing
    reading = on_brokers_clock(reading)
    by_file: dict[str, list[Row]] = defaultdict(list)
    for row in (*reading.rows, *reading.context):
        by_file[row.file].append(row)
    for sentence in missing([summarise(file, rows) for file, rows in by_file.items()]):
        output.note(f"missing: {sentence}")
    for sentence in () if counts is None else topics_would_give(reading, counts):
        output.note(sentence)


def _print_unrecognised(reading: Reading, listed: bool) -> None:
    """Print how many lines about groups were not recognised, unless they are listed."""
    if reading.counts.unrecognised and not listed:
        unread = counted(reading.counts.unrecognised, "group-related line")
        output.note(f"{unread} not recognised; `groupsim import --unrecognised` lists them")


def _read(files: Sequence[Path], master: str | None, **how: Any) -> Reading:
    """The logs, read in this process with progress, or by Spark on `master`."""
    if master is not None:
        from groupsim.pipeline.logs_on_spark import read_logs
        from groupsim.pipeline.session import spark_session

        return read_logs(quietly(lambda: spark_session(master)), files, **how)
    from groupsim.incidents.logs.reading import read_files

    with progress("reading") as bar:
        return read_files(files, progress=bar, **how)


def _read_and_explained(logs: Sequence[Path], master: str | None, **how: Any) -> tuple[Reading, Explanation | None]:
    """The logs as they are read, and the diagnosis of that, with its lines and progress."""
    from groupsim.diagnosis.explain import explain_reading
    from groupsim.diagnosis.kept import with_lines

    with log_files(logs) as files:
        reading = _read(files, master, **how)
        with progress("explaining") as bar:
            return reading, with_lines(explain_reading(reading, progress=bar), {str(path): path for path in files})


def _import(reading: Reading, store: EventStore, **how: Any) -> ImportResult:
    """The run of what was read, written with progress."""
    from groupsim.incidents.facts.importer import import_run

    with progress("importing") as bar:
        return import_run(reading, store, **how, progress=bar)


def _print_notes(result: ImportResult, more: Sequence[str], in_full: bool) -> None:
    """Print all remarks; the assumptions in full or only their number."""
    assumed = [*(note for note in result.notes if note not in result.remarks), *more]
    for sentence in (*folded(result.remarks), *(assumed if in_full else ())):
        output.note(f"note: {sentence}")
    if assumed and not in_full:
        number = counted(len(assumed), "note")
        output.note(f"{number} on what the logs do not show and what was assumed: `groupsim import --notes` lists them")


def _print_answer(summary: dict[str, Any], explanation: Explanation | None) -> None:
    """Print the answer, and the run with its total."""
    if explanation is not None:
        print(output.plain(explanation.answer))
    rebalances = sum(group["rebalances"] for group in summary["groups"].values())
    lasted = f"{duration(ms)} recorded" if (ms := summary["simulated_ms"]) else "one moment recorded"
    parts = [output.plain(summary["name"]), str(summary["origin"]), lasted]
    print("  ".join([*parts, counted(rebalances, "rebalance"), counted(summary["facts"], "fact")]))
    for line in (*_in_group_time(summary, explanation), *headline(summary)):
        print(line)
    print(f"run {summary['run']}")


def _in_group_time(summary: dict[str, Any], explanation: Explanation | None) -> list[str]:
    """Where the total is unknown: how long nobody in each group could read, as far as that is known."""
    from groupsim.diagnosis.to_text import could_read

    if explanation is None or summary["unavailable"]["after_start"]["partition_ms"] is not None:
        return []
    groups = explanation.groups
    return [output.plain(line) for group in groups for line in could_read(group, several=len(groups) > 1)]


def _trust_note(known: Sequence[Interval]) -> list[str]:
    """A note for partitions that are available according to the broker's logs alone."""
    if not any(i.label == Label.OK and i.member is None for i in known):
        return []
    return [
        "where only broker logs exist, a member counts as serving its assigned partitions until the broker removes it; "
        "a member that died had already been silent for its session timeout"
    ]
