"""The store in a database, with SQLAlchemy Core: SQLite by default, PostgreSQL by its URL."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import msgspec
from sqlalchemy import URL, Connection, Select, bindparam, delete, select, update

from groupsim.events.base import Recorded
from groupsim.events.types import RunId
from groupsim.storage.codec import COLUMNS, Row, check_types, digest_of, recorded
from groupsim.storage.database import Database, DuplicateKey
from groupsim.storage.deferred_signals import let_through
from groupsim.storage.errors import StoreError, StreamConflict
from groupsim.storage.run_import import RunImport
from groupsim.storage.run_info import (
    all_readable,
    checked,
    conflict_sentence,
    duplicate_run,
    from_columns,
    run_checksum,
    run_has_ended,
    to_columns,
)
from groupsim.storage.run_lookup import find_run, unknown_run
from groupsim.storage.schema import BATCH_CHECKSUMS, FACTS, RUNS, SNAPSHOTS
from groupsim.storage.store import Damage, RunInfo, RunStatus, Snapshot
from groupsim.storage.writer import BatchWriter

_ROW = [FACTS.c[name] for name in COLUMNS]
_INFO = [RUNS.c[name] for name in RunInfo.__struct_fields__]
_AT_ONCE = 1000
_UPDATE_RUN = update(RUNS).where(
    RUNS.c.key == bindparam("mine"), RUNS.c.facts == bindparam("first"), RUNS.c.status == RunStatus.RUNNING
)
_UPDATE_COUNT = _UPDATE_RUN.values(facts=bindparam("count"))
_ADD_CHECKSUM = BATCH_CHECKSUMS.insert()


class SqlStore:
    """EventStore in the database at `url`; with `create`, missing tables are created.

    Close it, or use it in a `with`. Each method writes in one transaction; rows are read a thousand at a time.
    Raises StoreError if there is no store and none can be created, NewerStore if it is newer than this code.
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
        except DuplicateKey:
            raise duplicate_run(info.id, self.place) from None
        return SqlWriter(self, info, key)

    def import_run(self, info: RunInfo, rows: Iterable[Row]) -> RunInfo:
        info = checked(info)
        try:
            with self._db.writing() as connection:
                incoming = RunImport(info, rows)  # first: it refuses numbers that no column takes
                key = _first(connection, msgspec.structs.replace(info, status=RunStatus.RUNNING, digest=None))
                for part in incoming:
                    self._db.backend.insert(connection, key, part)
                    let_through()
                if incoming.checksums:
                    connection.execute(_ADD_CHECKSUM, [_checksum(key, *checksum) for checksum in incoming.checksums])
                ended = incoming.ended()
                connection.execute(update(RUNS).where(RUNS.c.key == key).values(**_closed(ended)))
        except DuplicateKey:
            raise duplicate_run(info.id, self.place) from None
        return ended

    def resume(self, run: RunId) -> SqlWriter:
        info = self._unfinished(run)
        return SqlWriter(self, info, self._key(run), self.rows(run, stop=info.facts))

    def runs(self) -> list[RunInfo]:
        with self._db.reading() as connection:
            rows = connection.execute(select(*_INFO).order_by(RUNS.c.key)).all()
        return all_readable(rows)

    def find(self, reference: str) -> RunInfo:
        return self._info(find_run(self._names(), reference, self.place))

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

    def batch_checksums(self, run: RunId) -> list[tuple[int, str]]:
        c = BATCH_CHECKSUMS.c
        wanted = select(c.facts, c.digest).where(c.run == self._key(run)).order_by(c.facts)
        with self._db.reading() as connection:
            checksums = [(count, digest) for count, digest in connection.execute(wanted)]
        for count, digest in checksums:
            if not (isinstance(count, int) and isinstance(digest, str)):
                raise StoreError(f"{self.place} is damaged: run {run} has the checksum {digest!r} of {count!r} facts")
        return checksums

    def run_checksum(self, run: RunId) -> str | None:
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

    def keep_snapshots(self, run: RunId, kind: str, snapshots: Sequence[Snapshot]) -> None:
        key, s = self._key(run), SNAPSHOTS.c
        with self._db.writing() as connection:
            there = set(connection.execute(select(s.seq).where(s.run == key, s.kind == kind)).scalars())
            for kept in snapshots:
                if kept.seq not in there:
                    connection.execute(SNAPSHOTS.insert(), {"run": key, "kind": kind, **msgspec.structs.asdict(kept)})

    def drop_snapshots(self, kinds: str = "") -> int:
        wanted = delete(SNAPSHOTS).where(SNAPSHOTS.c.kind.startswith(kinds, autoescape=True))
        with self._db.writing() as connection:
            return connection.execute(wanted).rowcount

    def store_batch(self, key: int, info: RunInfo, rows: list[Row], first: int, checksum: str) -> None:
        """Append `rows` and their checksum to the run with this key, which has `first` facts, and update its info.

        Raises StreamConflict if another writer was there first.
        """
        conflict = StreamConflict(conflict_sentence(info.id, self.place))
        mine = {"mine": key, "first": first}
        try:
            with self._db.writing() as connection:
                if rows:
                    changed = connection.execute(_UPDATE_COUNT, {**mine, "count": info.facts})
                else:
                    changed = connection.execute(_UPDATE_RUN.values(**_closed(info)), mine)
                if changed.rowcount != 1:
                    raise conflict
                if rows:
                    self._db.backend.insert(connection, key, rows)
                    connection.execute(_ADD_CHECKSUM, _checksum(key, info.facts, checksum))
        except DuplicateKey:
            raise conflict from None

    def damage(self) -> Damage | None:
        with self._db.reading() as connection:
            damage = self._db.backend.damage(connection)
        return None if damage is None else Damage(f"{self.place} is damaged: {damage}")

    def close(self) -> None:
        self._db.engine.dispose()

    def _streamed(self, wanted: Select[Any]) -> Iterator[Row]:
        # Closed here and not by the garbage collector: a reader that stops early must not leave a cursor open.
        stopped = False
        try:
            with (
                self._db.reading() as connection,
                connection.execution_options(yield_per=_AT_ONCE).execute(wanted) as result,
            ):
                for part in result.partitions():
                    for row in part:
                        try:
                            yield tuple(row)
                        except GeneratorExit:
                            stopped = True
                            raise
        except StoreError:
            if not stopped:  # a reader that wants no more does not hear of a connection that was lost meanwhile
                raise

    def _names(self) -> dict[RunId, str]:
        with self._db.reading() as connection:
            rows = connection.execute(select(RUNS.c.id, RUNS.c.name).order_by(RUNS.c.key))
            names = {run: name for run, name in rows}  # noqa: C416  (for mypy, a Row is no tuple)
        if odd := [text for named in names.items() for text in named if not isinstance(text, str)]:
            raise StoreError(f"{self.place} is damaged: {odd[0]!r} can't be the id or the name of a run")
        return names

    def _key(self, run: RunId) -> int:
        with self._db.reading() as connection:
            key: int | None = connection.execute(select(RUNS.c.key).where(RUNS.c.id == run)).scalar()
        if key is None:
            raise unknown_run(self._names(), run, self.place)
        return key

    def _info(self, run: RunId) -> RunInfo:
        with self._db.reading() as connection:
            row = connection.execute(select(*_INFO).where(RUNS.c.id == run)).one_or_none()
        if row is None:
            raise unknown_run(self._names(), run, self.place)
        return from_columns(row)

    def _unfinished(self, run: RunId) -> RunInfo:
        info = self._info(run)
        if info.status != RunStatus.RUNNING:
            raise run_has_ended(info)
        return info


def _first(connection: Connection, info: RunInfo) -> int:
    """The key of a new run."""
    key: int = connection.execute(RUNS.insert().values(**to_columns(info)).returning(RUNS.c.key)).scalar_one()
    return key


def _checksum(key: int, facts: int, digest: str) -> dict[str, object]:
    """A row of table marks."""
    return {"run": key, "facts": facts, "digest": digest}


def _closed(info: RunInfo) -> dict[str, object]:
    """The row of table runs, with the run checksum if the run has ended."""
    return {**to_columns(info), "seal": None if info.status == RunStatus.RUNNING else run_checksum(info)}


class SqlWriter(BatchWriter):
    """RunWriter of a SqlStore."""

    def __init__(self, store: SqlStore, info: RunInfo, key: int, stored: Iterable[Row] = ()) -> None:
        super().__init__(info, stored)
        self._home, self._key = store, key

    def _store(self, info: RunInfo, rows: list[Row], first: int, checksum: str) -> None:
        self._home.store_batch(self._key, info, rows, first, checksum)

    def _stored(self) -> int:
        return self._home.find(self.info.id).facts
