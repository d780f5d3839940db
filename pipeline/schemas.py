"""The columns of every table, for Arrow and Spark; in a lake, `run` is in the names of the folders."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import (
    BooleanType,
    DoubleType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
)

FACTS = StructType(
    [
        StructField("run", StringType()),
        StructField("seq", LongType()),
        StructField("at_ms", LongType()),
        StructField("stream", StringType()),
        StructField("version", LongType()),
        StructField("type", StringType()),
        StructField("schema", IntegerType()),
        StructField("body", StringType()),
        StructField("source", StringType()),
    ]
)
"""One row per fact, as in the store: `at_ms` in simulated ms, `body` the JSON text of storage.codec."""

LAKE = pa.schema(
    [
        pa.field("seq", pa.int64(), nullable=False),
        pa.field("at_ms", pa.int64(), nullable=False),
        pa.field("stream", pa.string(), nullable=False),
        pa.field("version", pa.int64(), nullable=False),
        pa.field("type", pa.string(), nullable=False),
        pa.field("schema", pa.int32(), nullable=False),
        pa.field("body", pa.string(), nullable=False),
        pa.field("source", pa.string()),
    ]
)
"""What a Parquet file of one run holds: the columns of a storage.codec.Row."""

INTERVALS = StructType(
    [
        StructField("run", StringType()),
        StructField("group", StringType()),
        StructField("topic", StringType()),
        StructField("partition", IntegerType()),
        StructField("label", StringType()),
        StructField("sub_label", StringType()),
        StructField("member", StringType()),
        StructField("cause", StringType()),
        StructField("unavailable", BooleanType()),
        StructField("from_ms", LongType()),
        StructField("to_ms", LongType()),
    ]
)
"""One row per interval of one partition in one condition; see analysis.availability.labels.Interval."""

UNAVAILABLE_BY_LABEL = StructType(
    [
        StructField("run", StringType()),
        StructField("label", StringType()),
        StructField("partition_ms", LongType()),
    ]
)
"""Unavailable time per run and label: partitions times milliseconds."""

SUPPORT = StructType(
    [
        StructField("run", StringType()),
        StructField("known_share", DoubleType()),
        StructField("at_least_partition_ms", LongType()),
        StructField("at_most_partition_ms", LongType()),
        StructField("inexact", BooleanType()),
        StructField("unknown", StringType()),
    ]
)
"""One row per recorded run: what its unavailable time rests on; see analysis.tables.support.Support."""

REBALANCES = StructType(
    [
        StructField("run", StringType()),
        StructField("group", StringType()),
        StructField("generation", LongType()),
        StructField("cause", StringType()),
        StructField("started_ms", LongType()),
        StructField("ended_ms", LongType()),
        StructField("duration_ms", LongType()),
        StructField("members", LongType()),
        StructField("moved", LongType()),
        StructField("revoked", LongType()),
        StructField("rounds", LongType()),
        StructField("slowest_member", StringType()),
    ]
)
"""One row per rebalance; see analysis.timelines.rebalance.Rebalance."""

OWNERSHIP = StructType(
    [
        StructField("run", StringType()),
        StructField("group", StringType()),
        StructField("topic", StringType()),
        StructField("partition", IntegerType()),
        StructField("perspective", StringType()),
        StructField("member", StringType()),
        StructField("from_ms", LongType()),
        StructField("to_ms", LongType()),
        StructField("duration_ms", LongType()),
    ]
)
"""One row per interval in which one member had one partition; see analysis.tables.ownership.OWNERSHIP."""

MOVES = StructType(
    [
        StructField("run", StringType()),
        StructField("group", StringType()),
        StructField("topic", StringType()),
        StructField("partition", IntegerType()),
        StructField("at_ms", LongType()),
        StructField("from", StringType()),
        StructField("to", StringType()),
        StructField("without_owner_ms", LongType()),
    ]
)
"""One row per change of the assigned member of a partition, and how long no member had it in between (negative if two
members had it at the same time)."""

WINDOWS = StructType(
    [
        StructField("run", StringType()),
        StructField("kind", StringType()),
        StructField("group", StringType()),
        StructField("topic", StringType()),
        StructField("partition", IntegerType()),
        StructField("member", StringType()),
        StructField("from_ms", LongType()),
        StructField("to_ms", LongType()),
        StructField("duration_ms", LongType()),
    ]
)
"""One row per interval with a risk of repeated work. `kind`: `zombie`, only a process that may not commit served the
partition; `unsafe`, two that both may; `double`, two of which one or none may. `member`: the one that may commit."""

LAG = StructType(
    [
        StructField("run", StringType()),
        StructField("at_ms", LongType()),
        StructField("group", StringType()),
        StructField("topic", StringType()),
        StructField("partition", IntegerType()),
        StructField("committed", LongType()),
        StructField("produced", LongType()),
        StructField("lag", LongType()),
    ]
)
"""How many records each partition is behind at each time; see analysis.tables.commits.LAG."""

POINTS = StructType(
    [
        StructField("run", StringType()),
        StructField("seed", LongType()),
        StructField("settings", MapType(StringType(), StringType())),
    ]
)
"""One row per point of a sweep: pipeline.grid.Point."""

SUMMARY = StructType(
    [
        StructField("run", StringType()),
        StructField("scenario", StringType()),
        StructField("seed", LongType()),
        StructField("choice", StringType()),
        StructField("params", MapType(StringType(), StringType())),
        StructField("status", StringType()),
        StructField("error", StringType()),
        StructField("digest", StringType()),
        StructField("facts", LongType()),
        StructField("simulated_ms", LongType()),
        StructField("partition_ms", LongType()),
        StructField("starting_ms", LongType()),
        StructField("by_label", MapType(StringType(), LongType())),
        StructField("outage_ms", LongType()),
        StructField("longest_partition_ms", LongType()),
        StructField("max_partitions", LongType()),
        StructField("after_start_outage_ms", LongType()),
        StructField("after_start_longest_partition_ms", LongType()),
        StructField("after_start_max_partitions", LongType()),
        StructField("share", DoubleType()),
        StructField("rebalances", LongType()),
        StructField("commits_accepted", LongType()),
        StructField("commits_refused", LongType()),
        StructField("unsafe_ms", LongType()),
        StructField("reprocessed_records", LongType()),
        StructField("worst_partition_ms", LongType()),
        StructField("detection_ms", LongType()),
        StructField("lag_peak", LongType()),
        StructField("lag_end", LongType()),
        StructField("drain_ms", LongType()),
        StructField("violations", LongType()),
        StructField("violation", StringType()),
    ]
)
"""One row per run of a sweep. `choice` is `params` in one line; `status` is `finished`, or `failed` with its `error`.

Numbers are those of `groupsim run --format json`: unavailable partition-milliseconds (`starting_ms` of them during
initial start-up; `by_label` without zeros), partitions at once, and so on, and the others of
analysis.tables.measures.MEASURES; null if the run failed. `violations` counts broken invariants, `violation` describes
the first.
"""
SUMMARY_ARROW = to_arrow_schema(SUMMARY)
