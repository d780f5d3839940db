"""Writing one run: facts are collected until there are a thousand, then written together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from groupsim.events.base import Event
from groupsim.storage.codec import Digest, Row, encode, encode_all
from groupsim.storage.errors import StoreError
from groupsim.storage.run_info import checked, run_has_ended
from groupsim.storage.store import RunInfo, RunStatus

BATCH = 1000
"""The least number of facts in one transaction; the facts of one `append` are never separated."""


@dataclass(frozen=True, slots=True)
class _PendingBatch:
    """A batch that is being written: the state of the writer after success, and how many facts it holds."""

    info: RunInfo
    digest: Digest
    versions: dict[str, int]
    facts: int


class BatchWriter(ABC):
    """What the writers of all stores share; a subclass stores the rows and the end of the run."""

    def __init__(self, info: RunInfo, stored: Iterable[Row] = ()) -> None:
        """A writer that continues after `stored`, the rows that the run already has, in order."""
        self.info = info
        self._digest = Digest()
        self._versions: dict[str, int] = {}
        self._waiting: list[tuple[int, str, Event, str | None]] = []
        self._pending: _PendingBatch | None = None
        self._refusal: StoreError | None = None  # why this writer can't continue
        for row in stored:
            self._digest.add([row])
            self._versions[row[2]] = row[3] + 1

    def append(self, at_ms: int, stream: str, events: Sequence[Event], source: str | None = None) -> None:
        """Put `events` at the end of `stream`; see `RunWriter.append`."""
        if self._refusal:
            raise self._refusal
        # Keep this cheap: encoding a thousand facts at once costs half as much as one by one.
        self._waiting.extend([(at_ms, stream, event, source) for event in events])  # all at once, whatever interrupts
        if len(self._waiting) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Write the waiting facts; see `RunWriter.flush`."""
        if self._refusal:
            raise self._refusal
        # Ctrl-C can interrupt a flush at any point. Only the store knows whether its rows were stored.
        if self._pending and self._stored() == self._pending.info.facts:
            self._confirm(self._pending)
        if not self._waiting:
            return
        first, versions, digest = self.info.facts, dict(self._versions), self._digest.copy()
        rows = self._rows(first, versions)
        digest.add(rows)
        info = msgspec.structs.replace(self.info, facts=first + len(rows))
        self._pending = _PendingBatch(info, digest, versions, len(rows))
        try:
            self._store(info, rows, first, digest.hex())
        except StoreError as error:
            self._refusal = error
            raise
        self._confirm(self._pending)

    def _confirm(self, done: _PendingBatch) -> None:
        """The store has these rows: update the state of the writer. Safe to repeat after an interruption."""
        rest = self._waiting[done.facts :]
        self.info, self._digest, self._versions = done.info, done.digest, done.versions
        self._waiting, self._pending = rest, None

    def _rows(self, first: int, versions: dict[str, int]) -> list[Row]:
        """The waiting facts as rows, numbered from `first` and within each stream; updates `versions`."""
        try:
            encoded = encode_all([event for _, _, event, _ in self._waiting])
        except StoreError:
            self._leave_out()
            raise
        rows = list[Row]()
        for (at_ms, stream, _, source), ((tag, schema), body) in zip(self._waiting, encoded, strict=True):
            version = versions.get(stream, 0)
            rows.append((first, at_ms, stream, version, tag, schema, body, source))
            versions[stream] = version + 1
            first += 1
        return rows

    def _leave_out(self) -> None:
        """Give up the waiting facts from the first on that can't be stored: those before it are still to be written."""
        for number, (_, _, event, _) in enumerate(self._waiting):
            try:
                encode(event)
            except StoreError:
                del self._waiting[number:]
                return

    def finish(self, status: RunStatus, simulated_ms: int, summary: dict[str, object] | None = None) -> RunInfo:
        """Flush and end the run; see `RunWriter.finish`."""
        if self._refusal:
            raise self._refusal
        self.flush()
        digest = self._digest.hex()
        ended = msgspec.structs.replace(self.info, status=status, simulated_ms=simulated_ms, digest=digest)
        ended = checked(msgspec.structs.replace(ended, summary=summary or {}))
        self._store(ended, [], ended.facts, digest)
        self.info, self._refusal = ended, run_has_ended(ended)
        return ended

    @abstractmethod
    def _store(self, info: RunInfo, rows: list[Row], first: int, checksum: str) -> None:
        """Append `rows` to the `first` facts of the run, and store `info` and the checksum so far; all or nothing.

        Raises StreamConflict if the run does not have exactly `first` facts, or has ended.
        """

    @abstractmethod
    def _stored(self) -> int:
        """How many facts of the run are in the store."""
