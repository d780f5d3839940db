"""`spark.read.format("groupsim")` and `spark.readStream.format("groupsim")`: facts straight from an event store.

Options: `store`, a path or an SQLAlchemy URL that every executor can reach; `run`, an id, a unique prefix or `latest`
(the default is all runs); `types`, fact types separated by commas, or `state-changing` for all except heartbeats,
messages and polls; `until_ms`, the last time; `rows`, the facts per Spark partition. A narrower `.schema(…)` reads only
these columns.

Limit what Spark reads with options, not filters. Filters are not pushed down to this source: Spark 4.3 keeps the
filters of one query and silently applies them to the next query of the same DataFrame.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows
from pyspark.sql.types import StructType

from groupsim.events.catalogue import STATE_CHANGING
from groupsim.pipeline.errors import PipelineError
from groupsim.pipeline.schemas import FACTS
from groupsim.storage import open_store
from groupsim.storage.codec import COLUMNS, Row, check_types
from groupsim.storage.errors import UnknownFact
from groupsim.storage.store import RunInfo

ROWS = 200_000
_BATCH = 20_000
_FACTS = to_arrow_schema(FACTS)  # all nullable, as Spark requires


@dataclass
class Part(InputPartition):
    """Facts `start` <= seq < `stop` of one run."""

    run: str
    start: int
    stop: int


@dataclass(frozen=True)
class Place:
    """A store that every executor can open, what to read from it (None: everything), and facts per partition."""

    store: str
    rows: int
    run: str | None = None
    types: tuple[str, ...] | None = None
    until_ms: int | None = None

    def infos(self) -> list[RunInfo]:
        """The runs to read, oldest first. Raises StoreError, UnknownRun."""
        with closing(open_store(self.store, create=False)) as store:
            return store.runs() if self.run is None else [store.find(self.run)]

    def parts(self, run: str, start: int, stop: int) -> Iterator[Part]:
        """The run's facts in this range, in pieces."""
        for first in range(start, stop, self.rows):
            yield Part(run, first, min(stop, first + self.rows))

    def read(self, part: Part, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """The rows of a part as Arrow batches of these columns."""
        schema = pa.schema([_FACTS.field(name) for name in names])
        with closing(open_store(self.store, create=False)) as store:
            rows = store.rows(part.run, start=part.start, stop=part.stop, types=self.types, until_ms=self.until_ms)
            while batch := list(islice(rows, _BATCH)):
                yield _arrow(part.run, batch, names, schema)


def _arrow(run: str, rows: list[Row], names: Sequence[str], schema: pa.Schema) -> pa.RecordBatch:
    columns: dict[str, Any] = dict(zip(COLUMNS, zip(*rows, strict=True), strict=True))
    columns["run"] = [run] * len(rows)
    return pa.record_batch([pa.array(columns[name], schema.field(name).type) for name in names], schema=schema)


class GroupSimSource(DataSource):
    """The source `groupsim`."""

    @classmethod
    def name(cls) -> str:
        return "groupsim"

    def schema(self) -> StructType:
        return FACTS

    def reader(self, schema: StructType) -> StoreReader:
        return StoreReader(self._place(), _columns(schema))

    def streamReader(self, schema: StructType) -> StoreStream:
        return StoreStream(self._place(), _columns(schema))

    def _place(self) -> Place:
        store = self.options.get("store") or self.options.get("path")
        if not store or store in (":memory:", "sqlite://"):
            raise PipelineError('format("groupsim") needs option("store", path or URL) of a store to open')
        rows = self.options.get("rows", str(ROWS))
        if not rows.isdecimal() or int(rows) < 1:
            raise PipelineError(f'option("rows", {rows!r}): a whole number of facts, at least 1, is expected')
        where = store if "://" in store else str(Path(store).resolve())
        until_ms = self.options.get("until_ms")
        if until_ms is not None and not until_ms.isdecimal():
            raise PipelineError(f'option("until_ms", {until_ms!r}): a whole number of milliseconds is expected')
        last = None if until_ms is None else int(until_ms)
        return Place(where, int(rows), self.options.get("run"), _types(self.options.get("types")), last)


def _types(asked: str | None) -> tuple[str, ...] | None:
    if asked is None:
        return None
    if asked == "state-changing":
        return STATE_CHANGING
    try:
        return check_types([name.strip() for name in asked.split(",")])
    except UnknownFact as error:
        raise PipelineError(f'option("types", {asked!r}): {error}') from None


def _columns(schema: StructType) -> list[str]:
    for field in schema:
        if field not in FACTS:
            known = ", ".join(f"{f.name} {f.dataType.simpleString()}" for f in FACTS)
            asked = f"{field.name} {field.dataType.simpleString()}"
            raise PipelineError(f'format("groupsim") has no column {asked}; it has {known}')
    return list(schema.names)


class StoreReader(DataSourceReader):
    """A batch read: one partition per run and range of facts."""

    def __init__(self, place: Place, names: Sequence[str]) -> None:
        self.place, self.names = place, names

    def partitions(self) -> Sequence[InputPartition]:
        parts = [part for info in self.place.infos() for part in self.place.parts(info.id, 0, info.facts)]
        return parts or [Part("", 0, 0)]  # Spark replaces an empty list by a partition of its own

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, Part)
        return self.place.read(partition, self.names) if partition.run else iter(())


class StoreStream(DataSourceStreamReader):
    """A stream that follows a store: an offset is `{run: facts read}`. Runs and facts come in their order."""

    def __init__(self, place: Place, names: Sequence[str]) -> None:
        self.place, self.names = place, names

    def initialOffset(self) -> dict[str, int]:
        return {}

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadMaxRows(self.place.rows)

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:
        left = None if isinstance(limit, ReadAllAvailable) else int(getattr(limit, "max_rows", self.place.rows))
        end = dict(start)
        for info in self.place.infos():
            read = end.get(info.id, 0)
            new = info.facts - read if left is None else min(info.facts - read, left)
            if new > 0:
                end[info.id] = read + new
                left = None if left is None else left - new
        return end

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        return [part for run, stop in end.items() for part in self.place.parts(run, start.get(run, 0), stop)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, Part)
        return self.place.read(partition, self.names)
