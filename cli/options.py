"""Arguments and options that many commands share, and how their values are parsed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from groupsim.cli import completion
from groupsim.cli.errors import BadRequest
from groupsim.cli.output import Format, note

StoreOption = Annotated[
    str, typer.Option("--store", envvar="GROUPSIM_STORE", help="The event store: a path or an SQLAlchemy URL.")
]
RunArgument = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="A run's id, a unique prefix of it, its name, or `latest`.",
        autocompletion=completion.run_names,
    ),
]

ScenarioFileOption = Annotated[
    str | None,
    typer.Option("--scenario", metavar="FILE", help="The scenario file of a simulated run: it is executed."),
]
TrustOption = Annotated[
    bool, typer.Option("--trust", help="Execute the scenario file that the store names; else you name it.")
]
FormatOption = Annotated[Format, typer.Option("--format", help="table for people; json, jsonl or csv for programs.")]


def key_values(texts: Sequence[str], option: str) -> dict[str, str]:
    """`KEY=VALUE` texts as a dict. Raises BadRequest for a text without `=` and for a key given twice."""
    found: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise BadRequest(f"{option} {text!r}: expected KEY=VALUE")
        if key in found:
            raise BadRequest(f"{option} {key!r} is given twice")
        found[key] = value
    return found


def key_integers(
    texts: Sequence[str], option: str, minimum: int | None = None, most: int | None = None
) -> dict[str, int]:
    """`KEY=NUMBER` texts as a dict. Raises BadRequest, also for a number below `minimum` or above `most`."""
    found: dict[str, int] = {}
    for key, value in key_values(texts, option).items():
        try:
            found[key] = int(value)
        except ValueError:
            raise BadRequest(f"{option} {key}={value}: {value!r} is not a whole number") from None
        if minimum is not None and found[key] < minimum:
            raise BadRequest(f"{option} {key}={value}: must be at least {minimum}")
        if most is not None and found[key] > most:
            raise BadRequest(f"{option} {key}={value}: must be at most {most:,}")
    return found


def seed_range(text: str) -> range:
    """`A:B` as the seeds from A up to B - 1, `A` as one seed. Raises BadRequest."""
    first, colon, last = text.partition(":")
    try:
        found = range(int(first), int(last)) if colon else range(int(first), int(first) + 1)
    except ValueError:
        raise BadRequest(f"--seeds {text!r}: expected A:B, two whole numbers") from None
    if not colon:
        note(f"note: --seeds {text} is one seed, {text}; 0:{text} would be the seeds from 0 up to {found[0] - 1}")
    if not found:
        raise BadRequest(f"--seeds {text!r}: the range is empty; A must be less than B")
    return found


def check_record_mode(mode: str) -> None:
    """Raises BadRequest if `mode` is not one that --record accepts."""
    if mode not in ("all", "facts"):
        raise BadRequest(f"--record must be all or facts, not {mode!r}")
