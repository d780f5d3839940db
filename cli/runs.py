"""`groupsim runs`, `show`, `export`: the runs in a store and their facts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from groupsim.cli import output
from groupsim.cli.errors import BadRequest, Interrupted
from groupsim.cli.existing_store import DEFAULT_STORE, existing, readable
from groupsim.cli.options import FormatOption, RunArgument, StoreOption
from groupsim.cli.output import Format
from groupsim.cli.run_times import with_instants
from groupsim.events.base import Recorded
from groupsim.events.catalogue import CATALOGUE
from groupsim.storage.run_info import LONGEST_MS
from groupsim.wording.numbers import counted

AROUND_MS = 2_000
RUNS = ("run", "name", "source", "seed", "params", "status", "facts", "simulated_ms", "created_at", "digest")


def runs(store: StoreOption = DEFAULT_STORE, form: FormatOption = Format.TABLE) -> None:
    """List the runs in the store, oldest first.

    Example: groupsim runs --format jsonl
    """
    with existing(store) as opened:
        infos, damaged = readable(opened)
    rows = [{"run": i.id, **{name: getattr(i, name) for name in RUNS[1:]}} for i in infos]
    if form is Format.TABLE:
        rows = [
            {**row, "digest": (row["digest"] or "")[:12] or None, "params": _settings(row["params"])} for row in rows
        ]
    output.rows(rows, RUNS, form, spare=("source", "digest", "created_at", "params"))
    if damaged is not None:
        raise damaged


def _settings(params: dict[str, Any]) -> str | None:
    return " ".join(f"{key}={value}" for key, value in params.items() if not key.startswith("log.")) or None


def show(
    run: RunArgument,
    around: Annotated[
        int | None, typer.Option(metavar="MS", min=0, max=LONGEST_MS, help=f"Only facts within {AROUND_MS:,} ms.")
    ] = None,
    types: Annotated[list[str], typer.Option("--type", metavar="T", help="Only facts of this type.")] = [],  # noqa: B006
    member: Annotated[str | None, typer.Option(metavar="M", help="Only facts of this member or process.")] = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="The most facts to show.")] = 50,
    store: StoreOption = DEFAULT_STORE,
    form: FormatOption = Format.TABLE,
) -> None:
    """Show the facts of a run, as stored.

    Example: groupsim show latest --around 71204 --type RebalanceStarted
    """
    from groupsim.coordinator.config import near

    for name in types:
        if name not in CATALOGUE:
            raise BadRequest(f"--type {name!r} is not a fact type{near(name, CATALOGUE)}")
    until = None if around is None else around + AROUND_MS
    with existing(store) as opened:
        info = opened.find(run)
        rows: list[dict[str, Any]] = []
        left_out = False
        for fact in opened.read(info.id, types=types or None, until_ms=until):
            if (around is not None and fact.at_ms < around - AROUND_MS) or not _concerns(fact, member):
                continue
            if len(rows) == limit:
                left_out = True
                break
            rows.append(_row(fact))
    if form is Format.TABLE:
        rows = [{**row, "event": output.brief(row["event"], 160)} for row in rows]
    output.rows(*with_instants(rows, ("seq", "at_ms", "stream", "type", "event"), info, "at_ms"), form)
    if not rows:
        output.note(f"no fact of run {info.id} matches")
    if left_out:
        output.note(f"only the first {limit} facts are shown; --limit N shows more")


def _concerns(fact: Recorded, member: str | None) -> bool:
    if member is None:
        return True
    names = (getattr(fact.event, "member", None), getattr(fact.event, "process", None))
    known = [name for name in names if isinstance(name, str)]
    return any(name == member or name.startswith((f"{member}.", f"{member}-")) for name in known)


def _row(fact: Recorded) -> dict[str, Any]:
    body = msgspec.to_builtins(fact.event)
    return {
        "seq": fact.seq,
        "at_ms": fact.at_ms,
        "stream": fact.stream,
        "version": fact.version,
        "type": body.pop("type"),
        "event": body,
        "source": fact.source,
    }


def export(
    references: Annotated[list[str], typer.Argument(metavar="RUN...", help="Ids, prefixes, names, or `latest`.")],
    to: Annotated[Path, typer.Option(metavar="DIR|FILE.jsonl", help="A folder for Parquet, or a .jsonl file.")],
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Write runs to Parquet (partitioned by run) or to JSON Lines.

    Example: groupsim export latest --to lake/
    """
    from groupsim.pipeline.export import export_jsonl, export_parquet

    with existing(store) as opened:
        if to.suffix in (".csv", ".json", ".parquet", ".txt"):
            raise BadRequest(f"--to {to}: a folder for Parquet or a .jsonl file is expected, not {to.suffix}")
        runs = [opened.find(reference).id for reference in references]
        if to.suffix == ".jsonl":
            if to.exists():
                output.note(f"note: {to} was there already, and is replaced")
            export_jsonl(opened, runs, to)
        else:
            try:
                export_parquet(opened, runs, to)
            except KeyboardInterrupt:
                raise Interrupted(f"interrupted; each run is in {to} as a whole or not at all") from None
    output.note(f"{counted(len(runs), 'run')} written to {to}")
