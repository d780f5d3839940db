"""The event store: append-only logs of facts, one per run, in SQLite, PostgreSQL or memory.

store         the interface: EventStore, RunWriter, RunInfo, and their closed sets of values
codec         facts as rows and back; the digest over rows
upcasts       old facts in the shape of today's types
writer        batches of facts: what all writers share
deferred_writer  a writer that begins its run later: a run that is refused leaves nothing
resumed_writer  a writer that repeats a killed run, compares it, and continues it
run_info      RunInfo as a row of table `runs`; its checksum; errors about runs
run_lookup    which run a reference means: id, prefix, name, `latest`
log_gaps      how sure an import is, as it stores it: Doubt, what is open; Precision, how exact its times are
run_import    a whole run from another store, checked before it is kept
audit         is a stored run still as it was written?
memory, sql   the stores
database      connections and transactions of sql
schema        its tables and triggers, the statements that bring an older store up to date, the sentence of a newer one
sqlite, postgresql  what `database.Backend` asks of a database: new files, migration of older ones, the insert of facts
deferred_signals  signals wait until the end of a transaction
rare_collections  fewer garbage collections while facts are read or made
errors        what a store refuses
"""

from __future__ import annotations

from pathlib import Path

from groupsim.storage.store import EventStore

__all__ = ["EventStore", "open_store"]

_IN_MEMORY = (":memory:", "sqlite://", "sqlite:///:memory:")


def open_store(url_or_path: str | Path, create: bool = True) -> EventStore:
    """The store at a path or an SQLAlchemy URL; `:memory:` gives one that lives as long as the process.

    `create=False` does not create a new file, for commands that only read. Raises StoreError, NewerStore.
    """
    if str(url_or_path) in _IN_MEMORY:
        from groupsim.storage.memory import MemoryStore

        return MemoryStore()
    # Importing SQLAlchemy takes half a second, which commands without a store should not pay.
    from sqlalchemy import URL

    from groupsim.storage.sql import SqlStore

    if isinstance(url_or_path, str) and "://" in url_or_path:
        return SqlStore(url_or_path, create)
    return SqlStore(URL.create("sqlite", database=str(url_or_path)), create)
