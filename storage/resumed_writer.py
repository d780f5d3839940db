"""A writer for a killed run that is simulated again: stored facts are compared, the rest is appended."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from groupsim.events.base import Event
from groupsim.events.types import RunId
from groupsim.events.world import RunEnded
from groupsim.storage.codec import Row, encode_all
from groupsim.storage.deferred_signals import uninterrupted
from groupsim.storage.errors import Diverged, StoreError
from groupsim.storage.store import EventStore, RunInfo, RunStatus


class ResumedWriter:
    """RunWriter that begins with the first fact of a run that did not end.

    Nothing is written until every stored fact was repeated byte for byte. The first difference raises Diverged, and so
    does every call after it. Raises UnknownRun, and StoreError if the run has ended.
    """

    def __init__(self, store: EventStore, run: RunId) -> None:
        self._inner = store.resume(run)
        self._stored = _rows(store, run, self.info.facts)
        self._left = self.info.facts
        self._versions: dict[str, int] = {}
        self._refusal: StoreError | None = None
        self._stopped = False

    @property
    def info(self) -> RunInfo:
        """The RunInfo of the run."""
        return self._inner.info

    def append(self, at_ms: int, stream: str, events: Sequence[Event], source: str | None = None) -> None:
        """Compare with the stored facts, then append; see `RunWriter.append`. Raises Diverged."""
        if self._refusal:
            raise self._refusal
        if not self._left:
            self._inner.append(at_ms, stream, events, source)
            return
        with uninterrupted():
            self._repeat(at_ms, stream, events, source)

    def _repeat(self, at_ms: int, stream: str, events: Sequence[Event], source: str | None) -> None:
        ended = events[0]
        if isinstance(ended, RunEnded) and ended.status == RunStatus.INTERRUPTED:  # not the run, its repetition
            self._stopped = True
            return
        known, new = events[: self._left], events[self._left :]
        for (tag, schema), body in encode_all(known):
            self._compare((0, at_ms, stream, self._versions.get(stream, 0), tag, schema, body, source))
            self._versions[stream] = self._versions.get(stream, 0) + 1
        if not self._left:
            self._stored.close()  # else its transaction would stay open for the rest of the run
        if new:
            self._inner.append(at_ms, stream, new, source)

    def _compare(self, new: Row) -> None:
        stored = next(self._stored)
        new = (stored[0], *new[1:])
        if stored != new:
            self._refusal = Diverged(
                f"run {self.info.id} can't be resumed: fact {stored[0]} is stored as {_described(stored)} but is now "
                f"{_described(new)}; the scenario or groupsim has changed, so start a new run"
            )
            raise self._refusal
        self._left -= 1

    def flush(self) -> None:
        """Write the waiting facts; see `RunWriter.flush`."""
        self._inner.flush()

    def finish(self, status: RunStatus, simulated_ms: int, summary: dict[str, object] | None = None) -> RunInfo:
        """End the run; see `RunWriter.finish`. An interrupted repetition leaves it unchanged."""
        self._stored.close()
        if self._refusal:
            raise self._refusal
        if self._stopped:
            return self.info
        if self._left:
            had = self.info.facts
            raise Diverged(
                f"run {self.info.id} can't be resumed: {had} facts are stored, but the repetition ends ({status}) "
                f"after {had - self._left}; the scenario or groupsim has changed, so start a new run"
            )
        return self._inner.finish(status, simulated_ms, summary)


def _rows(store: EventStore, run: RunId, stop: int) -> Generator[Row, None, None]:
    yield from store.rows(run, stop=stop)


def _described(row: Row) -> str:
    body = row[6] if len(row[6]) <= 120 else row[6][:119] + "…"
    return f"{body} at {row[1]:,} ms in {row[2]}"
