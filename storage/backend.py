"""What a database must be able to do for the store beyond SQLAlchemy's common ground; one module each."""

from __future__ import annotations

from typing import Protocol

from sqlalchemy import URL, Connection, Engine

from groupsim.storage.codec import Row


class Backend(Protocol):
    """A module with these names; `storage.database` knows which."""

    @property
    def ERRORS(self) -> type[Exception]:
        """What the driver raises where SQLAlchemy does not stand between."""
        ...

    def place(self, url: URL) -> str:
        """The store's name in sentences; no password is in it."""
        ...

    def engine(self, url: URL) -> Engine:
        """An engine; transactions opened with the execution option `writing` wait for other writers."""
        ...

    def prepare(self, made: Engine, place: str, create: bool) -> None:
        """Make the tables where they are missing and `create` allows it, lift an older schema to today's.

        Raises NewerStore for a newer one, StoreError for what is not a store.
        """
        ...

    def insert(self, connection: Connection, key: int, rows: list[Row]) -> None:
        """Put rows behind the others of the run with this key, as fast as the database can."""
        ...

    def damage(self, connection: Connection) -> str | None:
        """What the database says of damage to its own files, None if it sees none."""
        ...

    def is_duplicate_key(self, error: object) -> bool:
        """Whether this driver's error says that a unique key was there already."""
        ...

    def sentence(self, error: object) -> str:
        """The driver's error in one line, without a password."""
        ...
