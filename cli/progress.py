"""Progress bars with the time that is left: on a terminal only, on stderr, and only for what takes a while."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from groupsim.cli.output import quiet

if TYPE_CHECKING:
    from groupsim.storage.store import EventStore

PATIENCE_S = 0.7
"""What is done by then shows no bar."""
_TELL_EVERY = 256

_shown = 0
"""How many bars are under way: one within another is not shown."""


@contextmanager
def progress(what: str) -> Iterator[Callable[[float], None]]:
    """A function that takes the share done, 0 to 1."""
    global _shown
    if quiet() or not sys.stderr.isatty() or _shown:
        yield lambda share: None
        return
    _shown += 1
    bar = _Late(what)
    try:
        yield bar.tell
    finally:
        _shown -= 1
        bar.stop()


class _Late:
    """A bar that comes only when the user has waited."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._began = time.monotonic()
        self._bar: Progress | None = None
        self._task = TaskID(0)

    def tell(self, share: float) -> None:
        """So much is done."""
        if self._bar is None:
            if time.monotonic() - self._began < PATIENCE_S:
                return
            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f} %"),
                TimeRemainingColumn(),
                console=Console(file=sys.stderr),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(self._what, total=1.0)
        self._bar.update(self._task, completed=share)

    def stop(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()


def watched(store: EventStore) -> EventStore:
    """The store; where somebody watches, reading many of its facts shows how far it is."""
    return cast("EventStore", _Reading(store)) if sys.stderr.isatty() and not quiet() else store


class _Reading:
    """A store whose `read` tells how far it is by the numbers of the facts, all else as it was."""

    def __init__(self, store: EventStore) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def read(self, run: str, **which: Any) -> Iterator[Any]:
        """`EventStore.read`."""
        facts = max(self._store.find(run).facts, 1)
        with progress("reading") as tell:
            for count, fact in enumerate(self._store.read(run, **which)):
                if count % _TELL_EVERY == 0:
                    tell(min(fact.seq / facts, 1.0))
                yield fact
