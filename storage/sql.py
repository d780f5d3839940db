"""The store in a database, by SQLAlchemy Core: SQLite by default, PostgreSQL by its URL."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import msgspec
from sqlalchemy import URL, Connection, Select, bindparam, delete, select, update

from groupsim.events.base import Recorded
from groupsim.events.types import RunId
from groupsim.storage.codec import COLUMNS, Row, check_types, digest_of, recorded
from groupsim.storage.database import Database, Taken
from groupsim.storage.errors import StreamConflict
from groupsim.storage.run_import import RunImport
from groupsim.storage.run_info import checked, conflict, from_columns, over, seal, taken, to_columns
from groupsim.storage.run_lookup import missing, pick
from groupsim.storage.schema import FACTS, MARKS, RUNS, SNAPSHOTS
from groupsim.storage.store import Damage, RunInfo, Snapshot
from groupsim.storage.writer import BatchWriter

_ROW = [FACTS.c[name] for name in COLUMNS]
_INFO = [RUNS.c[name] for name in RunInfo.__struct_fields__]
_AT_ONCE = 1000
_MINE = update(RUNS).where(
    RUNS.c.key == bindparam("mine"), RUNS.c.facts == bindparam("first"), RUNS.c.status == "running"
)
_GROW = _MINE.values(facts=bindparam("count"))
_MARK = MARKS.insert()


class SqlStore:
    """EventStore in the database at `url`, made there if `create` and it is new; methods as told there.

    Close it, or use it in a `with`. What one method writes is one transaction; rows are read a thousand at a time.
    Raises StoreError if there is no store and none can be made, NewerStore if it is newer than this code.
    """

    def __init__(self, url: str | URL, create: bool = True) -> None:
        self._db = Database(url, create)
        self.place = self._db.place

    def __enter__(self) -> SqlStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin(self, info: RunInfo) -> SqlWriter:
        info = checked(msgspec.structs.replace(info, facts=0))
        try:
            with self._db.writing() as connection:
                key = _first(connection, info)
        except Taken:
            raise taken(info.id, self.place) from None
        return SqlWriter(self, info, key)

    def take(self, info: RunInfo, rows: Iterable[Row]) -> RunInfo:
        info = checked(info)
        try:
            with self._db.writing() as connection:
                key = _first(connection, msgspec.structs.replace(info, status="running", digest=None))
                arrival = RunImport(info, rows)
                for part in arrival:
                    self._db.backend.insert(connection, key, part)
                if arrival.marks:
                    connection.execute(_MARK, [{"run": key, "facts": n, "digest": d} for n, d in arrival.marks])
                ended = arrival.ended()
                connection.execute(update(RUNS).where(RUNS.c.key == key).values(**_closed(ended)))
        except Taken:
            raise taken(info.id, self.place) from None
        return ended

    def resume(self, run: RunId) -> SqlWriter:
        info = self._unfinished(run)
        return SqlWriter(self, info, self._key(run), self.rows(run, stop=info.facts))

    def mark_interrupted(self, run: RunId) -> RunInfo:
        info = self._unfinished(run)
        ended = msgspec.structs.replace(info, status="interrupted", digest=self.digest(run))
        self.keep(self._key(run), ended, [], info.facts, "")
        return ended

    def runs(self) -> list[RunInfo]:
        with self._db.reading() as connection:
            return [from_columns(row) for row in connection.execute(select(*_INFO).order_by(RUNS.c.key))]

    def find(self, reference: str) -> RunInfo:
        return self._info(pick(self._names(), reference, self.place))

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

    def rows(
        self,
        run: RunId,
        *,
        start: int = 0,
        stop: int | None = None,
        types: Collection[str] | None = None,
        until_ms: int | None = None,
    ) -> Iterator[Row]:
        wanted = select(*_ROW).where(FACTS.c.run == self._key(run)).order_by(FACTS.c.seq)
        if start > 0:
            wanted = wanted.where(FACTS.c.seq >= start)
        if stop is not None:
            wanted = wanted.where(FACTS.c.seq < stop)
        if types is not None:
            wanted = wanted.where(FACTS.c.type.in_(check_types(types)))
        if until_ms is not None:
            wanted = wanted.where(FACTS.c.at_ms <= until_ms)
        return self._streamed(wanted)

    def digest(self, run: RunId) -> str:
        return digest_of(self.rows(run))

    def marks(self, run: RunId) -> list[tuple[int, str]]:
        wanted = select(MARKS.c.facts, MARKS.c.digest).where(MARKS.c.run == self._key(run)).order_by(MARKS.c.facts)
        with self._db.reading() as connection:
            return [(count, digest) for count, digest in connection.execute(wanted)]

    def seal(self, run: RunId) -> str | None:
        wanted = select(RUNS.c.seal).where(RUNS.c.key == self._key(run))
        with self._db.reading() as connection:
            kept: str | None = connection.execute(wanted).scalar()
        return kept

    def snapshot(self, run: RunId, kind: str, until_ms: int | None = None) -> Snapshot | None:
        s = SNAPSHOTS.c
        wanted = select(s.seq, s.at_ms, s.state).where(s.run == self._key(run), s.kind == kind)
        if until_ms is not None:
            wanted = wanted.where(s.at_ms <= until_ms)
        with self._db.reading() as connection:
            row = connection.execute(wanted.order_by(s.seq.desc()).limit(1)).one_or_none()
        return None if row is None else Snapshot(*row)

    def keep_snapshots(self, run: RunId, kind: str, found: Sequence[Snapshot]) -> None:
        key, s = self._key(run), SNAPSHOTS.c
        with self._db.writing() as connection:
            there = set(connection.execute(select(s.seq).where(s.run == key, s.kind == kind)).scalars())
            for kept in found:
                if kept.seq not in there:
                    connection.execute(SNAPSHOTS.insert(), {"run": key, "kind": kind, **msgspec.structs.asdict(kept)})

    def drop_snapshots(self) -> int:
        with self._db.writing() as connection:
            return connection.execute(delete(SNAPSHOTS)).rowcount

    def keep(self, key: int, info: RunInfo, rows: list[Row], first: int, mark: str) -> None:
        """Put `rows` behind the `first` ones of the run with this key, their mark, and `info`, in one transaction.

        Raises StreamConflict if another writer was there first.
        """
        late = StreamConflict(conflict(info.id, self.place))
        mine = {"mine": key, "first": first}
        try:
            with self._db.writing() as connection:
                if rows:
                    changed = connection.execute(_GROW, {**mine, "count": info.facts})
                else:
                    changed = connection.execute(_MINE.values(**_closed(info)), mine)
                if changed.rowcount != 1:
                    raise late
                if rows:
                    self._db.backend.insert(connection, key, rows)
                    connection.execute(_MARK, {"run": key, "facts": info.facts, "digest": mark})
        except Taken:
            raise late from None

    def damage(self) -> Damage | None:
        with self._db.reading() as connection:
            found = self._db.backend.damage(connection)
        return None if found is None else Damage(f"{self.place} is damaged: {found}")

    def close(self) -> None:
        self._db.engine.dispose()

    def _streamed(self, wanted: Select[Any]) -> Iterator[Row]:
        # The result is closed here, not when it is collected: a reader may stop early, and a server's cursor stay open.
        with (
            self._db.reading() as connection,
            connection.execution_options(yield_per=_AT_ONCE).execute(wanted) as result,
        ):
            for part in result.partitions():
                for row in part:
                    yield tuple(row)

    def _names(self) -> dict[RunId, str]:
        with self._db.reading() as connection:
            rows = connection.execute(select(RUNS.c.id, RUNS.c.name).order_by(RUNS.c.key))
            return {run: name for run, name in rows}  # noqa: C416  (for mypy, a Row is no tuple)

    def _key(self, run: RunId) -> int:
        with self._db.reading() as connection:
            key: int | None = connection.execute(select(RUNS.c.key).where(RUNS.c.id == run)).scalar()
        if key is None:
            raise missing(list(self._names()), run, self.place)
        return key

    def _info(self, run: RunId) -> RunInfo:
        with self._db.reading() as connection:
            row = connection.execute(select(*_INFO).where(RUNS.c.id == run)).one_or_none()
        if row is None:
            raise missing(list(self._names()), run, self.place)
        return from_columns(row)

    def _unfinished(self, run: RunId) -> RunInfo:
        info = self._info(run)
        if info.status != "running":
            raise over(info)
        return info


def _first(connection: Connection, info: RunInfo) -> int:
    """The key of a new run."""
    key: int = connection.execute(RUNS.insert().values(**to_columns(info)).returning(RUNS.c.key)).scalar_one()
    return key


def _closed(info: RunInfo) -> dict[str, object]:
    """The row of table runs, sealed if the run is over."""
    return {**to_columns(info), "seal": None if info.status == "running" else seal(info)}


class SqlWriter(BatchWriter):
    """RunWriter of a SqlStore."""

    def __init__(self, store: SqlStore, info: RunInfo, key: int, stored: Iterable[Row] = ()) -> None:
        super().__init__(info, stored)
        self._home, self._key = store, key

    def _store(self, info: RunInfo, rows: list[Row], first: int, mark: str) -> None:
        self._home.keep(self._key, info, rows, first, mark)

    def _stored(self) -> int:
        return self._home.find(self.info.id).facts
