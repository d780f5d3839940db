"""`groupsim assign`, `groupsim assignors`: the assignors without a simulation."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from groupsim.cli import output
from groupsim.cli.completion import assignor_names
from groupsim.cli.errors import BadRequest
from groupsim.cli.options import FormatOption
from groupsim.cli.output import Format


def assign(
    names: Annotated[
        list[str],
        typer.Option("--assignor", metavar="NAME", help="May be repeated.", autocompletion=assignor_names),
    ],
    source: Annotated[str, typer.Option("--input", metavar="FILE|-", help="JSON Lines, also .gz; - is stdin.")] = "-",
    explain: Annotated[
        bool, typer.Option("--explain", help="Add the distance from the optimum, and the proof of optimal-sticky.")
    ] = False,
) -> None:
    """Answer assignment problems: JSON Lines in, JSON Lines out, in the same order.

    Example: groupsim assign --assignor range --assignor sticky --input problems.jsonl
    """
    from groupsim.assignors import ASSIGNORS
    from groupsim.assignors.problem_files import BadLine, answers
    from groupsim.coordinator.config import near

    for name in names:
        if name not in ASSIGNORS:
            raise BadRequest(f"unknown assignor {name!r}{near(name, ASSIGNORS)}; known: {', '.join(ASSIGNORS)}")
    bad_lines = 0
    with open_lines(source) as lines:
        for answer in answers(lines, names, explain=explain):
            if isinstance(answer, BadLine):
                bad_lines += 1
                output.error(f"groupsim: {source}, {answer}")
            else:
                output.write_json(answer)
    if bad_lines:
        raise typer.Exit(2)


@contextmanager
def open_lines(source: str) -> Iterator[Iterable[bytes]]:
    """The lines of a file, of a .gz file, or of stdin for `-`. Raises BadRequest if it can't be read."""
    if source == "-":
        yield sys.stdin.buffer
        return
    try:
        with gzip.open(source, "rb") if source.endswith(".gz") else Path(source).open("rb") as lines:
            yield lines
    except (OSError, EOFError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise BadRequest(f"{source}: {reason}") from error


def assignors(form: FormatOption = Format.TABLE) -> None:
    """List the assignors with protocol, source and drawback.

    Example: groupsim assignors
    """
    from groupsim.assignors.problem_files import catalogue

    found = [{**row, "protocol": ", ".join(row["protocols"]) or "KIP-848"} for row in catalogue()]
    output.rows(found, ("name", "side", "protocol", "source", "drawback"), form)
