"""A store in memory: the same rows as in a database, in a list; gone with the process."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

import msgspec

from groupsim.events.base import Recorded
from groupsim.events.types import RunId
from groupsim.storage.codec import Row, check_types, digest_of, recorded
from groupsim.storage.errors import StreamConflict
from groupsim.storage.run_import import RunImport
from groupsim.storage.run_info import checked, conflict, over, seal, taken
from groupsim.storage.run_lookup import missing, pick
from groupsim.storage.store import Damage, RunInfo, Snapshot
from groupsim.storage.writer import BatchWriter

PLACE = "memory"


class MemoryStore:
    """EventStore in memory, methods as told there. Facts go through the codec: what can't be stored fails here too."""

    def __init__(self) -> None:
        self._infos: dict[RunId, RunInfo] = {}
        self._rows: dict[RunId, list[Row]] = {}
        self._marks: dict[RunId, list[tuple[int, str]]] = {}
        self._seals: dict[RunId, str] = {}
        self._snapshots: dict[tuple[RunId, str], dict[int, Snapshot]] = {}

    def begin(self, info: RunInfo) -> MemoryWriter:
        info = checked(msgspec.structs.replace(info, facts=0))
        if info.id in self._infos:
            raise taken(info.id, PLACE)
        self._infos[info.id] = info
        self._rows[info.id], self._marks[info.id] = [], []
        return MemoryWriter(self, info)

    def resume(self, run: RunId) -> MemoryWriter:
        info = self._unfinished(run)
        return MemoryWriter(self, info, self._rows[run])

    def runs(self) -> list[RunInfo]:
        return list(self._infos.values())

    def find(self, reference: str) -> RunInfo:
        return self._infos[pick({run: info.name for run, info in self._infos.items()}, reference, PLACE)]

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

    def mark_interrupted(self, run: RunId) -> RunInfo:
        info = self._unfinished(run)
        ended = msgspec.structs.replace(info, status="interrupted", digest=self.digest(run))
        self.keep(ended, [], info.facts, "")
        return ended

    def damage(self) -> Damage | None:
        """Nothing can happen to it."""
        return None

    def close(self) -> None:
        """Nothing to give back."""

    def keep(self, info: RunInfo, rows: list[Row], first: int, mark: str) -> None:
        """Put `rows` behind the `first` ones that the run has, and `info` in the place of what was known of it."""
        if len(self._rows[info.id]) != first or self._infos[info.id].status != "running":
            raise StreamConflict(conflict(info.id, PLACE))
        self._rows[info.id] += rows
        if rows:
            self._marks[info.id].append((first + len(rows), mark))
        self._infos[info.id] = info
        if info.status != "running":
            self._seals[info.id] = seal(info)

    def take(self, info: RunInfo, rows: Iterable[Row]) -> RunInfo:
        info = checked(info)
        if info.id in self._infos:
            raise taken(info.id, PLACE)
        arrival = RunImport(info, rows)
        kept = [row for part in arrival for row in part]
        ended = arrival.ended()
        self.begin(msgspec.structs.replace(info, status="running"))
        self._rows[info.id], self._marks[info.id] = kept, arrival.marks
        self._infos[info.id] = ended
        if ended.status != "running":
            self._seals[info.id] = seal(ended)
        return ended

    def marks(self, run: RunId) -> list[tuple[int, str]]:
        return list(self._marks[self._whole(run)])

    def seal(self, run: RunId) -> str | None:
        return self._seals.get(self._whole(run))

    def snapshot(self, run: RunId, kind: str, until_ms: int | None = None) -> Snapshot | None:
        kept = self._snapshots.get((self._whole(run), kind), {})
        fit = [s for s in kept.values() if until_ms is None or s.at_ms <= until_ms]
        return max(fit, key=lambda s: s.seq, default=None)

    def keep_snapshots(self, run: RunId, kind: str, found: Sequence[Snapshot]) -> None:
        kept = self._snapshots.setdefault((self._whole(run), kind), {})
        for snapshot in found:
            kept.setdefault(snapshot.seq, snapshot)

    def drop_snapshots(self) -> int:
        count = sum(map(len, self._snapshots.values()))
        self._snapshots.clear()
        return count

    def _whole(self, run: RunId) -> RunId:
        if run not in self._infos:
            raise missing(list(self._infos), run, PLACE)
        return run

    def _unfinished(self, run: RunId) -> RunInfo:
        info = self._infos[self._whole(run)]
        if info.status != "running":
            raise over(info)
        return info


class MemoryWriter(BatchWriter):
    """RunWriter of a MemoryStore."""

    def __init__(self, store: MemoryStore, info: RunInfo, stored: Iterable[Row] = ()) -> None:
        super().__init__(info, stored)
        self._home = store

    def _store(self, info: RunInfo, rows: list[Row], first: int, mark: str) -> None:
        self._home.keep(info, rows, first, mark)

    def _stored(self) -> int:
        return self._home.find(self.info.id).facts
