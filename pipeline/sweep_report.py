"""Which choice of a sweep is best, and how sure that is: medians and 95th percentiles with bootstrap intervals.

The bootstrap draws seeds, not runs: one draw is the same seeds for every choice, so that choices are compared under
equal circumstances. Draws are a hash of their number; the same sweep gives the same intervals on any cluster.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from pipeline.errors import PipelineError
from pipeline.grid import read_manifest
from pipeline.played import SUMMARY_FOLDER
from pipeline.schemas import CHOICES, SUMMARY

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


@dataclass(frozen=True, slots=True)
class Report:
    """A sweep in numbers: `choices` are rows of pipeline.schemas.CHOICES as dicts, best first; `values` one row per
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
    folder = Path(directory) / SUMMARY_FOLDER
    read_manifest(Path(directory))
    if not any(folder.glob("*.parquet")):
        raise PipelineError(f"no run of the sweep in {directory} is finished yet")
    return spark.read.schema(SUMMARY).parquet(str(folder.resolve())).select(*SUMMARY.names)


def report(found: DataFrame, measure: str = "partition_ms", resamples: int = RESAMPLES) -> Report:
    """Judge the choices among summary rows by a measure. Raises PipelineError if no run finished."""
    if measure not in MEASURES:
        raise PipelineError(f"--measure {measure!r} is none of {', '.join(MEASURES)}")
    found = found.cache()
    try:
        counts = found.agg(
            F.first("scenario").alias("scenario"),
            F.count("*").alias("runs"),
            F.count("error").alias("failed"),
            F.sum((F.col("violations") > 0).cast("int")).alias("broken"),
        ).collect()[0]
        rows = [row.asDict() for row in choices(found, measure, resamples).collect()]
        effects = [row.asDict() for row in values(found, measure).collect()]
    finally:
        found.unpersist()
    if all(row["median"] is None for row in rows):
        raise PipelineError("no run of this sweep finished; the summary rows have their errors")
    return Report(counts["scenario"], measure, counts["runs"], counts["failed"], counts["broken"] or 0, rows, effects)


def choices(found: DataFrame, measure: str = "partition_ms", resamples: int = RESAMPLES) -> DataFrame:
    """Summary rows to one row a choice, pipeline.schemas.CHOICES, best first (choices without a finished run last)."""
    told = found.select("*", _measure(measure).alias("value"))
    stats = told.groupBy("choice").agg(
        F.first("params").alias("params"),
        F.count("*").alias("runs"),
        F.count("error").alias("failed"),
        F.percentile("value", F.lit(0.5)).alias("median"),
        F.percentile("value", F.lit(0.95)).alias("p95"),
        F.percentile(F.when(F.col("error").isNull(), F.col("rebalances")), F.lit(0.5)).alias("rebalances"),
    )
    samples = _samples(told).join(F.broadcast(_best(told, stats)), "seed", "left")
    by_seed = samples.groupBy("choice").agg(
        F.array_sort(F.collect_list(F.struct("seed", "value"))).alias("drawn"),
        F.array_sort(
            F.collect_list(
                F.when(F.col("best").isNotNull(), F.struct("seed", (F.col("value") - F.col("best")).alias("value")))
            )
        ).alias("paired"),
    )
    ordered = stats.join(_intervals(by_seed, resamples), "choice", "left").join(_mostly(found), "choice", "left")
    return (
        ordered.withColumn("as_good", F.coalesce(F.col("worse_low") <= 0, F.lit(False)))
        .orderBy(F.col("median").asc_nulls_last(), "p95", "choice")
        .select(*(F.col(field.name).cast(field.dataType) for field in CHOICES))
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


def _samples(told: DataFrame) -> DataFrame:
    return told.where(F.col("value").isNotNull()).select("choice", "seed", "value")


def _best(told: DataFrame, stats: DataFrame) -> DataFrame:
    """`seed, best`: what the best choice did under each seed."""
    first = stats.where(F.col("median").isNotNull()).orderBy("median", "p95", "choice").limit(1).select("choice")
    return _samples(told).join(F.broadcast(first), "choice").select("seed", F.col("value").alias("best"))


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
        F.array_sort(
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
