"""Progress bars with the remaining time: on a terminal only, on stderr, and only for longer tasks."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from groupsim.api.progress import DelayedBar
from groupsim.cli.output import note, quiet

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
    bar = DelayedBar(task)
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
