"""What is particular to SQLite: the engine, new files and the migration of older ones, and the fast insert."""

from __future__ import annotations

import errno
import os
import re
import sqlite3
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

from sqlalchemy import URL, Connection, Dialect, Engine, create_engine, event

from groupsim.storage import schema
from groupsim.storage.codec import COLUMNS, Row
from groupsim.storage.deferred_signals import let_through
from groupsim.storage.errors import NewerStore, NoStore, StoreBusy, StoreError

T = TypeVar("T")

ERRORS = sqlite3.Error
WAIT_S = 60.0
"""How long a writer waits for the transaction of another writer before it fails."""
_LOOK_MS = 100
_LOCKED = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_SILENT_S = 2.0
"""A wait that takes longer is said."""
APPLICATION_ID = 0x67727370
"""In the header of every store (`grsp`): distinguishes stores from the databases of other programs."""

_OPTIONS = {"cache", "immutable", "mode", "nolock", "uri", "vfs"}
_FOLDER = (
    " (does the folder exist, and is it writable? a store in a read-only folder can be read with "
    "--store 'sqlite:///file:PATH?immutable=1&uri=true')"
)
_HINTS = {
    "SQLITE_FULL": "; what was written before is kept",
    "SQLITE_IOERR_WRITE": " while writing (no space, or a limit on file sizes); what was written before is kept",
    "SQLITE_IOERR_SHM": ": SQLite needs a file of 32 kB beside it (is there no space, or a limit on file sizes?)",
    "SQLITE_READONLY_": _FOLDER,  # the write-ahead log beside the file can't be created
    "SQLITE_READONLY": "; use another --store, or get write permission",
    "SQLITE_CANTOPEN": _FOLDER,
    "SQLITE_CORRUPT": ": the file is cut off or changed; take a copy of it, or import the exports of its runs again",
    "SQLITE_NOTADB": "; choose another --store",
}
"""Beginning of the name of an error -> its explanation."""
_UNDECODABLE = re.compile(r"Could not decode to UTF-8 column '(\w+)'")
_INSERT = f"INSERT INTO facts (run, {', '.join(COLUMNS)}) VALUES (%d, {', '.join('?' * len(COLUMNS))})"


def place(url: URL) -> str:
    """The path of the file."""
    return url.database or url.render_as_string()


def engine(url: URL) -> Engine:
    """An engine whose transactions are SQLite's own; those with the option `writing` lock the file at their start.

    Raises StoreError for a URL with a host, without a file, or with options that SQLite does not have.
    """
    _check(url)
    made = create_engine(url, connect_args={"timeout": WAIT_S})
    opened = _OpenedFile(_file(url))

    @event.listens_for(made, "connect")
    def connected(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # no implicit transactions: "begin" below starts them
        # With the write-ahead log: a power failure loses the last batches at most.
        _when_free(connection, place(url), lambda: connection.execute("PRAGMA synchronous = NORMAL"))

    @event.listens_for(made, "begin")
    def begun(connection: Connection) -> None:
        # A deferred transaction fails at its first write if another one wrote meanwhile; IMMEDIATE waits instead.
        if connection.get_execution_options().get("writing", False):
            raw: Any = connection.connection.driver_connection
            _when_free(raw, place(url), lambda: raw.execute("BEGIN IMMEDIATE"))
        else:
            connection.exec_driver_sql("BEGIN")
        opened.notice()

    @event.listens_for(made, "commit")
    def committing(connection: Connection) -> None:
        if connection.get_execution_options().get("writing", False):
            opened.check(place(url))

    return made


class _OpenedFile:
    """The file that was opened: SQLite goes on writing to it when somebody has deleted it or put another one there."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._first: tuple[int, int] | None = None

    def notice(self) -> None:
        """Remember which file it is, the first time."""
        self._first = self._first or self._now()

    def check(self, place: str) -> None:
        """Raises StoreError if another file, or none, is in its place."""
        if self._first is not None and self._now() != self._first:
            raise StoreError(
                f"the store {place} was deleted or replaced while it was written: what was written is lost"
            )

    def _now(self) -> tuple[int, int] | None:
        try:
            found = self._file.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino


def _when_free(connection: sqlite3.Connection, place: str, attempt: Callable[[], T]) -> T:
    """Wait for other processes, and for Ctrl-C: SQLite alone, while it waits, would not notice it.

    A wait of more than _SILENT_S is said, by a StoreBusy.
    """
    began, said = time.monotonic(), False
    connection.execute(f"PRAGMA busy_timeout = {_LOOK_MS}")
    try:
        while True:
            try:
                return attempt()
            except sqlite3.OperationalError as error:
                waited_s = time.monotonic() - began
                if error.sqlite_errorcode not in _LOCKED or waited_s > WAIT_S:
                    raise
                if waited_s > _SILENT_S and not said:
                    said = True
                    warnings.warn(
                        StoreBusy(
                            f"waiting for the store {place}, for {WAIT_S:.0f} s at most: another process locks it"
                        ),
                        stacklevel=2,
                    )
                let_through()
    finally:
        connection.execute(f"PRAGMA busy_timeout = {1000 * WAIT_S:.0f}")


def insert(connection: Connection, key: int, rows: list[Row]) -> None:
    """Insert rows of one run into facts. The key of the run is an integer of ours, so it can be part of the statement:
    the tuples under the digest are then used as they are."""
    connection.exec_driver_sql(_INSERT % key, rows)


def damage(connection: Connection) -> str | None:
    """The first problem that SQLite's own check of tables and indexes finds."""
    said: str = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar_one()
    return None if said == "ok" else said.replace("\n", " ")


def is_duplicate_key(error: object) -> bool:
    """Whether a unique key exists already (other violated constraints are bugs, not other writers)."""
    name = getattr(error, "sqlite_errorname", "")
    return name in ("SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_CONSTRAINT_UNIQUE")


def sentence(error: object) -> str:
    """The message of SQLite, with an explanation for files that can't grow or can't be changed."""
    if undecodable := _UNDECODABLE.match(str(error)):
        return f"it is damaged: the text in column {undecodable[1]} is no UTF-8"  # SQLite's sentence shows the bytes
    name = getattr(error, "sqlite_errorname", None) or ""
    if name == "SQLITE_CANTOPEN" and _no_file_can_be_opened():
        return f"{error}: {os.strerror(errno.EMFILE)}, the limit of this process (ulimit -n)"
    hint = next((said for start, said in _HINTS.items() if name.startswith(start)), "")
    return f"{error}{hint}"


def _no_file_can_be_opened() -> bool:
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return error.errno in (errno.EMFILE, errno.ENFILE)
    return False


def prepare(made: Engine, place: str, create: bool) -> None:
    """Create the tables in a new file. Raises StoreError for anything that is not a groupsim store."""
    file = _file(made.url)
    if not create and not file.exists():
        raise NoStore(f"there is no store at {place}")
    if file.exists() and not file.is_dir() and not file.is_file():  # SQLite would write a journal beside a device
        raise StoreError(f"the store {place} can't be used: it is no regular file")
    raw = made.raw_connection()
    try:
        connection = raw.driver_connection
        assert isinstance(connection, sqlite3.Connection)
        if _when_free(connection, place, lambda: _is_new(connection, place)):
            _write_ahead(connection)
        if _number(connection, place) < schema.SCHEMA_VERSION:
            _migrate(connection, made.dialect, place)
    finally:
        raw.close()


def _check(url: URL) -> None:
    shown = url.render_as_string()
    if url.host or url.username or not url.database:
        raise StoreError(f"{shown} names no file: sqlite:///relative.db and sqlite:////absolute.db do")
    odd = sorted(url.query.keys() - _OPTIONS)
    if odd:
        raise StoreError(f"{shown} has the option {odd[0]!r}; SQLite has {', '.join(sorted(_OPTIONS - {'uri'}))}")
    if url.query and (url.query.get("uri") != "true" or not url.database.startswith("file:")):
        raise StoreError(f"{shown}: options need SQLite's own form, sqlite:///file:store.db?mode=ro&uri=true")


def _file(url: URL) -> Path:
    """The path of the file, which SQLite's own URLs write with a prefix and percent-encoding."""
    database = url.database or ""
    return Path(unquote(urlsplit(database).path) if url.query else database)


def _is_new(connection: sqlite3.Connection, place: str) -> bool:
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application == APPLICATION_ID:
        return False
    if tables or application:
        raise StoreError(f"{place} is an SQLite database of another program, not a groupsim store")
    return True


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Turn the write-ahead log on. SQLite does not wait for other processes here, so this does."""
    deadline = time.monotonic() + WAIT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _number(connection: sqlite3.Connection, place: str) -> int:
    """The schema version of the store, 0 if it has no tables yet. Raises NewerStore."""
    number: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if number > schema.SCHEMA_VERSION:
        raise NewerStore(schema.newer(place, number))
    return number


def _migrate(connection: sqlite3.Connection, dialect: Dialect, place: str) -> None:
    """Create the tables or migrate them to the current schema, all or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        number = _number(connection, place)  # again: another process may have been faster
        new = _is_new(connection, place)
        for statement in schema.statements(dialect) if new else schema.steps(number, place):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {schema.SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
