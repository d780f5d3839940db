"""The store in a database, by SQLAlchemy Core: SQLite by default."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
from sqlalchemy import URL, Select, make_url, select, update
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from events.base import Recorded
from events.types import RunId
from storage import sqlite
from storage.backend import Backend
from storage.codec import COLUMNS, Row, check_types, digest_of, recorded
from storage.errors import StoreError, StreamConflict
from storage.infos import checked, conflict, from_columns, over, to_columns
from storage.references import missing, pick
from storage.schema import FACTS, RUNS
from storage.store import RunInfo
from storage.writer import BatchWriter

_ROW = [FACTS.c[name] for name in COLUMNS]
_INFO = [RUNS.c[name] for name in RunInfo.__struct_fields__]
_AT_ONCE = 1000
# Ctrl-C while a connection goes back to the pool is raised as it should be, and logged with a traceback besides.
logging.getLogger("sqlalchemy.pool").addHandler(logging.NullHandler())
BACKENDS: dict[str, Backend] = {"sqlite": sqlite}
"""By the name that a URL begins with."""


class Taken(Exception):
    """A unique key was there already; never leaves this module."""


class SqlStore:
    """EventStore in the database at `url`, made there if `create` and it is new. Close it, or use it in a `with`.

    Raises StoreError if there is no store and none can be made, NewerStore if it is newer than this code.
    """

    def __init__(self, url: str | URL, create: bool = True) -> None:
        try:
            self._url = make_url(url)
        except ArgumentError:
            raise StoreError(f"{url!r} is neither a path nor a database URL such as sqlite:///groupsim.db") from None
        name = self._url.get_backend_name()
        if name not in BACKENDS:
            raise StoreError(f"a store can't be kept in {name!r}, only in {', '.join(BACKENDS)}; or give a path")
        self._backend = BACKENDS[name]
        self.place = self._url.database or self._url.render_as_string()
        self._engine = self._backend.engine(self._url)
        self._writing = self._engine.execution_options(writing=True)
        try:
            with self._sentences():
                self._backend.prepare(self._engine, self.place, create)
        except StoreError:
            self.close()
            raise

    def __enter__(self) -> SqlStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin(self, info: RunInfo) -> SqlWriter:
        """Start a run; see `EventStore.begin`."""
        info = checked(msgspec.structs.replace(info, facts=0))
        try:
            with self._sentences(), self._writing.begin() as connection:
                (key,) = connection.execute(RUNS.insert().values(**to_columns(info)).returning(RUNS.c.key)).one()
        except Taken:
            raise StreamConflict(f"run {info.id} already exists in {self.place}") from None
        return SqlWriter(self, info, key)

    def resume(self, run: RunId) -> SqlWriter:
        """Go on with a run that never ended; see `EventStore.resume`."""
        info = self._unfinished(run)
        return SqlWriter(self, info, self._key(run), self.rows(run, stop=info.facts))

    def mark_interrupted(self, run: RunId) -> RunInfo:
        """End a run whose writer is gone; see `EventStore.mark_interrupted`."""
        info = self._unfinished(run)
        ended = msgspec.structs.replace(info, status="interrupted", digest=self.digest(run))
        self.keep(self._key(run), ended, [], info.facts)
        return ended

    def runs(self) -> list[RunInfo]:
        """All runs, oldest first."""
        with self._sentences(), self._engine.begin() as connection:
            return [from_columns(row) for row in connection.execute(select(*_INFO).order_by(RUNS.c.key))]

    def find(self, reference: str) -> RunInfo:
        """The run that `reference` means; see `EventStore.find`."""
        return self._info(pick(self._ids(), reference, self.place))

    def read(
        self,
        run: RunId,
        *,
        start: int = 0,
        stop: int | None = None,
        types: Collection[str] | None = None,
        until_ms: int | None = None,
    ) -> Iterator[Recorded]:
        """The facts; see `EventStore.read`."""
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
        """The rows as stored; see `EventStore.rows`. They come through a cursor, a thousand at a time."""
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
        """SHA-256 over the run's rows; see `storage.codec.Digest`."""
        return digest_of(self.rows(run))

    def keep(self, key: int, info: RunInfo, rows: list[Row], first: int) -> None:
        """Put `rows` behind the `first` ones of the run with this key, and `info`, in one transaction.

        Raises StreamConflict if another writer was there first.
        """
        late = StreamConflict(conflict(info.id, self.place))
        mine = update(RUNS).where(RUNS.c.key == key, RUNS.c.facts == first, RUNS.c.status == "running")
        changes: dict[str, object] = {"facts": info.facts} if rows else to_columns(info)
        try:
            with self._sentences(), self._writing.begin() as connection:
                if connection.execute(mine.values(**changes)).rowcount != 1:
                    raise late
                if rows:
                    self._backend.insert(connection, key, rows)
        except Taken:
            raise late from None

    def close(self) -> None:
        """Give the connections back."""
        self._engine.dispose()

    def _streamed(self, wanted: Select[Any]) -> Iterator[Row]:
        with self._sentences(), self._engine.connect() as connection:
            result = connection.execution_options(yield_per=_AT_ONCE).execute(wanted)
            for part in result.partitions():
                for row in part:
                    yield tuple(row)

    def _ids(self) -> list[RunId]:
        with self._sentences(), self._engine.begin() as connection:
            return list(connection.execute(select(RUNS.c.id).order_by(RUNS.c.key)).scalars())

    def _key(self, run: RunId) -> int:
        with self._sentences(), self._engine.begin() as connection:
            key: int | None = connection.execute(select(RUNS.c.key).where(RUNS.c.id == run)).scalar()
        if key is None:
            raise missing(self._ids(), run, self.place)
        return key

    def _info(self, run: RunId) -> RunInfo:
        with self._sentences(), self._engine.begin() as connection:
            row = connection.execute(select(*_INFO).where(RUNS.c.id == run)).one_or_none()
        if row is None:
            raise missing(self._ids(), run, self.place)
        return from_columns(row)

    def _unfinished(self, run: RunId) -> RunInfo:
        info = self._info(run)
        if info.status != "running":
            raise over(info)
        return info

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        """What the database says, as one sentence of ours."""
        try:
            yield
        except DBAPIError as error:
            if self._backend.is_taken(error.orig):
                raise Taken from None
            raise StoreError(f"the store {self.place} can't be used: {error.orig}") from None
        except (SQLAlchemyError, sqlite3.Error) as error:
            raise StoreError(f"the store {self.place} can't be used: {error}") from None


class SqlWriter(BatchWriter):
    """RunWriter of a SqlStore."""

    def __init__(self, store: SqlStore, info: RunInfo, key: int, stored: Iterable[Row] = ()) -> None:
        super().__init__(info, stored)
        self._home, self._key = store, key

    def _store(self, info: RunInfo, rows: list[Row], first: int) -> None:
        self._home.keep(self._key, info, rows, first)

    def _stored(self) -> int:
        return self._home.find(self.info.id).facts
