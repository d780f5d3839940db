"""The protocol every store keeps: append, read, runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Protocol

import msgspec

from groupsim.events.base import Event, Recorded
from groupsim.events.types import RunId
from groupsim.storage.codec import Row


class RunInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a run besides its facts.

    source: `simulated` or `recorded`. status: `running`, `finished`, `failed`, `interrupted`; a run whose process was
    killed stays `running`. `params` are the scenario's parameters and Kafka settings as given. `origin` is the UTC
    instant (ISO 8601, milliseconds) at which a recorded run's `at_ms` is 0. `digest` is set when the run ends.
    """

    id: RunId
    name: str
    source: str
    seed: int | None = None
    params: dict[str, int | float | str | bool] = {}
    record: str = "all"
    status: str = "running"
    created_at: str = ""
    origin: str | None = None
    simulated_ms: int | None = None
    facts: int = 0
    digest: str | None = None
    scenario_path: str | None = None
    summary: dict[str, object] = {}


class Snapshot(msgspec.Struct, frozen=True):
    """A folded state of a run: of all facts before `seq`, the last of which was at `at_ms`."""

    seq: int
    at_ms: int
    state: bytes


class Damage(msgspec.Struct, frozen=True):
    """What is wrong. It begins with one of the facts first_seq <= seq <= last_seq; None where no fact is to blame."""

    sentence: str
    first_seq: int | None = None
    last_seq: int | None = None


class RunWriter(Protocol):
    """Appends the facts of one run; batches them, so that what is not yet flushed is lost with the process."""

    @property
    def info(self) -> RunInfo:
        """What is known of the run."""
        ...

    def append(self, at_ms: int, stream: str, events: Sequence[Event], source: str | None = None) -> None:
        """Put `events` at the end of `stream`, at `at_ms`, in order.

        Raises StreamConflict (at the latest when the batch is flushed) if another writer was there first.
        """
        ...

    def flush(self) -> None:
        """Write what is waiting; after it everything appended so far survives a crash."""
        ...

    def finish(self, status: str, simulated_ms: int, summary: dict[str, object] | None = None) -> RunInfo:
        """Flush, and store status, digest and summary; no fact can be appended after it."""
        ...


class EventStore(Protocol):
    """Facts of many runs. Nothing in it can be changed or deleted; what a writer has not flushed is not in it yet."""

    def begin(self, info: RunInfo) -> RunWriter:
        """Start a run. Raises StreamConflict if its id is taken."""
        ...

    def resume(self, run: RunId) -> RunWriter:
        """Go on with a run whose writer is gone, behind its last stored fact. Raises StoreError if the run is over."""
        ...

    def mark_interrupted(self, run: RunId) -> RunInfo:
        """End a run whose writer is gone: status `interrupted`, and the digest of what it left."""
        ...

    def take(self, info: RunInfo, rows: Iterable[Row]) -> RunInfo:
        """Put a whole run in, as another store had it (`import`); all of it or nothing.

        Raises StreamConflict if its id is taken, StoreError if the rows are not those of `info` or can't be read.
        """
        ...

    def runs(self) -> list[RunInfo]:
        """All runs, oldest first."""
        ...

    def find(self, reference: str) -> RunInfo:
        """The run with this id, this unique prefix of an id, the newest one for `latest`, or the only run of this name.

        Raises UnknownRun.
        """
        ...

    def read(
        self,
        run: RunId,
        *,
        start: int = 0,
        stop: int | None = None,
        types: Collection[str] | None = None,
        until_ms: int | None = None,
    ) -> Iterator[Recorded]:
        """The facts with start <= seq < stop, of the named types, not later than `until_ms`; in order of seq.

        Raises UnknownRun unless `run` is a whole id, UnknownFact if there is no such type or a fact can't be read.
        """
        ...

    def rows(
        self,
        run: RunId,
        *,
        start: int = 0,
        stop: int | None = None,
        types: Collection[str] | None = None,
        until_ms: int | None = None,
    ) -> Iterator[Row]:
        """The same as `read` but as stored: nothing is decoded or lifted. For digests and exports."""
        ...

    def digest(self, run: RunId) -> str:
        """SHA-256 over the run's facts as bytes, run id left out: equal runs have equal digests."""
        ...

    def marks(self, run: RunId) -> list[tuple[int, str]]:
        """`(n, digest of the run's first n facts)`, one a batch, in order: as they were when the batch was written."""
        ...

    def seal(self, run: RunId) -> str | None:
        """`storage.run_info.seal` of the run as it was when the run ended; None before, and for runs of old stores."""
        ...

    def snapshot(self, run: RunId, kind: str, until_ms: int | None = None) -> Snapshot | None:
        """The latest kept state of this kind that holds no fact after `until_ms`, if there is one."""
        ...

    def keep_snapshots(self, run: RunId, kind: str, found: Sequence[Snapshot]) -> None:
        """Keep states for later readers; those that are there already stay. Raises StoreError if it can't."""
        ...

    def drop_snapshots(self) -> int:
        """Throw all kept states away, which costs later readers time and nothing else; gives how many there were."""
        ...

    def damage(self) -> Damage | None:
        """What the database itself finds wrong with its files, if it can look (SQLite can); reads all of them."""
        ...

    def close(self) -> None:
        """Give the connection back."""
        ...
