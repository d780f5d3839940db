"""The two tables, runs and facts, and the number of their shape."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Dialect, ForeignKey, Integer, MetaData, Table, Text, UniqueConstraint
from sqlalchemy.schema import CreateTable

from storage.errors import StoreError

NUMBER = 1
"""The shape of what is stored. It grows by one with each release in which the tables or the fact types changed, so that
older versions refuse the store instead of passing over facts that they don't know."""
MIGRATIONS: dict[int, tuple[str, ...]] = {}
"""n -> the statements that turn tables of shape n into shape n + 1; empty where only fact types changed."""

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


def steps(number: int, place: str) -> list[str]:
    """The statements that lead from an older shape to today's. Raises StoreError where a step is missing."""
    missing = [n for n in range(number, NUMBER) if n not in MIGRATIONS]
    if missing:
        raise StoreError(f"{place} has store schema {number}, and nothing leads from {missing[0]} to {missing[0] + 1}")
    return [statement for n in range(number, NUMBER) for statement in MIGRATIONS[n]]
