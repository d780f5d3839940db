"""A store in memory: the same rows as in a database, in lists."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

import msgspec

from groupsim.events.base import Recorded
from groupsim.events.types import RunId
from groupsim.storage.codec import Row, check_types, digest_of, recorded
from groupsim.storage.errors import StreamConflict
from groupsim.storage.run_import import RunImport
from groupsim.storage.run_info import checked, conflict_sentence, duplicate_run, run_checksum, run_has_ended
from groupsim.storage.run_lookup import find_run, unknown_run
from groupsim.storage.store import Damage, RunInfo, RunStatus, Snapshot
from groupsim.storage.writer import BatchWriter

PLACE = "memory"


class MemoryStore:
    """EventStore in memory. Facts go through the codec: what a database can't store fails here, too."""

    def __init__(self) -> None:
        self._infos: dict[RunId, RunInfo] = {}
        self._rows: dict[RunId, list[Row]] = {}
        self._batch_checksums: dict[RunId, list[tuple[int, str]]] = {}
        self._run_checksums: dict[RunId, str] = {}
        self._snapshots: dict[tuple[RunId, str], dict[int, Snapshot]] = {}

    def begin(self, info: RunInfo) -> MemoryWriter:
        info = checked(msgspec.structs.replace(info, facts=0))
        if info.id in self._infos:
            raise duplicate_run(info.id, PLACE)
        self._infos[info.id] = info
        self._rows[info.id], self._batch_checksums[info.id] = [], []
        return MemoryWriter(self, info)

    def resume(self, run: RunId) -> MemoryWriter:
        info = self._unfinished(run)
        return MemoryWriter(self, info, self._rows[run])

    def runs(self) -> list[RunInfo]:
        return list(self._infos.values())

    def find(self, reference: str) -> RunInfo:
        return self._infos[find_run(self._names(), reference, PLACE)]

    def rows(
        self,
        run: RunId,
        *,
        start: int = 0,
        stop: int | None = None,
        types: Collection[str] | None = None,
        until_ms: int | None = None,
    ) -> Iterator[Row]:
        wanted = None if types is None else check_types(types)
        part = self._rows[self._whole(run)][max(start, 0) : None if stop is None else max(stop, 0)]
        return (
            row for row in part if (wanted is None or row[4] in wanted) and (until_ms is None or row[1] <= until_ms)
        )

    def read(
        self,
        run: RunId,
        *,
        start: int = 0,
        stop: int | None = None,
        types: Collection[str] | None = None,
        until_ms: int | None = None,
    ) -> Iterator[Recorded]:
        rows = self.rows(run, start=start, stop=stop, types=types, until_ms=until_ms)
        return (recorded(run, row) for row in rows)

    def digest(self, run: RunId) -> str:
        return digest_of(self.rows(run))

    def damage(self) -> Damage | None:
        """Memory has no damage."""
        return None

    def close(self) -> None:
        """Nothing to close."""

    def store_batch(self, info: RunInfo, rows: list[Row], first: int, checksum: str) -> None:
        """Append `rows` to a run that has `first` facts, and replace its info."""
        if len(self._rows[info.id]) != first or self._infos[info.id].status != RunStatus.RUNNING:
            raise StreamConflict(conflict_sentence(info.id, PLACE))
        self._rows[info.id] += rows
        if rows:
            self._batch_checksums[info.id].append((first + len(rows), checksum))
        self._infos[info.id] = info
        if info.status != RunStatus.RUNNING:
            self._run_checksums[info.id] = run_checksum(info)

    def import_run(self, info: RunInfo, rows: Iterable[Row]) -> RunInfo:
        info = checked(info)
        if info.id in self._infos:
            raise duplicate_run(info.id, PLACE)
        incoming = RunImport(info, rows)
        kept = [row for part in incoming for row in part]
        ended = incoming.ended()
        self.begin(msgspec.structs.replace(info, status=RunStatus.RUNNING))
        self._rows[info.id], self._batch_checksums[info.id] = kept, incoming.checksums
        self._infos[info.id] = ended
        if ended.status != RunStatus.RUNNING:
            self._run_checksums[info.id] = run_checksum(ended)
        return ended

    def batch_checksums(self, run: RunId) -> list[tuple[int, str]]:
        return list(self._batch_checksums[self._whole(run)])

    def run_checksum(self, run: RunId) -> str | None:
        return self._run_checksums.get(self._whole(run))

    def snapshot(self, run: RunId, kind: str, until_ms: int | None = None) -> Snapshot | None:
        kept = self._snapshots.get((self._whole(run), kind), {})
        fit = [s for s in kept.values() if until_ms is None or s.at_ms <= until_ms]
        return max(fit, key=lambda s: s.seq, default=None)

    def keep_snapshots(self, run: RunId, kind: str, snapshots: Sequence[Snapshot]) -> None:
        kept = self._snapshots.setdefault((self._whole(run), kind), {})
        for snapshot in snapshots:
            kept.setdefault(snapshot.seq, snapshot)

    def drop_snapshots(self, kinds: str = "") -> int:
        dropped = [key for key in self._snapshots if key[1].startswith(kinds)]
        return sum(len(self._snapshots.pop(key)) for key in dropped)

    def _names(self) -> dict[RunId, str]:
        return {run: info.name for run, info in self._infos.items()}

    def _whole(self, run: RunId) -> RunId:
        if run not in self._infos:
            raise unknown_run(self._names(), run, PLACE)
        return run

    def _unfinished(self, run: RunId) -> RunInfo:
        info = self._infos[self._whole(run)]
        if info.status != RunStatus.RUNNING:
            raise run_has_ended(info)
        return info


class MemoryWriter(BatchWriter):
    """RunWriter of a MemoryStore."""

    def __init__(self, store: MemoryStore, info: RunInfo, stored: Iterable[Row] = ()) -> None:
        super().__init__(info, stored)
        self._home = store

    def _store(self, info: RunInfo, rows: list[Row], first: int, checksum: str) -> None:
        self._home.store_batch(info, rows, first, checksum)

    def _stored(self) -> int:
        return self._home.find(self.info.id).facts
