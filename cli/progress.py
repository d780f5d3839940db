"""Progress bars with the remaining time: on a terminal only, on stderr, and only for longer tasks."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from groupsim.cli.output import note, quiet

PATIENCE_S = 0.7
"""A task that ends within this time shows no bar."""

_shown = 0
"""How many bars are active: a bar inside another one is not shown."""


@contextmanager
def progress(task: str) -> Iterator[Callable[[float], None]]:
    """A function to call with the share of a task that is done, 0 to 1: a task of several phases has a bar for each."""
    global _shown
    if quiet() or not sys.stderr.isatty() or _shown:
        yield lambda share: None
        return
    _shown += 1
    bar = _DelayedBar(task)
    try:
        yield bar.update
    finally:
        _shown -= 1
        bar.stop()


@contextmanager
def noted_after(sentence: str, seconds: float = 2.0) -> Iterator[None]:
    """A note on what is waited for, if the block takes longer."""
    timer = threading.Timer(seconds, note, [f"note: {sentence}"])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class _DelayedBar:
    """A bar that appears only after the user has waited for a while, also if nothing has been reported by then."""

    def __init__(self, task: str) -> None:
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
        with self._lock:
            if self._ended or self._bar is not None:
                return
            bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f} %"),
                TimeRemainingColumn(),
                console=Console(file=sys.stderr),
                transient=True,
            )
            bar.start()
            self._task = bar.add_task(self._name, total=1.0)
            bar.update(self._task, completed=self._share)
            self._bar = bar
