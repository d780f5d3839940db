"""What the definition says of a run, kept as tables beside the facts of a sweep: Spark reads them and asks nobody.

A cache, as a store's snapshots are: made where a run is played and its facts are at hand, good only for the code that
judged, and gone without harm. `pipeline.lake` reads them, and asks the definition where they are missing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from groupsim.analysis.availability.intervals import Intervals, intervals
from groupsim.analysis.log_coverage import CLIENT, COORDINATOR, RELEVANT
from groupsim.analysis.tables import ownership
from groupsim.analysis.tables.rebalances import rebalances
from groupsim.events.base import Event, Recorded
from groupsim.events.types import RunId
from groupsim.pipeline.schemas import INTERVALS, OWNERSHIP, REBALANCES

TABLES_FOLDER = "_tables"
"""In a lake; readers of Parquet folders pass by what begins with an underscore."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its columns, the facts it reads, and its rows by these facts of one run and the run's last.

    Rows have the schema's fields, but for `run`, as keys or as attributes.
    """

    name: str
    schema: StructType
    kinds: frozenset[type[Event]]
    rows: Callable[[list[Recorded]], Iterable[Any]]


def _ownership(told: list[Recorded]) -> Iterable[Any]:
    return ownership.ownership(told, told[-1].at_ms if told else 0)


AVAILABILITY = Table("availability", INTERVALS, RELEVANT, intervals)
REBALANCE = Table("rebalances", REBALANCES, COORDINATOR | CLIENT, rebalances)
OWNED = Table("ownership", OWNERSHIP, COORDINATOR | CLIENT, _ownership)


def judged(run: RunId, told: list[Recorded], found: Intervals) -> dict[Table, pa.Table]:
    """All tables of one run, by its telling facts and their intervals."""
    others = {table: as_arrow(table, run, table.rows(told)) for table in (REBALANCE, OWNED)}
    return {AVAILABILITY: as_arrow(AVAILABILITY, run, found), **others}


def as_arrow(table: Table, run: RunId, found: Iterable[Any]) -> pa.Table:
    """Rows of one run with the table's columns."""
    schema, rows = to_arrow_schema(table.schema), list(found)
    columns = [
        [row[name] if isinstance(row, dict) else getattr(row, name) for row in rows] for name in schema.names[1:]
    ]
    arrays = [pa.array(column, field.type) for column, field in zip(columns, list(schema)[1:], strict=True)]
    return pa.table([pa.array([run] * len(rows), pa.string()), *arrays], schema=schema)


def file_of(directory: Path, table: Table, run: RunId) -> Path:
    """Where a lake keeps this table of a run."""
    return folder_of(directory, table) / f"{run}.parquet"


def folder_of(directory: Path, table: Table) -> Path:
    """Where a lake keeps this table of all runs, as today's code judges them."""
    return directory / TABLES_FOLDER / judge() / table.name


def kept(directory: Path, table: Table) -> set[RunId]:
    """The runs of which a lake keeps this table."""
    return {file.stem for file in folder_of(directory, table).glob("*.parquet")}


@cache
def judge() -> str:
    """A name for the definition: another one after any change of its source, or of the columns."""
    sources = [
        source for package in ("groupsim.analysis", "groupsim.events") for source in _sources(resources.files(package))
    ]
    columns = [table.schema.json().encode() for table in (AVAILABILITY, REBALANCE, OWNED)]
    return hashlib.sha256(b"\0".join([*sources, *columns])).hexdigest()[:16]


def _sources(folder: Traversable) -> Iterator[bytes]:
    """Every module below a package, in the order of their names: subpackages count, too."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _sources(entry)
        elif entry.name.endswith(".py"):
            yield entry.read_bytes()
