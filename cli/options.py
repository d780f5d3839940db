"""Arguments and options that many commands share, and how their texts are read."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from enum import StrEnum
from typing import Annotated

import typer

from groupsim.cli import completion
from groupsim.cli.errors import BadRequest
from groupsim.storage import EventStore, open_store

DEFAULT_STORE = "groupsim.db"
INTERRUPTED = 130
"""Exit status: what a shell reports of a program ended by Ctrl-C."""

StoreOption = Annotated[
    str, typer.Option("--store", envvar="GROUPSIM_STORE", help="Event store: a path or an SQLAlchemy URL.")
]
RunArgument = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="A run's id, a unique prefix of it, its name, or `latest`.",
        autocompletion=completion.run_names,
    ),
]


class Format(StrEnum):
    """How rows are printed."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"


FormatOption = Annotated[Format, typer.Option("--format", help="table for people, json or jsonl or csv for programs.")]


def existing(store: str) -> closing[EventStore]:
    """The store of a command that only reads, for a `with` block; at a terminal it shows how far reading is."""
    from groupsim.cli.progress import watched  # here, because it prints, and what prints needs this module

    return closing(watched(open_store(store, create=False)))


def pairs(texts: Sequence[str], option: str) -> dict[str, str]:
    """`KEY=VALUE` texts as a dict. Raises BadRequest for one without `=` or a key given twice."""
    found: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise BadRequest(f"{option} {text!r}: expected KEY=VALUE")
        if key in found:
            raise BadRequest(f"{option} {key!r} is given twice")
        found[key] = value
    return found


def numbers(texts: Sequence[str], option: str, least: int | None = None) -> dict[str, int]:
    """`KEY=NUMBER` texts as a dict. Raises BadRequest."""
    found: dict[str, int] = {}
    for key, value in pairs(texts, option).items():
        try:
            found[key] = int(value)
        except ValueError:
            raise BadRequest(f"{option} {key}={value}: {value!r} is not a whole number") from None
        if least is not None and found[key] < least:
            raise BadRequest(f"{option} {key}={value}: must be at least {least}")
    return found
