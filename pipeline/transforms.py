"""Facts to tables, and tables to numbers, for any number of runs at once. Every transform selects its columns at its
beginning and end: `facts.transform(availability).transform(unavailable_by_label)`.

Spark selects, counts, orders and joins. What availability and a rebalance are is defined only in `analysis`: its
functions are called run by run on the executors (ADR 0011), with the facts of a run that they read, which must fit into
the memory of a worker. A sweep stores their results, which `pipeline.lake` reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import repeat
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.availability.labels import Interval, Label, SubLabel
from groupsim.analysis.tables.bounds import Supported
from groupsim.analysis.tables.ownership import Perspective
from groupsim.events.base import WORLD_STREAM, Recorded
from groupsim.events.catalogue import STATE_CHANGING
from groupsim.events.types import RunId
from groupsim.events.world import RunEnded
from groupsim.pipeline.lag import lag_at_instants
from groupsim.pipeline.schemas import FACTS, INTERVALS, LAG, MOVES, OWNERSHIP, SUPPORT, UNAVAILABLE_BY_LABEL, WINDOWS
from groupsim.pipeline.source import of_types
from groupsim.pipeline.table_definitions import AVAILABILITY, OWNED, REBALANCE, Table, as_arrow
from groupsim.storage.codec import COLUMNS, recorded
from groupsim.storage.rare_collections import rare_collections

Summaries = Mapping[RunId, Mapping[str, Any]]


def availability(facts: DataFrame, recorded: Summaries = {}) -> DataFrame:  # noqa: B006
    """Facts to intervals (pipeline.schemas.INTERVALS), available ones included.

    `recorded`: the stored summaries of recorded runs (`pipeline.source.recorded_summaries`). Of these, what the logs
    leave in doubt is UNKNOWN as in `groupsim unavailable`; without a summary the labels count as they are.
    """
    return _by_run(facts, replace(AVAILABILITY, rows=partial(_supported, recorded)) if recorded else AVAILABILITY)


def support(facts: DataFrame, recorded: Summaries) -> DataFrame:
    """Facts to what the unavailable time of each recorded run rests on (pipeline.schemas.SUPPORT)."""
    return _by_run(facts, Table("support", SUPPORT, AVAILABILITY.kinds, partial(_support, recorded)))


def rebalances(facts: DataFrame) -> DataFrame:
    """Facts to one row per rebalance (pipeline.schemas.REBALANCES)."""
    return _by_run(facts, REBALANCE)


def ownership(facts: DataFrame) -> DataFrame:
    """Facts to owners over time, according to the coordinator and to the processes (pipeline.schemas.OWNERSHIP)."""
    return _by_run(facts, OWNED)


def unavailable_by_label(intervals: DataFrame) -> DataFrame:
    """Intervals to `run, label, partition_ms`: unavailable partition-milliseconds, without zeros."""
    spent = F.sum(F.col("to_ms") - F.col("from_ms")).alias("partition_ms")
    totals = intervals.select(*_as(INTERVALS)).where(F.col("unavailable")).groupBy("run", "label").agg(spent)
    return totals.select(*_as(UNAVAILABLE_BY_LABEL))


def windows(intervals: DataFrame) -> DataFrame:
    """Intervals to times when a partition was served by a fenced process, or by two (pipeline.schemas.WINDOWS)."""
    label, unsafe = F.col("label"), F.col("sub_label").eqNullSafe(SubLabel.BOTH_ENTITLED.value)
    kind = F.when(unsafe, "unsafe").when(label == Label.ZOMBIE_ONLY.value, "zombie").otherwise("double")
    risky = intervals.select(*_as(INTERVALS)).where(label.isin(Label.ZOMBIE_ONLY.value, Label.DOUBLE.value))
    length = (F.col("to_ms") - F.col("from_ms")).alias("duration_ms")
    return risky.select("*", kind.alias("kind"), length).select(*_as(WINDOWS))


def moves(owned: DataFrame) -> DataFrame:
    """Ownership to one row per partition and change of the assigned member (pipeline.schemas.MOVES)."""
    partition = Window.partitionBy("run", "group", "topic", "partition").orderBy("from_ms")
    held = (
        owned.select(*_as(OWNERSHIP))
        .where(F.col("perspective") == Perspective.GRANTED.value)
        .withColumnRenamed("member", "to")
    )
    gaps = held.select(
        "run", "group", "topic", "partition", F.col("from_ms").alias("at_ms"),
        F.lag("to").over(partition).alias("from"), "to",
        (F.col("from_ms") - F.lag("to_ms").over(partition)).alias("without_owner_ms"),
    )  # fmt: skip
    return gaps.where(F.col("from") != F.col("to")).select(*_as(MOVES))


def lag(facts: DataFrame, every_ms: int = 1_000) -> DataFrame:
    """Facts to the lag of each partition, every `every_ms` (pipeline.schemas.LAG). Raises ValueError."""
    if every_ms <= 0:
        raise ValueError(f"every_ms must be positive, not {every_ms}")
    return lag_at_instants(_state_changing(facts), every_ms).select(*_as(LAG))


def _supported(recorded: Summaries, facts: list[Recorded]) -> Iterable[Interval]:
    summary = recorded.get(facts[0].run) if facts else None
    labelled = intervals(facts)
    return labelled if summary is None else Supported(summary, labelled).intervals


def _support(recorded: Summaries, facts: list[Recorded]) -> Iterator[dict[str, Any]]:
    summary = recorded.get(facts[0].run) if facts else None
    if summary is None:
        return
    rests_on = Supported(summary, intervals(facts)).support()
    yield {
        "known_share": rests_on.known_share,
        "at_least_partition_ms": rests_on.at_least_ms,
        "at_most_partition_ms": rests_on.at_most_ms,
        "inexact": rests_on.inexact,
        "unknown": rests_on.unknown,
    }


def _as(schema: StructType) -> list[Column]:
    """The columns of a schema, each with its type."""
    return [F.col(field.name).cast(field.dataType) for field in schema]


def _state_changing(facts: DataFrame) -> DataFrame:
    """Only state-changing facts: if everything is recorded, most facts are heartbeats and messages."""
    return facts.select(*_as(FACTS)).where(of_types(STATE_CHANGING))


def _by_run(facts: DataFrame, table: Table) -> DataFrame:
    """The rows of a table for each run.

    Its function gets the facts of the types it reads, and a RunEnded at the time of the last state-changing fact.
    """

    def of_run(key: tuple[pa.Scalar, ...], rows: pa.Table) -> pa.Table:
        run = key[0].as_py()
        with rare_collections():
            return as_arrow(table, run, table.rows(list(_facts(run, rows))))

    names = {kind.__name__ for kind in table.kinds}
    # Of the other facts only the last time matters. `isin`, because most facts are compared here.
    others = facts.where(F.col("type").isin(sorted(set(STATE_CHANGING) - names)))
    ends = F.broadcast(others.groupBy("run").agg(F.max("at_ms").alias("end_ms")))
    read = facts.select(*_as(FACTS)).where(of_types(names)).drop("version")
    computed = read.join(ends, "run", "left").groupBy("run").applyInArrow(of_run, table.schema)
    return computed.select(*_as(table.schema))


def _facts(run: str, table: pa.Table) -> Iterator[Recorded]:
    """The facts of one run, from rows in any order, and its end."""
    ordered = table.sort_by("seq")
    columns = {name: ordered[name].to_pylist() for name in COLUMNS if name != "version"}
    columns["version"] = [0] * ordered.num_rows  # no function reads it, so it is not transferred
    rows = zip(*(columns[name] for name in COLUMNS), strict=True)
    yield from map(recorded, repeat(run), rows)
    seq, end_ms = columns["seq"][-1] + 1, max(*columns["at_ms"], ordered["end_ms"][0].as_py() or 0)
    yield Recorded(run, seq, end_ms, WORLD_STREAM, 0, RunEnded(status="finished"))
