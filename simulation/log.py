"""Every fact goes to the store's writer and to those who watch the run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

import simpy

from groupsim.events.base import Event, Recorded
from groupsim.events.client import PollEnd
from groupsim.storage.store import RecordMode, RunWriter

Watch = Callable[[Recorded], None]
LONG_BATCH_MS = 1_000
"""A batch that takes so long is recorded by `RecordMode.BATCHES`."""


class Log:
    """Appends facts at the present instant. Noise is left out where the run records only facts (`--record facts`)."""

    def __init__(self, env: simpy.Environment, writer: RunWriter) -> None:
        self._env = env
        self._writer: RunWriter | _Nowhere = writer
        self._run = writer.info.id
        self._noise = writer.info.record == RecordMode.ALL
        self._batches = writer.info.record == RecordMode.BATCHES
        self._versions: defaultdict[str, int] = defaultdict(int)
        self.facts = 0
        self.watchers: list[Watch] = []

    def write_to(self, writer: RunWriter) -> None:
        """Append to this writer of the same run from now on; it may have another id for the run."""
        self._writer, self._run = writer, writer.info.id

    def end(self) -> None:
        """The run is over: what its story still does, as Python closes it (`finally`), is no fact."""
        self._writer, self.watchers = _Nowhere(), []

    def append(self, stream: str, events: Sequence[Event]) -> None:
        """Append facts of one stream, in order."""
        if len(events) == 1 and events[0].noise:  # nine facts of ten are of this kind
            if self._noise or (self._batches and _is_long(events[0])):
                self._writer.append(int(self._env.now), stream, events)
                self._versions[stream] += 1
                self.facts += 1
            return
        if not self._noise:
            events = [event for event in events if not event.noise]
        if not events:
            return
        now, seq, version = int(self._env.now), self.facts, self._versions[stream]
        self._writer.append(now, stream, events)
        for event in events:
            if not event.noise:
                recorded = Recorded(self._run, seq, now, stream, version, event)
                for watch in self.watchers:
                    watch(recorded)
            seq += 1
            version += 1
        self.facts, self._versions[stream] = seq, version


class _Nowhere:
    def append(self, *_: object) -> None:
        """Drop them."""


def _is_long(event: Event) -> bool:
    return isinstance(event, PollEnd) and event.process_ms >= LONG_BATCH_MS
