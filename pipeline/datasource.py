"""`spark.read.format("groupsim")` and `spark.readStream.format("groupsim")`: an event store, without an export before.

Options: `store`, a path or an SQLAlchemy URL that every executor can reach; `run`, an id, a unique prefix or `latest`
(otherwise all runs); `rows`, how many facts go into one Spark partition. A narrower `.schema(…)` reads those columns
only. Filters on `run`, `type`, `seq` and `at_ms` are handed to the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InputPartition,
    LessThan,
    LessThanOrEqual,
)
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows
from pyspark.sql.types import StructType

from events.catalogue import CATALOGUE
from pipeline.errors import PipelineError
from pipeline.schemas import FACTS
from storage import open_store
from storage.codec import COLUMNS, Row
from storage.store import RunInfo

ROWS = 200_000
_BATCH = 20_000
_FACTS = to_arrow_schema(FACTS)  # nullable throughout, as Spark wants to see it


@dataclass
class Part(InputPartition):
    """Facts `start` <= seq < `stop` of one run."""

    run: str
    start: int
    stop: int


@dataclass(frozen=True)
class Wanted:
    """What filters leave over: None where they do not ask; bounds are inclusive."""

    runs: frozenset[str] | None = None
    types: frozenset[str] | None = None
    first: int | None = None
    last: int | None = None
    until_ms: int | None = None

    def narrowed(self, asked: Filter) -> tuple[Wanted, bool]:
        """With one more condition, and whether the store will see to all of it."""
        path = getattr(asked, "attribute", ())
        value = getattr(asked, "value", None)
        if path in (("run",), ("type",)) and isinstance(asked, EqualTo | In) and value is not None:
            values = frozenset([value] if isinstance(asked, EqualTo) else value)
            if path == ("run",):
                return replace(self, runs=values if self.runs is None else self.runs & values), True
            return replace(self, types=values if self.types is None else self.types & values), True
        if path not in (("seq",), ("at_ms",)) or not isinstance(value, int):
            return self, False
        low, high = _bounds(asked, value)
        if low is None and high is None:
            return self, False
        if path == ("at_ms",):  # a store reads up to an instant; from one on, Spark looks again
            return replace(self, until_ms=_least(self.until_ms, high)), low is None
        first = low if self.first is None or (low is not None and low > self.first) else self.first
        return replace(self, first=first, last=_least(self.last, high)), True


def _bounds(asked: Filter, value: int) -> tuple[int | None, int | None]:
    """The first and the last number that a comparison lets through; None where it sets no bound."""
    match asked:
        case EqualTo():
            return value, value
        case GreaterThan():
            return value + 1, None
        case GreaterThanOrEqual():
            return value, None
        case LessThan():
            return None, value - 1
        case LessThanOrEqual():
            return None, value
    return None, None


def _least(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else min(a, b)


@dataclass(frozen=True)
class Place:
    """A store as every executor can open it, the run asked for, and facts per partition."""

    store: str
    run: str | None
    rows: int

    def infos(self) -> list[RunInfo]:
        """The runs to read, oldest first. Raises StoreError, UnknownRun."""
        with closing(open_store(self.store, create=False)) as store:
            return store.runs() if self.run is None else [store.find(self.run)]

    def parts(self, run: str, start: int, stop: int) -> Iterator[Part]:
        """The run's facts in this range, in pieces."""
        for first in range(start, stop, self.rows):
            yield Part(run, first, min(stop, first + self.rows))

    def read(self, part: Part, names: Sequence[str], wanted: Wanted) -> Iterator[pa.RecordBatch]:
        """The rows of a part as Arrow batches of these columns."""
        schema = pa.schema([_FACTS.field(name) for name in names])
        known = None if wanted.types is None else sorted(wanted.types & CATALOGUE.keys())
        with closing(open_store(self.store, create=False)) as store:
            rows = store.rows(part.run, start=part.start, stop=part.stop, types=known, until_ms=wanted.until_ms)
            while batch := list(islice(rows, _BATCH)):
                yield _arrow(part.run, batch, names, schema)


def _arrow(run: str, rows: list[Row], names: Sequence[str], schema: pa.Schema) -> pa.RecordBatch:
    columns: dict[str, Any] = dict(zip(COLUMNS, zip(*rows, strict=True), strict=True))
    columns["run"] = [run] * len(rows)
    return pa.record_batch([pa.array(columns[name], schema.field(name).type) for name in names], schema=schema)


class GroupSimSource(DataSource):
    """The source by the name of `groupsim`."""

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
            raise PipelineError('format("groupsim") needs option("store", path or URL) of a store that others can open')
        rows = self.options.get("rows", str(ROWS))
        if not rows.isdecimal() or int(rows) < 1:
            raise PipelineError(f'option("rows", {rows!r}): a whole number of facts, at least 1, is expected')
        where = store if "://" in store else str(Path(store).resolve())
        return Place(where, self.options.get("run"), int(rows))


def _columns(schema: StructType) -> list[str]:
    for field in schema:
        if field not in FACTS:
            known = ", ".join(f"{f.name} {f.dataType.simpleString()}" for f in FACTS)
            told = f"{field.name} {field.dataType.simpleString()}"
            raise PipelineError(f'format("groupsim") has no column {told}; it has {known}')
    return list(schema.names)


class StoreReader(DataSourceReader):
    """A batch read: one partition per run and range of facts."""

    def __init__(self, place: Place, names: Sequence[str]) -> None:
        self.place, self.names, self.wanted = place, names, Wanted()

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        for asked in filters:
            self.wanted, seen_to = self.wanted.narrowed(asked)
            if not seen_to:
                yield asked

    def partitions(self) -> Sequence[InputPartition]:
        wanted = self.wanted
        if wanted.types is not None and wanted.types.isdisjoint(CATALOGUE):
            return [Part("", 0, 0)]  # Spark takes an empty list for one partition of its own
        parts = [
            part
            for info in self.place.infos()
            if wanted.runs is None or info.id in wanted.runs
            for part in self.place.parts(
                info.id, wanted.first or 0, info.facts if wanted.last is None else min(info.facts, wanted.last + 1)
            )
        ]
        return parts or [Part("", 0, 0)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, Part)
        return self.place.read(partition, self.names, self.wanted) if partition.run else iter(())


class StoreStream(DataSourceStreamReader):
    """A stream that tails a store: an offset is `{run: facts read}`. Runs come in their order, facts in theirs."""

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
        return self.place.read(partition, self.names, Wanted())
