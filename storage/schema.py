"""The tables, of which runs and facts are all that counts, and the number of their shape."""

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

from groupsim.storage import triggers
from groupsim.storage.errors import StoreError

NUMBER = 2
"""The shape of what is stored. It grows by one with each release in which the tables or the fact types changed, so that
older versions refuse the store instead of passing over facts that they don't know."""
MIGRATIONS: dict[int, tuple[str, ...]] = {
    1: (
        "ALTER TABLE runs ADD COLUMN seal TEXT",
        "CREATE TABLE marks (run INTEGER NOT NULL REFERENCES runs (key), facts INTEGER NOT NULL, digest TEXT NOT NULL, "
        "PRIMARY KEY (run, facts)) STRICT, WITHOUT ROWID",
        "CREATE TABLE snapshots (run INTEGER NOT NULL REFERENCES runs (key), kind TEXT NOT NULL, seq INTEGER NOT NULL, "
        "at_ms INTEGER NOT NULL, state BLOB NOT NULL, PRIMARY KEY (run, kind, seq)) STRICT, WITHOUT ROWID",
        *triggers.SQLITE,
    )
}
"""n -> the statements that turn tables of shape n into shape n + 1; empty where only fact types changed. Only SQLite
ever held shape 1."""

METADATA = MetaData()
_Long = BigInteger().with_variant(Integer, "sqlite")  # STRICT tables know INTEGER only, which has 64 bits

RUNS = Table(
    "runs",
    METADATA,
    Column("key", Integer, primary_key=True),  # grows with every run: the order in which they began
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
    Column("seal", Text),  # SHA-256 over the columns above but key, once the run is over (storage.run_info.seal)
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

MARKS = Table(
    "marks",
    METADATA,
    Column("run", Integer, ForeignKey("runs.key"), primary_key=True),
    Column("facts", _Long, primary_key=True),
    Column("digest", Text, nullable=False),  # of the run's first `facts` facts
    sqlite_strict=True,
    sqlite_with_rowid=False,
)
"""One a batch: where the digest does not fit at the end, they tell between which facts the damage begins."""

SNAPSHOTS = Table(
    "snapshots",
    METADATA,
    Column("run", Integer, ForeignKey("runs.key"), primary_key=True),
    Column("kind", Text, primary_key=True),  # what was folded, and by which code
    Column("seq", _Long, primary_key=True),  # the first fact that is not in it
    Column("at_ms", _Long, nullable=False),  # of the last fact that is in it
    Column("state", LargeBinary, nullable=False),
    sqlite_strict=True,
    sqlite_with_rowid=False,
)
"""States that readers have folded, so that they need not begin at the first fact again: a cache, under no digest."""

_GUARDS = {"sqlite": triggers.SQLITE, "postgresql": triggers.POSTGRESQL}


def statements(dialect: Dialect) -> list[str]:
    """What makes the tables and guards them, in this dialect's words."""
    tables = [str(CreateTable(table).compile(dialect=dialect)) for table in METADATA.sorted_tables]
    return [*tables, *_GUARDS[dialect.name]]


def steps(number: int, place: str) -> list[str]:
    """The statements that lead from an older shape to today's. Raises StoreError where a step is missing."""
    missing = [n for n in range(number, NUMBER) if n not in MIGRATIONS]
    if missing:
        raise StoreError(f"{place} has store schema {number}, and nothing leads from {missing[0]} to {missing[0] + 1}")
    return [statement for n in range(number, NUMBER) for statement in MIGRATIONS[n]]


def newer(place: str, number: int) -> str:
    """The sentence for a store of a shape that only a later version knows."""
    return (
        f"{place} was written by a newer groupsim (store schema {number}; this version reads up to {NUMBER}): "
        "use that one, or another --store"
    )
