"""The two tables, runs and facts, and the number of their shape."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Dialect, ForeignKey, Integer, MetaData, Table, Text, UniqueConstraint
from sqlalchemy.schema import CreateTable

NUMBER = 1
"""The shape of the tables below. A change adds one, and needs a step from the older shape where stores are opened."""

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


def statements(dialect: Dialect) -> list[str]:
    """What makes the tables, in this dialect's words."""
    return [str(CreateTable(table).compile(dialect=dialect)) for table in METADATA.sorted_tables]
