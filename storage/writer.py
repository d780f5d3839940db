"""Writing one run: facts wait until there are a thousand of them, then go out together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from groupsim.events.base import Event
from groupsim.storage.codec import Digest, Row, encode_all
from groupsim.storage.errors import StoreError
from groupsim.storage.run_info import checked, over
from groupsim.storage.store import RunInfo

BATCH = 1000
"""Facts in one transaction, at least; the facts of one `append` are never torn apart."""


@dataclass(frozen=True, slots=True)
class _Flight:
    """A batch on its way to the store: what will be known of the run once it has arrived, and what no longer waits."""

    info: RunInfo
    digest: Digest
    versions: dict[str, int]
    appends: int


class BatchWriter(ABC):
    """What the writers of all stores share; a store says only how rows and the run's end are kept."""

    def __init__(self, info: RunInfo, stored: Iterable[Row] = ()) -> None:
        """A writer that goes on after `stored`, the rows that the run already has, in order."""
        self.info = info
        self._digest = Digest()
        self._versions: dict[str, int] = {}
        self._waiting: list[tuple[int, str, tuple[Event, ...], str | None]] = []
        self._count = 0
        self._flight: _Flight | None = None
        self._refusal: StoreError | None = None  # why this writer can't go on
        for row in stored:
            self._digest.add([row])
            self._versions[row[2]] = row[3] + 1

    def append(self, at_ms: int, stream: str, events: Sequence[Event], source: str | None = None) -> None:
        """Put `events` at the end of `stream`; see `RunWriter.append`."""
        if self._refusal:
            raise self._refusal
        # No more than this for each call: what can be done for a thousand facts at once costs half as much.
        self._waiting.append((at_ms, stream, tuple(events), source))
        self._count += len(events)
        if self._count >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Write what is waiting; see `RunWriter.flush`."""
        if self._refusal:
            raise self._refusal
        # Ctrl-C may have ended an earlier flush anywhere. Only the store knows whether its rows were kept.
        if self._flight and self._stored() == self._flight.info.facts:
            self._land(self._flight)
        if not self._waiting:
            return
        first, versions, digest = self.info.facts, dict(self._versions), self._digest.copy()
        rows = self._rows(first, versions)
        digest.add(rows)
        info = msgspec.structs.replace(self.info, facts=first + len(rows))
        self._flight = _Flight(info, digest, versions, len(self._waiting))
        try:
            self._store(info, rows, first, digest.hex())
        except StoreError as trouble:
            self._refusal = trouble
            raise
        self._land(self._flight)

    def _land(self, done: _Flight) -> None:
        """The store has these rows: take up what is known of the run behind them. Cut short, it can be done again."""
        rest = self._waiting[done.appends :]
        self.info, self._digest, self._versions = done.info, done.digest, done.versions
        self._waiting, self._count, self._flight = rest, len(rest), None

    def _rows(self, first: int, versions: dict[str, int]) -> list[Row]:
        """What is waiting as rows, numbered from `first` and within each stream; `versions` is counted up."""
        encoded = encode_all([event for _, _, events, _ in self._waiting for event in events])
        rows, seq = list[Row](), first
        for at_ms, stream, events, source in self._waiting:
            version = versions.get(stream, 0)
            for _ in events:
                (tag, schema), body = next(encoded)
                rows.append((seq, at_ms, stream, version, tag, schema, body, source))
                version += 1
                seq += 1
            versions[stream] = version
        return rows

    def finish(self, status: str, simulated_ms: int, summary: dict[str, object] | None = None) -> RunInfo:
        """Flush and end the run; see `RunWriter.finish`."""
        if self._refusal:
            raise self._refusal
        self.flush()
        digest = self._digest.hex()
        ended = msgspec.structs.replace(self.info, status=status, simulated_ms=simulated_ms, digest=digest)
        ended = checked(msgspec.structs.replace(ended, summary=summary or {}))
        self._store(ended, [], ended.facts, digest)
        self.info, self._refusal = ended, over(ended)
        return ended

    @abstractmethod
    def _store(self, info: RunInfo, rows: list[Row], first: int, mark: str) -> None:
        """Keep `rows` behind the `first` ones that the run has, `info`, and `mark`, the digest so far; all or nothing.

        Raises StreamConflict if the run does not hold exactly `first` facts, or is over.
        """

    @abstractmethod
    def _stored(self) -> int:
        """How many facts of the run the store holds."""
