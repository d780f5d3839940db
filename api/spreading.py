"""Where the runs of an advice happen: in processes here or on Spark; and the folder that keeps them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groupsim.api.errors import BadRequest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from groupsim.pipeline.grid import Subject
    from groupsim.pipeline.parallel import R, Spread, W

    Started = Callable[[Callable[[], SparkSession]], SparkSession]
    """Starts a session: the command line keeps Ctrl-C to itself while it does."""


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
def spreading(what: Subject, kind: Any, where: Where, started: Started = lambda start: start()) -> Iterator[Spread]:
    """How to do the runs of an advice about `what`, whose results have the type `kind`.

    Raises BadRequest and PipelineError.
    """
    if where.resume and where.to is None:
        raise BadRequest("--resume needs --to DIR, the folder that keeps the runs")
    with ExitStack() as stack:
        yield _Later(lambda: _opened(stack, what, kind, where, started))


def _opened(stack: ExitStack, what: Subject, kind: Any, where: Where, started: Started) -> Spread:
    from groupsim.pipeline.grid import ADVICE, alone_in, keep_manifest
    from groupsim.pipeline.parallel import keeping

    if where.to is None:
        return _spread(stack, where, started)
    new = not where.to.exists()
    keep_manifest(what, where.to, resume=where.resume, kind=ADVICE)
    stack.enter_context(alone_in(where.to, ADVICE))
    try:
        return keeping(_spread(stack, where, started), where.to, kind)
    except Exception:
        if new:  # so that the request can be repeated
            shutil.rmtree(where.to, ignore_errors=True)
        raise


def _spread(stack: ExitStack, where: Where, started: Started) -> Spread:
    from groupsim.pipeline.parallel import on_spark, processes

    if where.master is None:
        return stack.enter_context(processes(where.jobs))
    from groupsim.pipeline.session import spark_session

    master = where.master
    return on_spark(started(lambda: spark_session(master, where.memory, app="groupsim advise")))
