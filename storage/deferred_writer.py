"""A writer that begins its run in the store later: a run that is refused before leaves nothing."""

from __future__ import annotations

from collections.abc import Sequence

from groupsim.events.base import Event
from groupsim.storage.deferred_signals import uninterrupted
from groupsim.storage.store import EventStore, RunInfo, RunStatus, RunWriter

Waiting = tuple[int, str, list[Event], str | None]


class DeferredWriter:
    """RunWriter whose facts wait in memory until `begin`; `finish` begins, too, unless the run was given up."""

    def __init__(self, store: EventStore, info: RunInfo) -> None:
        self._store = store
        self._info = info
        self._waiting: list[Waiting] = []
        self._inner: RunWriter | None = None
        self._given_up = False

    @property
    def info(self) -> RunInfo:
        """The RunInfo of the run."""
        return self._info if self._inner is None else self._inner.info

    @property
    def begun(self) -> bool:
        """Whether the store has the run."""
        return self._inner is not None

    def begin(self) -> RunWriter:
        """Begin the run in the store, with what waits; the writer that it has there. See `EventStore.begin`."""
        if self._inner is None:
            with uninterrupted():
                self._inner = self._store.begin(self._info)
                for waiting in self._waiting:
                    self._inner.append(*waiting)
                self._waiting = []
        return self._inner

    def give_up(self) -> None:
        """Leave no run behind, unless it has begun."""
        self._given_up = self._inner is None

    def append(self, at_ms: int, stream: str, events: Sequence[Event], source: str | None = None) -> None:
        """Keep the facts until the run begins; see `RunWriter.append`."""
        if self._inner is None:
            self._waiting.append((at_ms, stream, list(events), source))
        else:
            self._inner.append(at_ms, stream, events, source)

    def flush(self) -> None:
        """See `RunWriter.flush`; what waits for the run to begin goes on waiting."""
        if self._inner is not None:
            self._inner.flush()

    def finish(self, status: RunStatus, simulated_ms: int, summary: dict[str, object] | None = None) -> RunInfo:
        """See `RunWriter.finish`; nothing is stored of a run that was given up."""
        return self._info if self._given_up else self.begin().finish(status, simulated_ms, summary)
