"""Which choice of a sweep is best, and how sure that is: medians and 95th percentiles with bootstrap intervals.

The bootstrap draws seeds, not runs: one draw is the same seeds for every choice, so that choices are compared under
equal circumstances. Draws are a hash of their number; the same sweep gives the same intervals on any cluster.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from groupsim.pipeline.errors import PipelineError
from groupsim.pipeline.grid import read_manifest
from groupsim.pipeline.schemas import SUMMARY, SUMMARY_ARROW
from groupsim.pipeline.source import SUMMARY_FOLDER

RESAMPLES = 1_000
CONFIDENCE = 0.95
AFTER_START = "after_start_ms"
MEASURES = (
    "partition_ms",
    AFTER_START,
    "max_partitions",
    "rebalances",
    "unsafe_ms",
    "reprocessed_records",
    "commits_refused",
)
"""What choices can be judged by; less is better in all. `after_start_ms` leaves out the groups' founding."""

CHOICE = (
    "choice",
    "params",
    "runs",
    "failed",
    "broken",
    "median",
    "median_low",
    "median_high",
    "p95",
    "p95_low",
    "p95_high",
    "worse_low",
    "worse_high",
    "as_good",
    "rebalances",
    "mostly",
)
"""What is told of a choice, in the unit of the measure (partition-ms by default), over the seeds that finished.

`_low` and `_high` bound 95 % of the bootstrap's draws. `worse_*`: by how much it is worse than the best choice under
the same seed, in the median; `as_good` where that can be nothing. `rebalances`: the median. `mostly`: the label that
most of the time has.
"""


@dataclass(frozen=True, slots=True)
class Report:
    """A sweep in numbers: `choices` are dicts of `CHOICE`, best first; `values` one row per
    key and value of the grid; `best` are the choices that can't be told from the first."""

    scenario: str
    measure: str
    runs: int
    failed: int
    broken: int
    choices: list[dict[str, Any]]
    values: list[dict[str, Any]]

    @property
    def best(self) -> list[str]:
        return [row["choice"] for row in self.choices if row["as_good"]]


def summaries(spark: SparkSession, directory: str | Path) -> DataFrame:
    """The summary rows of a sweep, pipeline.schemas.SUMMARY: its committed runs. Raises PipelineError if none is."""
    read_manifest(Path(directory))
    found = rows(Path(directory))
    if not found.num_rows:
        raise PipelineError(f"no run of the sweep in {directory} is finished yet")
    return spark.createDataFrame(found, SUMMARY)


def rows(directory: Path) -> pa.Table:
    """The same as an Arrow table, by Arrow: thousands of files of one row each would cost Spark a task for a few."""
    files = sorted(str(file) for file in (directory / SUMMARY_FOLDER).glob("*.parquet"))
    return ds.dataset(files, SUMMARY_ARROW, format="parquet").to_table().sort_by("run")


def report(found: DataFrame, measure: str = "partition_ms", resamples: int = RESAMPLES) -> Report:
    """Judge the choices among summary rows by a measure. Raises PipelineError if no run finished."""
    if measure not in MEASURES:
        raise PipelineError(f"--measure {measure!r} is none of {', '.join(MEASURES)}")
    found = found.cache()
    try:
        told = choices(found, measure, resamples)
        effects = [row.asDict() for row in values(found, measure).collect()]
        (name,) = found.select("scenario").first() or ("",)
    finally:
        found.unpersist()
    if all(row["median"] is None for row in told):
        raise PipelineError("no run of this sweep finished; the summary rows have their errors")
    total = {key: sum(row[key] for row in told) for key in ("runs", "failed", "broken")}
    return Report(name, measure, total["runs"], total["failed"], total["broken"], told, effects)


def choices(found: DataFrame, measure: str = "partition_ms", resamples: int = RESAMPLES) -> list[dict[str, Any]]:
    """Summary rows to one row a choice, `CHOICE`, best first; a choice of which no run finished comes last."""
    told = found.select("*", _measure(measure).alias("value"))
    rest = dict.fromkeys(CHOICE)
    by_choice = {row["choice"]: {**rest, **row.asDict()} for row in _stats(told).collect()}
    ordered = sorted(by_choice.values(), key=_rank)
    for row in _intervals(_paired(told, ordered[0]["choice"]), resamples).collect():
        by_choice[row["choice"]] |= row.asDict()
    for row in _mostly(found).collect():
        by_choice[row["choice"]]["mostly"] = row["mostly"]
    for told_of in ordered:
        told_of["as_good"] = told_of["worse_low"] is not None and told_of["worse_low"] <= 0
    return ordered


def _rank(row: dict[str, Any]) -> tuple[bool, float, float, str]:
    return row["median"] is None, row["median"] or 0.0, row["p95"] or 0.0, row["choice"]


def _stats(told: DataFrame) -> DataFrame:
    return told.groupBy("choice").agg(
        F.first("params").alias("params"),
        F.count("*").alias("runs"),
        F.count("error").alias("failed"),
        F.count(F.when(F.col("violations") > 0, 1)).alias("broken"),
        F.percentile("value", F.lit(0.5)).alias("median"),
        F.percentile("value", F.lit(0.95)).alias("p95"),
        F.percentile(F.when(F.col("error").isNull(), F.col("rebalances")), F.lit(0.5)).alias("rebalances"),
    )


def values(found: DataFrame, measure: str = "partition_ms") -> DataFrame:
    """Summary rows to one row per key and value of the grid: `key, value, runs, median, p95` over all the others."""
    told = found.where(F.col("error").isNull()).select(F.explode("params").alias("key", "value"), _measure(measure))
    return (
        told.toDF("key", "value", "measured")
        .groupBy("key", "value")
        .agg(
            F.count("*").alias("runs"),
            F.percentile("measured", F.lit(0.5)).alias("median"),
            F.percentile("measured", F.lit(0.95)).alias("p95"),
        )
        .orderBy("key", "median", "value")
    )


def _measure(name: str) -> Column:
    """The measure of a finished run, null of a failed one."""
    value = F.col("partition_ms") - F.col("starting_ms") if name == AFTER_START else F.col(name)
    return F.when(F.col("error").isNull(), value.cast("double"))


def _paired(told: DataFrame, best: str) -> DataFrame:
    """Per choice `drawn`, its values by seed, and `paired`, by how much each is above that of the best choice."""
    samples = told.where(F.col("value").isNotNull()).select("choice", "seed", "value")
    against = samples.where(F.col("choice") == best).select("seed", F.col("value").alias("best"))
    both = samples.join(F.broadcast(against), "seed", "left").withColumn("more", F.col("value") - F.col("best"))
    known = F.when(F.col("more").isNotNull(), F.struct("seed", F.col("more").alias("value")))
    return both.groupBy("choice").agg(
        F.array_sort(F.collect_list(F.struct("seed", "value"))).alias("drawn"),
        F.array_sort(F.collect_list(known)).alias("paired"),
    )


def _intervals(by_seed: DataFrame, resamples: int) -> DataFrame:
    """The bounds of median, p95 and of the median difference to the best choice, over bootstrap draws."""
    drawn = by_seed.crossJoin(by_seed.sparkSession.range(resamples).withColumnRenamed("id", "draw"))
    drawn = drawn.select("choice", _resampled("drawn").alias("drawn"), _resampled("paired").alias("paired")).select(
        "choice",
        _quantile("drawn", 0.5).alias("median"),
        _quantile("drawn", 0.95).alias("p95"),
        _quantile("paired", 0.5).alias("worse"),
    )
    low, high = (1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2
    return drawn.groupBy("choice").agg(
        *(
            F.percentile(name, F.lit(share)).alias(f"{name}_{end}")
            for name in ("median", "p95", "worse")
            for end, share in (("low", low), ("high", high))
        )
    )


def _resampled(name: str) -> Column:
    """As many values as there are, drawn with replacement and sorted; position and draw decide which."""
    size = F.size(name)
    return F.when(
        size > 0,
        F.sort_array(
            F.transform(
                F.sequence(F.lit(0), size - 1),
                lambda i: F.element_at(F.col(name), (F.pmod(F.xxhash64("draw", i), size) + 1).cast("int"))["value"],
            )
        ),
    )


def _quantile(name: str, share: float) -> Column:
    """Of a sorted array, between neighbours by proportion, as `percentile` does."""
    place = (F.size(name) - 1) * F.lit(share)
    below = F.element_at(name, (F.floor(place) + 1).cast("int"))
    above = F.element_at(name, (F.ceil(place) + 1).cast("int"))
    return F.when(F.col(name).isNotNull(), below + (above - below) * (place - F.floor(place)))


def _mostly(found: DataFrame) -> DataFrame:
    """`choice, mostly`: the label that most of the unavailable time has."""
    labels = found.where(F.col("error").isNull()).select("choice", F.explode("by_label").alias("label", "ms"))
    sums = labels.groupBy("choice", "label").agg(F.sum("ms").alias("ms"))
    return sums.groupBy("choice").agg(F.max_by("label", F.struct("ms", "label")).alias("mostly"))
