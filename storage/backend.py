"""What a database has to provide beyond SQLAlchemy: the interface of the modules sqlite and postgresql."""

from __future__ import annotations

from typing import Protocol

from sqlalchemy import URL, Connection, Engine

from groupsim.storage.codec import Row


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
