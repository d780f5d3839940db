"""A bar with the remaining time on stderr, or in the notebook, for long work."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE_S = 0.7
"""A task that ends within this time shows no bar."""


@contextmanager
def bar(task: str, wanted: bool) -> Iterator[Callable[[float], None]]:
    """A function to call with the share of a task that is done, 0 to 1."""
    if not wanted:
        yield lambda share: None
        return
    shown = DelayedBar(task)
    try:
        yield shown.update
    finally:
        shown.stop()


class DelayedBar:
    """A bar that appears only after the user has waited for a while, also if nothing has been reported by then."""

    def __init__(self, task: str) -> None:
        from rich.progress import Progress, TaskID

        self._name = task
        self._share = 0.0
        self._bar: Progress | None = None
        self._task = TaskID(0)
        self._lock = threading.Lock()
        self._ended = False
        self._began = time.monotonic()
        self._timer = threading.Timer(PATIENCE_S, self._show)
        self._timer.daemon = True
        self._timer.start()

    def update(self, share: float) -> None:
        """Show that this share is done."""
        self._share = share
        if self._bar is None and time.monotonic() - self._began >= PATIENCE_S:
            self._show()
        if self._bar is not None:
            self._bar.update(self._task, completed=share)

    def stop(self) -> None:
        """Remove the bar."""
        self._timer.cancel()
        with self._lock:
            self._ended = True
            if self._bar is not None:
                self._bar.stop()

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        with self._lock:
            if self._ended or self._bar is not None:
                return
            notebook = Console().is_jupyter
            shown = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f} %"),
                TimeRemainingColumn(),
                console=Console() if notebook else Console(file=sys.stderr),
                transient=True,
            )
            shown.start()
            self._task = shown.add_task(self._name, total=1.0)
            shown.update(self._task, completed=self._share)
            self._bar = shown
