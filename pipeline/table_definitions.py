"""The tables that Spark computes for each run with the functions of `analysis`, and the version of these functions.

Availability, rebalances and ownership are defined in `analysis` and nowhere else (ADR 0011); this module only gives
them columns.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from groupsim.analysis.availability.intervals import Intervals, intervals
from groupsim.analysis.log_coverage import CLIENT, CONSUMER, COORDINATOR, RELEVANT
from groupsim.analysis.tables import ownership
from groupsim.analysis.timelines.builder import rebalances
from groupsim.events.base import Event, Recorded
from groupsim.events.tasks_as_partitions import STREAMS
from groupsim.events.types import RunId
from groupsim.pipeline.schemas import INTERVALS, OWNERSHIP, REBALANCES


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its columns, the fact types it reads, and a function from facts of one run to rows.

    The function gets the facts of these types and the last fact of the run. Rows have the fields of the schema except
    `run`, as keys or attributes.
    """

    name: str
    schema: StructType
    kinds: frozenset[type[Event]]
    rows: Callable[[list[Recorded]], Iterable[Any]]


def _ownership(facts: list[Recorded]) -> Iterable[Any]:
    return ownership.ownership(facts, facts[-1].at_ms if facts else 0)


AVAILABILITY = Table("availability", INTERVALS, RELEVANT, intervals)
_OF_GROUPS = COORDINATOR | CONSUMER | CLIENT | STREAMS
REBALANCE = Table("rebalances", REBALANCES, _OF_GROUPS, rebalances)
OWNED = Table("ownership", OWNERSHIP, _OF_GROUPS, _ownership)


def tables_of_run(run: RunId, facts: list[Recorded], availability: Intervals) -> dict[Table, pa.Table]:
    """All tables of one run, from its state-changing facts and their intervals."""
    others = {table: as_arrow(table, run, table.rows(facts)) for table in (REBALANCE, OWNED)}
    return {AVAILABILITY: as_arrow(AVAILABILITY, run, availability), **others}


def as_arrow(table: Table, run: RunId, rows_of_run: Iterable[Any]) -> pa.Table:
    """Rows of one run with the table's columns."""
    schema, rows = to_arrow_schema(table.schema), list(rows_of_run)
    columns = [
        [row[name] if isinstance(row, dict) else getattr(row, name) for row in rows] for name in schema.names[1:]
    ]
    arrays = [pa.array(column, field.type) for column, field in zip(columns, list(schema)[1:], strict=True)]
    return pa.table([pa.array([run] * len(rows), pa.string()), *arrays], schema=schema)


@cache
def definition_version() -> str:
    """A name for the definition of the tables: it changes with any module of `analysis` or `events`, or any column."""
    folders = [resources.files(package) for package in ("groupsim.analysis", "groupsim.events")]
    columns = [table.schema.json().encode() for table in (AVAILABILITY, REBALANCE, OWNED)]
    return hashlib.sha256(
        b"\0".join([*(text for folder in folders for text in sources(folder)), *columns])
    ).hexdigest()[:16]


def sources(folder: Traversable) -> Iterator[bytes]:
    """The text of every module in a package and its subpackages, ordered by name; also inside a zip archive."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from sources(entry)
        elif entry.name.endswith(".py"):
            yield entry.read_bytes()
