"""Facts to numbers, for any number of runs at once. Every transform states its columns where it begins and ends."""

from __future__ import annotations

from itertools import repeat

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from analysis.availability import intervals
from events.catalogue import NOISE
from pipeline.schemas import FACTS, INTERVALS, UNAVAILABLE_BY_LABEL
from storage.codec import COLUMNS, recorded


def unavailable_by_label(facts: DataFrame) -> DataFrame:
    """Facts to `run, label, partition_ms`: unavailable partition-milliseconds, the labels that have any.

    What is unavailable is said in one place, analysis.availability; it is asked run by run on the executors, so the
    facts of one run must fit into a worker's memory. The sums are Spark's.
    """
    return (
        facts.select(*_as(FACTS))
        .transform(availability)
        .where(F.col("unavailable"))
        .groupBy("run", "label")
        .agg(F.sum(F.col("to_ms") - F.col("from_ms")).alias("partition_ms"))
        .select(*_as(UNAVAILABLE_BY_LABEL))
    )


def availability(facts: DataFrame) -> DataFrame:
    """Facts to intervals (pipeline.schemas.INTERVALS), available ones included."""
    telling = facts.select(*_as(FACTS)).where(~F.col("type").isin(*NOISE))
    by_run = telling.groupBy("run")
    return by_run.applyInArrow(_intervals_of_run, INTERVALS).select(*_as(INTERVALS))


def _as(schema: StructType) -> list[Column]:
    """The columns of a schema, each with its type."""
    return [F.col(field.name).cast(field.dataType) for field in schema]


def _intervals_of_run(key: tuple[pa.Scalar, ...], facts: pa.Table) -> pa.Table:
    """The intervals of one run, whose rows come in any order."""
    run = key[0].as_py()
    ordered = facts.sort_by("seq")
    rows = zip(*[ordered[name].to_pylist() for name in COLUMNS], strict=True)
    found = intervals(map(recorded, repeat(run), rows))
    columns = {
        "run": [run] * len(found),
        "group": [i.group for i in found],
        "topic": [i.topic for i in found],
        "partition": [i.partition for i in found],
        "label": [i.label for i in found],
        "unavailable": [i.unavailable for i in found],
        "from_ms": [i.from_ms for i in found],
        "to_ms": [i.to_ms for i in found],
    }
    return pa.table(columns, schema=_ARROW_INTERVALS)


_ARROW_INTERVALS = pa.schema(
    [
        ("run", pa.string()),
        ("group", pa.string()),
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("label", pa.string()),
        ("unavailable", pa.bool_()),
        ("from_ms", pa.int64()),
        ("to_ms", pa.int64()),
    ]
)
