"""The tables, the version of their schema, and what is done with a store of another version.

For an older one: the statements that bring it up to date (`MIGRATIONS`, `steps`). For a newer one: the sentence that
refuses it (`newer`).
Table, column and trigger names are in existing stores: keep them.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Dialect,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.schema import CreateTable

from groupsim.storage.errors import StoreError

_REFUSE_FACTS = "facts are never changed or deleted"
_REFUSE_RUNS = "a run is never deleted, nor changed once it is over"

SQLITE_TRIGGERS = (
    f"CREATE TRIGGER facts_stay BEFORE UPDATE ON facts BEGIN SELECT RAISE(ABORT, '{_REFUSE_FACTS}'); END",
    f"CREATE TRIGGER facts_remain BEFORE DELETE ON facts BEGIN SELECT RAISE(ABORT, '{_REFUSE_FACTS}'); END",
    "CREATE TRIGGER runs_stay BEFORE UPDATE ON runs WHEN old.status <> 'running' "
    f"BEGIN SELECT RAISE(ABORT, '{_REFUSE_RUNS}'); END",
    f"CREATE TRIGGER runs_remain BEFORE DELETE ON runs BEGIN SELECT RAISE(ABORT, '{_REFUSE_RUNS}'); END",
)
POSTGRESQL_TRIGGERS = (
    "CREATE FUNCTION groupsim_refuse() RETURNS trigger LANGUAGE plpgsql AS "
    "'BEGIN RAISE EXCEPTION USING MESSAGE = TG_ARGV[0]; END'",
    "CREATE TRIGGER facts_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON facts "
    f"FOR EACH STATEMENT EXECUTE FUNCTION groupsim_refuse('{_REFUSE_FACTS}')",
    "CREATE TRIGGER runs_stay BEFORE UPDATE ON runs FOR EACH ROW WHEN (old.status <> 'running') "
    f"EXECUTE FUNCTION groupsim_refuse('{_REFUSE_RUNS}')",
    "CREATE TRIGGER runs_remain BEFORE DELETE OR TRUNCATE ON runs "
    f"FOR EACH STATEMENT EXECUTE FUNCTION groupsim_refuse('{_REFUSE_RUNS}')",
)
"""With these the database itself refuses to change or delete facts, and to change runs after their end.

They fire on UPDATE and DELETE only, so that appending is as fast as without them.
"""


SCHEMA_VERSION = 2
"""It grows by one with each release in which tables or fact types changed, so that older versions refuse the store
instead of ignoring facts that they don't know."""
MIGRATIONS: dict[int, tuple[str, ...]] = {
    1: (
        "ALTER TABLE runs ADD COLUMN seal TEXT",
        "CREATE TABLE marks (run INTEGER NOT NULL REFERENCES runs (key), facts INTEGER NOT NULL, digest TEXT NOT NULL, "
        "PRIMARY KEY (run, facts)) STRICT, WITHOUT ROWID",
        "CREATE TABLE snapshots (run INTEGER NOT NULL REFERENCES runs (key), kind TEXT NOT NULL, seq INTEGER NOT NULL, "
        "at_ms INTEGER NOT NULL, state BLOB NOT NULL, PRIMARY KEY (run, kind, seq)) STRICT, WITHOUT ROWID",
        *SQLITE_TRIGGERS,
    )
}
"""n -> the statements from schema n to n + 1; empty if only fact types changed. Only SQLite ever had schema 1."""

METADATA = MetaData()
_Long = BigInteger().with_variant(Integer, "sqlite")  # STRICT tables know INTEGER only, which has 64 bits

RUNS = Table(
    "runs",
    METADATA,
    Column("key", Integer, primary_key=True),  # grows with every run: the order of their beginnings
    Column("id", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("seed", _Long),
    Column("params", Text, nullable=False),  # JSON object
    Column("record", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("origin", Text),
    Column("simulated_ms", _Long),
    Column("facts", _Long, nullable=False),
    Column("digest", Text),
    Column("scenario_path", Text),
    Column("summary", Text, nullable=False),  # JSON object
    Column("seal", Text),  # the run checksum (storage.run_info), once the run has ended
    sqlite_strict=True,
)

FACTS = Table(
    "facts",
    METADATA,
    Column("run", Integer, ForeignKey("runs.key"), primary_key=True),
    Column("seq", _Long, primary_key=True),
    Column("at_ms", _Long, nullable=False),
    Column("stream", Text, nullable=False),
    Column("version", _Long, nullable=False),
    Column("type", Text, nullable=False),
    Column("schema", Integer, nullable=False),
    Column("body", Text, nullable=False),  # JSON object, as storage.codec writes it
    Column("source", Text),
    UniqueConstraint("run", "stream", "version"),  # this key is the concurrency control
    sqlite_strict=True,
    sqlite_with_rowid=False,
)

BATCH_CHECKSUMS = Table(
    "marks",
    METADATA,
    Column("run", Integer, ForeignKey("runs.key"), primary_key=True),
    Column("facts", _Long, primary_key=True),
    Column("digest", Text, nullable=False),  # of the run's first `facts` facts
    sqlite_strict=True,
    sqlite_with_rowid=False,
)
"""Batch checksums, one row per batch: they locate the damage if the digest of a run is wrong."""

SNAPSHOTS = Table(
    "snapshots",
    METADATA,
    Column("run", Integer, ForeignKey("runs.key"), primary_key=True),
    Column("kind", Text, primary_key=True),  # which fold, and the version of its code
    Column("seq", _Long, primary_key=True),  # the first fact that is not included
    Column("at_ms", _Long, nullable=False),  # of the last fact that is included
    Column("state", LargeBinary, nullable=False),
    sqlite_strict=True,
    sqlite_with_rowid=False,
)
"""Folded states, so that readers need not begin with the first fact: a cache, not part of any digest."""

_TRIGGERS = {"sqlite": SQLITE_TRIGGERS, "postgresql": POSTGRESQL_TRIGGERS}


def statements(dialect: Dialect) -> list[str]:
    """The statements that create tables and triggers, in this dialect."""
    tables = [str(CreateTable(table).compile(dialect=dialect)) for table in METADATA.sorted_tables]
    return [*tables, *_TRIGGERS[dialect.name]]


def steps(number: int, place: str) -> list[str]:
    """The statements from an older schema to the current one. Raises StoreError if a step is missing."""
    missing = [n for n in range(number, SCHEMA_VERSION) if n not in MIGRATIONS]
    if missing:
        raise StoreError(f"{place} has store schema {number}; there is no step from {missing[0]} to {missing[0] + 1}")
    return [statement for n in range(number, SCHEMA_VERSION) for statement in MIGRATIONS[n]]


def newer(place: str, number: int) -> str:
    """The sentence for a store that only a later version can read."""
    return (
        f"{place} was written by a newer groupsim (store schema {number}; this version reads up to {SCHEMA_VERSION}): "
        "use that version, or another --store"
    )
