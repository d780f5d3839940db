"""What a database must be able to do for the store beyond SQLAlchemy's common ground; one module each."""

from __future__ import annotations

from typing import Protocol

from sqlalchemy import URL, Connection, Engine

from storage.codec import Row


class Backend(Protocol):
    """A module with these functions; `storage.sql.BACKENDS` names it."""

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

    def is_taken(self, error: object) -> bool:
        """Whether this driver's error says that a unique key was there already."""
        ...
