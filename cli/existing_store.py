"""The store of a command that only reads: it must exist, and at a terminal a long read shows its progress."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, cast

from groupsim.cli.output import note, quiet
from groupsim.cli.progress import progress
from groupsim.storage import EventStore, open_store
from groupsim.storage.audit import UncheckedRun
from groupsim.storage.run_info import UnreadableRuns
from groupsim.storage.store import RunInfo

DEFAULT_STORE = "groupsim.db"
_REPORT_EVERY = 256
"""Facts between two updates of the progress bar."""


def existing(store: str) -> closing[EventStore]:
    """The store at a path or URL, for a `with` block. Raises StoreError if there is none."""
    opened = open_store(store, create=False)
    if sys.stderr.isatty() and not quiet():
        opened = cast("EventStore", _StoreWithProgress(opened))
    return closing(opened)


def readable(store: EventStore) -> tuple[Sequence[RunInfo], UnreadableRuns | None]:
    """The runs, oldest first, and the error for those about which what is stored is damaged."""
    try:
        return store.runs(), None
    except UnreadableRuns as error:
        return error.readable, error


@contextmanager
def unchecked_runs_noted() -> Iterator[None]:
    """What the library warns of a run that was not checked is a note."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", UncheckedRun)
        usual, noted = warnings.showwarning, set[str]()

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if not issubclass(category, UncheckedRun):
                usual(message, category, *place, **more)
            elif str(message) not in noted:
                noted.add(str(message))
                note(f"note: {message}")

        warnings.showwarning = show
        yield


class _StoreWithProgress:
    """A store whose `read` shows a progress bar; everything else is the store's own."""

    def __init__(self, store: EventStore) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def read(self, run: str, **selection: Any) -> Iterator[Any]:
        """`EventStore.read`."""
        facts = max(self._store.find(run).facts, 1)
        with progress("reading") as update:
            for count, fact in enumerate(self._store.read(run, **selection)):
                if count % _REPORT_EVERY == 0:
                    update(min(fact.seq / facts, 1.0))
                yield fact
