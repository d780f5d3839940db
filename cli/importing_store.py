"""The store of a command that imports: after Ctrl-C or SIGTERM the runs that it has stored are named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from typing import cast

from groupsim.cli.errors import Interrupted
from groupsim.cli.existing_store import WrappedStore, readable
from groupsim.events.types import RunId
from groupsim.storage import EventStore, open_store
from groupsim.storage.codec import Row
from groupsim.storage.errors import StoreError
from groupsim.storage.store import RunInfo
from groupsim.wording.lists import listed


@contextmanager
def importing(place: str) -> Iterator[EventStore]:
    """The store at a path or URL, made if there is none, for a `with` block that imports runs and prints them.

    Raises Interrupted for a KeyboardInterrupt in it, if a run was stored as a whole by then.
    """
    imported = set[RunId]()
    try:
        with closing(open_store(place)) as opened:
            yield cast("EventStore", _ImportingStore(opened, imported))
    except KeyboardInterrupt:
        whole = _whole(place, imported) if imported else []
        if not whole:
            raise
        raise Interrupted(_left(whole)) from None


def _whole(place: str, imported: set[RunId]) -> list[RunId]:
    """Which of these runs the store has, oldest first: all of a run or nothing of it."""
    try:
        with closing(open_store(place, create=False)) as opened:
            found, _ = readable(opened)
    except StoreError:
        return []
    return [run.id for run in found if run.id in imported]


def _left(whole: list[RunId]) -> str:
    """What Ctrl-C left of an import."""
    if len(whole) == 1:
        return f"interrupted; run {whole[0]} was stored by then, and is whole: groupsim unavailable {whole[0]}"
    return f"interrupted; runs {listed(whole)} were stored by then, and are whole"


class _ImportingStore(WrappedStore):
    """A store that keeps the ids of runs that are imported, before the store has them."""

    def __init__(self, store: EventStore, imported: set[RunId]) -> None:
        super().__init__(store)
        self._imported = imported

    def import_run(self, info: RunInfo, rows: Iterable[Row]) -> RunInfo:
        """`EventStore.import_run`: all of the run or nothing."""
        self._imported.add(info.id)
        return self._store.import_run(info, rows)
