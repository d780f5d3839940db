"""Where the runs of an advice happen: in processes here or on Spark; and the folder that keeps them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groupsim.cli.errors import BadRequest, Interrupted
from groupsim.cli.signals import quietly, was_signalled

if TYPE_CHECKING:
    from groupsim.pipeline.grid import Subject
    from groupsim.pipeline.parallel import R, Spread, W

KeepOption = Annotated[
    Path | None,
    typer.Option("--to", metavar="DIR", help="Keep the runs in a new folder, or with --resume in that of before."),
]
ResumeOption = Annotated[bool, typer.Option("--resume", help="Continue an advice that was stopped; with --to.")]
SparkOption = Annotated[
    str | None,
    typer.Option("--master", metavar="URL", help="Simulate on Spark: local[2], local[*], spark://host:7077."),
]


@dataclass(frozen=True, slots=True)
class Where:
    """`jobs` processes, or a Spark `master` with a driver of `memory`; `to`: the folder that keeps what is done."""

    jobs: int
    master: str | None = None
    memory: str = "2g"
    to: Path | None = None
    resume: bool = False


class _Later:
    """A Spread that is opened when it is first needed: a wrong request makes no folder and starts no Spark."""

    def __init__(self, opened: Callable[[], Spread]) -> None:
        self._open = opened
        self._spread: Spread | None = None

    def __call__(self, function: Callable[[W], R], works: Sequence[W]) -> Iterable[R]:
        if self._spread is None:
            self._spread = self._open()
        return self._spread(function, works)


@contextmanager
def spreading(what: Subject, kind: Any, where: Where) -> Iterator[Spread]:
    """How to do the runs of an advice about `what`, whose results have the type `kind`.

    Raises BadRequest and PipelineError; Interrupted, with what to do next, for Ctrl-C and SIGTERM.
    """
    if where.resume and where.to is None:
        raise BadRequest("--resume needs --to DIR, the folder that keeps the runs")
    with ExitStack() as stack:
        later = _Later(lambda: _opened(stack, what, kind, where))
        try:
            yield later
        except (KeyboardInterrupt, Exception) as error:  # py4j may make its own error of an interrupt
            if not isinstance(error, KeyboardInterrupt) and not was_signalled():
                raise
            rest = "no run is kept without --to DIR" if where.to is None else f"`--resume` continues it from {where.to}"
            raise Interrupted(f"the advice was interrupted; {rest}") from None


def _opened(stack: ExitStack, what: Subject, kind: Any, where: Where) -> Spread:
    from groupsim.pipeline.grid import ADVICE, alone_in, keep_manifest
    from groupsim.pipeline.parallel import keeping

    if where.to is None:
        return _spread(stack, where)
    new = not where.to.exists()
    keep_manifest(what, where.to, resume=where.resume, kind=ADVICE)
    stack.enter_context(alone_in(where.to, ADVICE))
    try:
        return keeping(_spread(stack, where), where.to, kind)
    except Exception:
        if new:  # so that the command can be repeated
            shutil.rmtree(where.to, ignore_errors=True)
        raise


def _spread(stack: ExitStack, where: Where) -> Spread:
    from groupsim.pipeline.parallel import on_spark, processes

    if where.master is None:
        return stack.enter_context(processes(where.jobs))
    from groupsim.pipeline.session import spark_session

    master = where.master
    return on_spark(quietly(lambda: spark_session(master, where.memory, app="groupsim advise")))
