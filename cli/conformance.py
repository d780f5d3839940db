"""`groupsim conformance`: our coordinator beside recordings of a real one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from cli import output
from cli.assign import opened
from cli.errors import BadRequest

app = typer.Typer(help="The simulator held against recordings of a real Kafka.", no_args_is_help=True)
FilesArgument = Annotated[list[str], typer.Argument(metavar="FILE...", help="Scripts, JSON Lines; .gz is read too.")]


def scripts(file: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines of a file of scripts, numbered from 1. Raises BadRequest."""
    with opened(file) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError as error:
                raise BadRequest(f"{file}, line {number}: not JSON ({error})") from None
            if not isinstance(record, dict) or not isinstance(record.get("steps"), list):
                raise BadRequest(f"{file}, line {number}: not a script (an object with `steps` is expected)")
            yield number, record


@app.command()
def play(
    files: FilesArgument,
    form: Annotated[str, typer.Option("--format", metavar="jsonl", help="jsonl is the only one.")] = "jsonl",
) -> None:
    """Play scripts of requests and print each line again with the simulator's answers.

    Example: groupsim conformance play cases.jsonl.gz
    """
    from conformance.play import BadScript
    from conformance.play import play as play_one

    if form != "jsonl":
        raise BadRequest(f"--format must be jsonl, not {form!r}")
    for file in files:
        for number, record in scripts(file):
            try:
                output.write_json(play_one(record))
            except BadScript as error:
                raise BadRequest(f"{file}, line {number}: {error}") from None


@app.command()
def check(files: FilesArgument) -> None:
    """Play scripts and compare with what was recorded: equal or different per file, with the first difference.

    Example: groupsim conformance check cases.jsonl.gz matrix.jsonl.gz
    """
    from conformance.compare import difference
    from conformance.play import BadScript
    from conformance.play import play as play_one

    differs = False
    for file in files:
        equal, different, first = 0, 0, None
        for number, record in scripts(file):
            try:
                found = difference(record, play_one(record))
            except (BadScript, KeyError) as error:
                raise BadRequest(f"{file}, line {number}: {error}") from None
            if found is None:
                equal += 1
                continue
            different += 1
            first = first or f"{record.get('name')}: {found}"
        print(f"{output.plain(file)}  {equal} equal  {different} different")
        if first is not None:
            differs = True
            print(f"  first difference: {output.plain(first)}")
    if differs:
        raise typer.Exit(1)
