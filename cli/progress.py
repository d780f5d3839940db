"""Progress bars: on a terminal only, and on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from cli.output import quiet


@contextmanager
def progress(what: str) -> Iterator[Callable[[float], None]]:
    """A function that takes the share done, 0 to 1."""
    if quiet() or not sys.stderr.isatty():
        yield lambda share: None
        return
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
        console=Console(file=sys.stderr),
        transient=True,
    )
    with bar:
        task = bar.add_task(what, total=1.0)
        yield lambda share: bar.update(task, completed=share)
