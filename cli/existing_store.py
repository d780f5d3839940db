"""The store of a command that only reads: it must exist; notes name runs without an end, a bar shows long reads."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, cast

from groupsim.analysis.incomplete_runs import unfinished
from groupsim.cli.output import note, quiet
from groupsim.cli.progress import progress
from groupsim.events.types import RunId
from groupsim.storage import EventStore, open_store
from groupsim.storage.audit import UncheckedRun
from groupsim.storage.errors import StoreBusy
from groupsim.storage.run_info import UnreadableRuns
from groupsim.storage.store import RunInfo

DEFAULT_STORE = "groupsim.db"
_NOTED = (UncheckedRun, StoreBusy)
_REPORT_EVERY = 256
"""Facts between two updates of the progress bar."""


@contextmanager
def existing(store: str) -> Iterator[EventStore]:
    """The store at a path or URL, for a `with` block. Raises StoreError if there is none.

    After the block a note says of each run that was looked up in it, and did not run to its end, how far it came.
    """
    opened = open_store(store, create=False)
    if sys.stderr.isatty() and not quiet():
        opened = cast("EventStore", _StoreWithProgress(opened))
    found = dict[RunId, RunInfo]()
    with closing(opened):
        yield cast("EventStore", _StoreOfRuns(opened, found))
    for info in found.values():
        if (sentence := unfinished(info)) is not None:
            note(f"note: {sentence}")


def readable(store: EventStore) -> tuple[Sequence[RunInfo], UnreadableRuns | None]:
    """The runs, oldest first, and the error for those about which what is stored is damaged."""
    try:
        return store.runs(), None
    except UnreadableRuns as error:
        return error.readable, error


@contextmanager
def warnings_noted() -> Iterator[None]:
    """What the library warns of is a note: a run that was not checked, a store that is waited for."""
    with warnings.catch_warnings():
        for kind in _NOTED:
            warnings.simplefilter("always", kind)
        usual, noted = warnings.showwarning, set[str]()

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if not issubclass(category, _NOTED):
                usual(message, category, *place, **more)
            elif str(message) not in noted:
                noted.add(str(message))
                note(f"note: {message}")

        warnings.showwarning = show
        yield


class WrappedStore:
    """A store that does something besides when it is asked; what a subclass does not say is the store's own."""

    def __init__(self, store: EventStore) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


class _StoreOfRuns(WrappedStore):
    """A store that keeps which runs were looked up in it, in this order."""

    def __init__(self, store: EventStore, found: dict[RunId, RunInfo]) -> None:
        super().__init__(store)
        self._found = found

    def find(self, reference: str) -> RunInfo:
        """`EventStore.find`."""
        info = self._store.find(reference)
        self._found[info.id] = info
        return info


class _StoreWithProgress(WrappedStore):
    """A store whose `read` shows a progress bar."""

    def read(self, run: str, **selection: Any) -> Iterator[Any]:
        """`EventStore.read`."""
        facts = max(self._store.find(run).facts, 1)
        with progress("reading") as update:
            for count, fact in enumerate(self._store.read(run, **selection)):
                if count % _REPORT_EVERY == 0:
                    update(min(fact.seq / facts, 1.0))
                yield fact
