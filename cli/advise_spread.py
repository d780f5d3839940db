"""Where the runs of `groupsim advise` happen: its options, and what Ctrl-C leaves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groupsim.api import spreading as api
from groupsim.api.spreading import Where
from groupsim.cli.errors import Interrupted
from groupsim.cli.signals import quietly, was_signalled

if TYPE_CHECKING:
    from groupsim.pipeline.grid import Subject
    from groupsim.pipeline.parallel import Spread

KeepOption = Annotated[
    Path | None,
    typer.Option("--to", metavar="DIR", help="Keep the runs in a new folder, or with --resume in that of before."),
]
ResumeOption = Annotated[bool, typer.Option("--resume", help="Continue an advice that was stopped; with --to.")]
SparkOption = Annotated[
    str | None,
    typer.Option("--master", metavar="URL", help="Simulate on Spark: local[2], local[*], spark://host:7077."),
]


@contextmanager
def spreading(what: Subject, kind: Any, where: Where) -> Iterator[Spread]:
    """`api.spreading.spreading`. Raises Interrupted, with what to do next, for Ctrl-C and SIGTERM."""
    with api.spreading(what, kind, where, quietly) as spread:
        try:
            yield spread
        except (KeyboardInterrupt, Exception) as error:  # py4j may make its own error of an interrupt
            if not isinstance(error, KeyboardInterrupt) and not was_signalled():
                raise
            rest = "no run is kept without --to DIR" if where.to is None else f"`--resume` continues it from {where.to}"
            raise Interrupted(f"the advice was interrupted; {rest}") from None
