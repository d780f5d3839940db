"""A run whose writer was killed, played again from its start: what is stored is compared, the rest is appended."""

from __future__ import annotations

from collections.abc import Sequence

from groupsim.events.base import Event
from groupsim.events.types import RunId
from groupsim.events.world import RunEnded
from groupsim.storage.codec import Row, encode_all
from groupsim.storage.errors import Diverged, StoreError
from groupsim.storage.store import EventStore, RunInfo


class ResumedWriter:
    """RunWriter that begins before the first fact of a run that never ended.

    Nothing is written before every stored fact has come again, byte for byte; the first that differs raises Diverged,
    and so does all that follows. Raises UnknownRun, StoreError if the run is over.
    """

    def __init__(self, store: EventStore, run: RunId) -> None:
        self._inner = store.resume(run)
        self._stored = store.rows(run, stop=self.info.facts)
        self._left = self.info.facts
        self._versions: dict[str, int] = {}
        self._refusal: StoreError | None = None
        self._stopped = False

    @property
    def info(self) -> RunInfo:
        """What is known of the run."""
        return self._inner.info

    def append(self, at_ms: int, stream: str, events: Sequence[Event], source: str | None = None) -> None:
        """Compare with what is stored, or append behind it; see `RunWriter.append`. Raises Diverged."""
        if self._refusal:
            raise self._refusal
        if not self._left:
            self._inner.append(at_ms, stream, events, source)
            return
        ended = events[0]
        if isinstance(ended, RunEnded) and ended.status == "interrupted":  # the playing was, not the run
            self._stopped = True
            return
        known, new = events[: self._left], events[self._left :]
        for event, ((tag, schema), body) in zip(known, encode_all(known), strict=False):
            self._compare(event, (0, at_ms, stream, self._versions.get(stream, 0), tag, schema, body, source))
            self._versions[stream] = self._versions.get(stream, 0) + 1
        if new:
            self._inner.append(at_ms, stream, new, source)

    def _compare(self, event: Event, now: Row) -> None:
        was = next(self._stored)
        now = (was[0], *now[1:])
        if was != now:
            self._refusal = Diverged(
                f"run {self.info.id} can't be resumed: fact {was[0]} is stored as {_told(was)}, and comes now as "
                f"{_told(now)}; the scenario or groupsim has changed since, so run it anew"
            )
            raise self._refusal
        self._left -= 1

    def flush(self) -> None:
        """Write what is waiting; see `RunWriter.flush`."""
        self._inner.flush()

    def finish(self, status: str, simulated_ms: int, summary: dict[str, object] | None = None) -> RunInfo:
        """End the run; see `RunWriter.finish`. It stays as it was if playing again was interrupted too early."""
        if self._refusal:
            raise self._refusal
        if self._stopped:
            return self.info
        if self._left:
            had = self.info.facts
            raise Diverged(
                f"run {self.info.id} can't be resumed: {had} facts are stored, and playing again ends ({status}) after "
                f"{had - self._left}; the scenario or groupsim has changed since, so run it anew"
            )
        return self._inner.finish(status, simulated_ms, summary)


def _told(row: Row) -> str:
    body = row[6] if len(row[6]) <= 120 else row[6][:119] + "…"
    return f"{body} at {row[1]:,} ms in {row[2]}"
