"""The interface of every store: append facts, read them, list runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Protocol

import msgspec

from groupsim.events.base import Event, Recorded
from groupsim.events.types import RunId
from groupsim.storage.codec import Row


class RunStatus(StrEnum):
    """How a run ended; a run whose process was killed stays `running`."""

    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class RunSource(StrEnum):
    """Whether the facts of a run come from a simulation or from logs."""

    SIMULATED = "simulated"
    RECORDED = "recorded"


class RecordMode(StrEnum):
    """What a simulation stores: `facts` omits heartbeats and messages, `batches` all of these but long batches."""

    ALL = "all"
    FACTS = "facts"
    BATCHES = "batches"


class RunInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What a store knows about a run besides its facts.

    `params` are the parameters of the scenario and the Kafka settings as given. `origin` is the UTC time (ISO 8601,
    milliseconds) at which the `at_ms` of a recorded run is 0. `digest` is set when the run ends.
    """

    id: RunId
    name: str
    source: RunSource
    seed: int | None = None
    params: dict[str, int | float | str | bool] = {}
    record: RecordMode = RecordMode.ALL
    status: RunStatus = RunStatus.RUNNING
    created_at: str = ""
    origin: str | None = None
    simulated_ms: int | None = None
    facts: int = 0
    digest: str | None = None
    scenario_path: str | None = None
    summary: dict[str, object] = {}


class Snapshot(msgspec.Struct, frozen=True):
    """A folded state of a run: of all facts before `seq`; the last of them is at `at_ms`."""

    seq: int
    at_ms: int
    state: bytes


class Damage(msgspec.Struct, frozen=True):
    """What is damaged. It begins at a fact first_seq <= seq <= last_seq; None if no fact is damaged."""

    sentence: str
    first_seq: int | None = None
    last_seq: int | None = None


class RunWriter(Protocol):
    """Appends the facts of one run in batches; facts that are not flushed are lost if the process is killed."""

    @property
    def info(self) -> RunInfo:
        """The RunInfo of the run."""
        ...

    def append(self, at_ms: int, stream: str, events: Sequence[Event], source: str | None = None) -> None:
        """Append `events` to `stream`, at `at_ms`, in order.

        Raises StreamConflict (at the latest when the batch is flushed) if another writer was faster.
        """
        ...

    def flush(self) -> None:
        """Write the waiting facts: everything appended so far then survives a crash."""
        ...

    def finish(self, status: RunStatus, simulated_ms: int, summary: dict[str, object] | None = None) -> RunInfo:
        """Flush, and store status, digest and summary; no fact can be appended afterwards."""
        ...


class EventStore(Protocol):
    """Facts of many runs, which can't be changed or deleted; they are visible once their writer has flushed them."""

    def begin(self, info: RunInfo) -> RunWriter:
        """Start a run. Raises StreamConflict if its id exists already."""
        ...

    def resume(self, run: RunId) -> RunWriter:
        """Continue a run after its last stored fact. Raises StoreError if the run has ended."""
        ...

    def import_run(self, info: RunInfo, rows: Iterable[Row]) -> RunInfo:
        """Add a whole run from another store (`groupsim import`), all of it or nothing.

        Raises StreamConflict if its id exists already, StoreError if the rows do not fit `info` or can't be read.
        """
        ...

    def runs(self) -> list[RunInfo]:
        """All runs, oldest first. Raises UnreadableRuns, which has the others, for what is damaged."""
        ...

    def find(self, reference: str) -> RunInfo:
        """The run with this id or unique prefix of an id, the newest for `latest`, or the only run with this name.

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
        """The facts with start <= seq < stop, of these types, not later than `until_ms`, ordered by seq.

        Raises UnknownRun unless `run` is a whole id, UnknownFact for an unknown type or an unreadable fact.
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
        """The same as `read`, but as stored: not decoded, not upcast. For digests and exports."""
        ...

    def digest(self, run: RunId) -> str:
        """SHA-256 over the bytes of the facts, without the run id: equal runs have equal digests."""
        ...

    def batch_checksums(self, run: RunId) -> list[tuple[int, str]]:
        """`(n, digest of the first n facts)` for each batch, in order, as computed when the batch was written."""
        ...

    def run_checksum(self, run: RunId) -> str | None:
        """`run_info.run_checksum`, computed when the run ended; None before, and for runs of old stores."""
        ...

    def snapshot(self, run: RunId, kind: str, until_ms: int | None = None) -> Snapshot | None:
        """The latest stored state of this kind without facts after `until_ms`, if there is one."""
        ...

    def keep_snapshots(self, run: RunId, kind: str, snapshots: Sequence[Snapshot]) -> None:
        """Store states for later readers; existing ones stay. Raises StoreError if the store is read-only."""
        ...

    def drop_snapshots(self, kinds: str = "") -> int:
        """Delete the stored states of all kinds that begin with `kinds`, and return how many there were.

        Later readers need more time.
        """
        ...

    def damage(self) -> Damage | None:
        """Damage that the database itself finds in its files (only SQLite can check); reads all of them."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...
