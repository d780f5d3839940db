"""The event store: append-only logs of facts, one per run."""

from __future__ import annotations

from pathlib import Path

from groupsim.storage.store import EventStore

__all__ = ["EventStore", "open_store"]

_IN_MEMORY = (":memory:", "sqlite://", "sqlite:///:memory:")


def open_store(url_or_path: str | Path, create: bool = True) -> EventStore:
    """The store at a path or an SQLAlchemy URL; `:memory:` gives one that is gone with the process.

    `create=False` refuses to make a new file, for commands that only read. Raises StoreError, NewerStore.
    """
    if str(url_or_path) in _IN_MEMORY:
        from groupsim.storage.memory import MemoryStore

        return MemoryStore()
    # SQLAlchemy takes half a second to import, which `groupsim assign` need not pay.
    from sqlalchemy import URL

    from groupsim.storage.sql import SqlStore

    if isinstance(url_or_path, str) and "://" in url_or_path:
        return SqlStore(url_or_path, create)
    return SqlStore(URL.create("sqlite", database=str(url_or_path)), create)
