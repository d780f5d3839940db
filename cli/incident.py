"""`groupsim incident`: recorded incidents, from logs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from groupsim.analysis.availability.labels import OK, Interval
from groupsim.cli import output
from groupsim.cli.errors import BadRequest
from groupsim.cli.options import DEFAULT_STORE, Format, FormatOption, StoreOption, numbers
from groupsim.cli.progress import progress
from groupsim.cli.summary import count, headline, measured
from groupsim.cli.whatif import whatif

if TYPE_CHECKING:
    from groupsim.incidents.facts.importer import ImportResult
    from groupsim.incidents.logs.rows import Reading

app = typer.Typer(help="Recorded incidents: logs of brokers and clients become runs.", no_args_is_help=True)
app.command()(whatif)

LogsArgument = Annotated[
    list[Path], typer.Argument(metavar="LOG...", help="Log files, or folders of them; .gz is read too.")
]
ZoneOption = Annotated[
    str | None, typer.Option("--tz", metavar="ZONE", help="Zone of times that name none; UTC otherwise.")
]

UnrecognisedOption = Annotated[
    bool, typer.Option("--unrecognised", help="List group-related lines that no wording is known for, on stderr.")
]


@app.command()
def read(
    logs: LogsArgument,
    tz: ZoneOption = None,
    unrecognised: UnrecognisedOption = False,
    form: FormatOption = Format.TABLE,
) -> None:
    """What logs say of consumer groups, one row a recognised line.

    Example: groupsim incident read server.log --format jsonl
    """
    from groupsim.incidents.logs.reader import LogReader
    from groupsim.incidents.logs.rows import KINDS, Counts

    logs = log_files(logs)
    size = sum(log.stat().st_size for log in logs if log.is_file())
    counts = Counts()
    columns = ("file", "line", "at", "kind", "group", "member", "client", "detail")

    def told(bar: Callable[[float], None]) -> Iterator[dict[str, Any]]:
        done = 0

        def progressed(taken: int) -> None:
            nonlocal done
            done += taken
            bar(min(done / max(size, 1), 1.0))

        for log in logs:
            reader = LogReader(log, tz=tz, progress=progressed)
            for row in reader:
                if row.kind in KINDS:
                    shown = msgspec.to_builtins(row)
                    yield {**shown, "detail": output.brief(row.detail, 100)} if form is Format.TABLE else shown
            counts.add(reader.counts)
            for line in reader.unread if unrecognised else ():
                output.note(f"{line.file}:{line.line}: {line.text}")
            for trouble in reader.troubles:
                output.note(trouble)

    with progress("reading") as bar:
        shown_columns = columns[1:] if len(logs) == 1 and form is Format.TABLE else columns
        output.rows(told(bar), shown_columns, form)
    output.note(
        f"{counts.lines:,} lines read, {counts.recognised:,} recognised, "
        f"{counts.unrecognised:,} group-related but not recognised"
    )


def log_files(places: list[Path]) -> list[Path]:
    """The files named, and of a folder those under it whose name has `.log`, `.out` or `.txt` in it, sorted."""
    found: list[Path] = []
    for place in places:
        if not place.is_dir():
            found.append(place)
            continue
        inside = [path for path in sorted(place.rglob("*")) if path.is_file() and not path.name.startswith(".")]
        logs = [path for path in inside if {".log", ".out", ".txt"} & set(path.suffixes)]
        if not logs:
            raise BadRequest(f"{place} holds no logs: no file in it has .log, .out or .txt in its name")
        found += logs
    return found


@app.command(name="import")
def import_(
    logs: LogsArgument,
    name: Annotated[str | None, typer.Option(help="A name for the run; else the first file's.")] = None,
    topics: Annotated[
        list[str], typer.Option("--topic", metavar="NAME=PARTITIONS", help="What the logs don't tell.")
    ] = [],  # noqa: B006
    tz: ZoneOption = None,
    skews: Annotated[list[str], typer.Option("--skew", metavar="FILE=MS", help="Added to the times of a file.")] = [],  # noqa: B006
    session: Annotated[
        int | None,
        typer.Option("--session-timeout", metavar="MS", min=1, help="Dates the death of a member that fell silent."),
    ] = None,
    groups: Annotated[list[str], typer.Option("--group", metavar="G", help="Only this group; may be repeated.")] = [],  # noqa: B006
    since: Annotated[
        str | None, typer.Option(metavar="INSTANT", help="Only from here on, UTC: 2024-03-01T10:00.")
    ] = None,
    until: Annotated[str | None, typer.Option(metavar="INSTANT", help="Only up to here, UTC.")] = None,
    unrecognised: UnrecognisedOption = False,
    in_full: Annotated[
        bool, typer.Option("--notes", help="List what the logs do not tell and what was assumed.")
    ] = False,
    master: Annotated[
        str | None, typer.Option(metavar="URL", help="Read the files in parallel on Spark: local[2], spark://h:7077.")
    ] = None,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Make a run of logs: `unavailable`, `timeline`, `rebalances`, `replay` work on it as on any run.

    Example: groupsim incident import broker.log m1.log m2.log --topic orders=12
    """
    from groupsim.incidents.facts.importer import import_run
    from groupsim.incidents.logs.reading import Wanted, moment
    from groupsim.storage import open_store

    counts = numbers(topics, "--topic", least=1)
    ends = [None if text is None else moment(text, at) for at, text in (("--since", since), ("--until", until))]
    wanted = Wanted(frozenset(groups), *ends)
    reading = _read(log_files(logs), master, tz=tz, skews=numbers(skews, "--skew"), wanted=wanted)
    for line in reading.unread if unrecognised else ():
        output.note(f"{line.file}:{line.line}: {line.text}")
    with closing(open_store(store)) as opened:
        result = import_run(reading, opened, name=name, topics=counts, session_timeout_ms=session)
        facts = list(opened.read(result.run.id))
    numbers_, known = measured(facts)
    info = result.run
    summary = _summary(result, {**numbers_, "partitions_known": bool(known)}, reading)
    if form is not Format.TABLE:
        output.write_json(summary)
        return
    _print_import(summary)
    _say_notes(
        result.remarks, [*(note for note in result.notes if note not in result.remarks), *_trusted(known)], in_full
    )
    if reading.counts.unrecognised and not unrecognised:
        unread = count(reading.counts.unrecognised, "group-related line")
        output.note(f"{unread} not recognised; --unrecognised lists what was not")
    output.note(f"look: groupsim report {info.id}")


def _summary(result: ImportResult, found: dict[str, Any], reading: Reading) -> dict[str, Any]:
    """What `--format json` prints of an import."""
    info = result.run
    return {
        "run": info.id,
        "name": info.name,
        "source": info.source,
        "origin": info.origin,
        "simulated_ms": info.simulated_ms,
        "facts": info.facts,
        "digest": info.digest,
        "status": info.status,
        **found,
        "lines": msgspec.to_builtins(reading.counts),
        "notes": list(result.notes),
    }


def _read(files: Sequence[Path], master: str | None, **how: Any) -> Reading:
    """The logs, read here with progress, or by Spark on `master`."""
    if master is not None:
        from groupsim.pipeline.logs import read_logs
        from groupsim.pipeline.session import spark_session

        return read_logs(spark_session(master), files, **how)
    from groupsim.incidents.logs.reading import read_files

    with progress("reading") as bar:
        return read_files(files, progress=bar, **how)


def _say_notes(remarks: Sequence[str], assumed: Sequence[str], in_full: bool) -> None:
    """Remarks always, what was assumed in full or as a count."""
    for sentence in (*remarks, *(assumed if in_full else ())):
        output.note(f"note: {sentence}")
    if assumed and not in_full:
        output.note(f"{count(len(assumed), 'note')} on what the logs do not tell and what was assumed: --notes")


def _print_import(summary: dict[str, Any]) -> None:
    rebalances = sum(group["rebalances"] for group in summary["groups"].values())
    lasted = f"{output.seconds(summary['simulated_ms'] or 0)} recorded"
    parts = [output.plain(summary["name"]), str(summary["origin"]), lasted]
    print("  ".join([*parts, count(rebalances, "rebalance"), count(summary["facts"], "fact")]))
    for line in headline(summary):
        print(line)
    print(f"run {summary['run']}")


def _trusted(known: list[Interval]) -> list[str]:
    """What is taken on the broker's word, as a sentence."""
    if not any(i.label == OK and i.member is None for i in known):
        return []
    return [
        "where only the broker speaks, a member counts as serving what the books give it until the broker removes it; "
        "one that died had been silent for its session timeout before that"
    ]
