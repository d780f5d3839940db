"""A database by its URL: engine, transactions, errors of the driver as one sentence; the interface of each database."""

from __future__ import annotations

import importlib
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Protocol, cast

from sqlalchemy import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from groupsim.events.extras import needing
from groupsim.storage.codec import Row
from groupsim.storage.deferred_signals import uninterrupted
from groupsim.storage.errors import StoreError, StoreUnusable

# What goes wrong while a cursor is closed, or a connection is given back, is raised as usual. The pool's log of it is a
# traceback, which a handler of the root logger would print, too: py4j sets one up.
logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)
DRIVERS = {
    "sqlite": "sqlite",
    "sqlite+pysqlite": "sqlite",
    "postgresql": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}
"""Prefix of a URL -> its driver."""
_BACKENDS = {
    "sqlite": "groupsim.storage.sqlite",
    "postgresql": "groupsim.storage.postgresql",
}
"""A driver is imported only if it is needed."""


class DuplicateKey(Exception):
    """A unique key exists already; used inside this package only."""


class Backend(Protocol):
    """A module with these names; `storage.database` chooses it by the URL."""

    @property
    def ERRORS(self) -> type[Exception]:
        """Exceptions of the driver that SQLAlchemy does not wrap."""
        ...

    def place(self, url: URL) -> str:
        """The name of the store in sentences, without a password."""
        ...

    def engine(self, url: URL) -> Engine:
        """An engine; transactions opened with the execution option `writing` wait for other writers."""
        ...

    def prepare(self, made: Engine, place: str, create: bool) -> None:
        """Create missing tables if `create` allows it; migrate an older schema to the current one.

        Raises NewerStore for a newer one, StoreError for what is not a store.
        """
        ...

    def insert(self, connection: Connection, key: int, rows: list[Row]) -> None:
        """Append rows to the run with this key, in the fastest way of this database."""
        ...

    def damage(self, connection: Connection) -> str | None:
        """Damage that the database finds in its own files, None if it finds none."""
        ...

    def is_duplicate_key(self, error: object) -> bool:
        """Whether the error of this driver means that a unique key exists already."""
        ...

    def sentence(self, error: object) -> str:
        """The error of the driver in one line, without a password."""
        ...


class Database:
    """The database at `url`; with `create`, missing tables are created.

    Raises StoreError if there is no store and none can be created, NewerStore if it is newer than this code.
    """

    def __init__(self, url: str | URL, create: bool = True) -> None:
        made = _url(url)
        with needing("postgres"):
            self.backend = cast(Backend, importlib.import_module(_BACKENDS[made.get_backend_name()]))
        self.place = self.backend.place(made)
        try:
            self.engine = self.backend.engine(made)
        except (SQLAlchemyError, ValueError, TypeError) as error:
            raise self._as_store_error(error) from None
        self._writing = self.engine.execution_options(writing=True)
        try:
            with self._sentences():
                self.backend.prepare(self.engine, self.place, create)
        except StoreError:
            self.engine.dispose()
            raise

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that only reads."""
        with self._sentences(), self.engine.begin() as connection:
            yield connection

    def writing(self) -> Writing:
        """A transaction that waits for other writers. Raises DuplicateKey for a key that exists, else StoreError."""
        return Writing(self._writing, self._sentences)

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise self._as_store_error(error.orig) from None
        except self.backend.ERRORS as error:
            raise self._as_store_error(error) from None
        except (SQLAlchemyError, UnicodeError) as error:  # text in a damaged file may not be UTF-8
            raise self._as_store_error(error) from None

    def _as_store_error(self, error: BaseException | None) -> Exception:
        if self.backend.is_duplicate_key(error):
            return DuplicateKey()
        return StoreUnusable(f"the store {self.place} can't be used: {self.backend.sentence(error)}")


class Writing:
    """A transaction in a `with`, which is committed or rolled back whole before Ctrl-C or SIGTERM is handled."""

    def __init__(self, engine: Engine, sentences: Callable[[], AbstractContextManager[None]]) -> None:
        self._transaction, self._sentences, self._signals = engine.begin(), sentences, uninterrupted()

    def __enter__(self) -> Connection:
        self._signals.__enter__()
        try:
            with self._sentences():
                return self._transaction.__enter__()
        except BaseException:
            self._signals.__exit__()
            raise

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            with self._sentences():
                if not self._transaction.__exit__(kind, error, at) and error is not None:
                    raise error
        finally:
            self._signals.__exit__()


def _url(url: str | URL) -> URL:
    try:
        made = make_url(url)
    except (ArgumentError, ValueError):  # a port that is not a number
        raise StoreError(
            f"{_masked(str(url))!r} is neither a path nor a database URL such as sqlite:///groupsim.db"
        ) from None
    driver = DRIVERS.get(made.drivername)
    if driver is None:
        known = ", ".join(sorted(set(DRIVERS.values())))
        raise StoreError(f"{made.drivername!r} is not supported for a store: use {known} or a path")
    return made.set(drivername=driver)


def _masked(url: str) -> str:
    """The text without possible passwords."""
    return re.sub(r"password=[^&]*", "password=…", re.sub(r"//.*@", "//…@", url))
