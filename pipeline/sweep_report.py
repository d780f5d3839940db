"""The best choices of a sweep, and how certain that is: medians and 95th percentiles with bootstrap intervals.

The bootstrap draws seeds, not runs: each draw has the same seeds for every choice, so that choices are compared under
equal conditions. Draws are hashes of their number: the same sweep gives the same intervals on any cluster.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from groupsim.analysis.tables.amounts import about
from groupsim.analysis.tables.measures import AFTER_START, MEASURES
from groupsim.pipeline.errors import PipelineError
from groupsim.pipeline.grid import read_manifest
from groupsim.pipeline.schemas import SUMMARY, SUMMARY_ARROW
from groupsim.pipeline.source import SUMMARY_FOLDER
from groupsim.wording.lists import either

RESAMPLES = 1_000
_NAMED = 3
"""So many choices that are as good are named."""
CONFIDENCE = 0.95
CHOICE = (
    "choice",
    "params",
    "runs",
    "failed",
    "broken",
    "distinct",
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
"""The columns for a choice, in the unit of the measure (partition-ms by default), over the finished seeds.

`_low` and `_high` are the bounds of 95 % bootstrap intervals. `worse_*`: how much worse it is than the best choice
under the same seed, in the median; `as_good`: this interval includes 0. `rebalances`: the median. `mostly`: the label
with most of the unavailable time. `distinct`: how many different values the seeds gave.
"""


@dataclass(frozen=True, slots=True)
class Report:
    """A sweep in numbers: `choices` are dicts of `CHOICE`, best first; `values` one row per
    key and value of the grid; `best` are the choices that can't be distinguished from the first."""

    scenario: str
    measure: str
    runs: int
    failed: int
    broken: int
    choices: list[dict[str, Any]]
    values: list[dict[str, Any]]

    @property
    def alike(self) -> int:
        """How many seeds gave the same value, for every choice; 0 if some seeds differ, or there is one only."""
        finished = [row["runs"] - row["failed"] for row in self.choices if row["median"] is not None]
        return min(finished) if min(finished) > 1 and all((row["distinct"] or 1) == 1 for row in self.choices) else 0

    @property
    def best(self) -> list[str]:
        return [row["choice"] for row in self.choices if row["as_good"]]

    @property
    def answer(self) -> str:
        """The best choices, and the next one that is not as good."""
        named = [name or "the default settings" for name in self.best]
        names = either(named if len(named) <= _NAMED else [*named[: _NAMED - 1], "others that are as good"])
        behind = next((row for row in self.choices if not row["as_good"] and row["median"] is not None), None)
        amount = about(self.measure, self.choices[0]["median"], None if behind is None else behind["median"])
        beside = "" if behind is None else f"; next is {behind['choice'] or 'the default settings'}"
        return f"Best: {names} with {amount} in the median{beside}."


def summaries(spark: SparkSession, directory: str | Path) -> DataFrame:
    """The summary rows of committed runs, pipeline.schemas.SUMMARY. Raises PipelineError if there are none."""
    read_manifest(Path(directory))
    committed = rows(Path(directory))
    if not committed.num_rows:
        raise PipelineError(f"no run of the sweep in {directory} is finished yet")
    return spark.createDataFrame(committed, SUMMARY)


def rows(directory: Path) -> pa.Table:
    """The same as an Arrow table, read by Arrow: for thousands of files of one row each Spark needs many tasks."""
    files = sorted(str(file) for file in (directory / SUMMARY_FOLDER).glob("*.parquet"))
    return ds.dataset(files, SUMMARY_ARROW, format="parquet").to_table().sort_by("run")


def report(summary: DataFrame, measure: str = "partition_ms", resamples: int = RESAMPLES) -> Report:
    """Compare the choices among summary rows by a measure. Raises PipelineError if no run finished."""
    if measure not in MEASURES:
        raise PipelineError(f"--measure must be one of {', '.join(MEASURES)}, not {measure!r}")
    summary = summary.cache()
    try:
        ranked = choices(summary, measure, resamples)
        effects = [row.asDict() for row in values(summary, measure).collect()]
        (name,) = summary.select("scenario").first() or ("",)
    finally:
        summary.unpersist()
    total = {key: sum(row[key] for row in ranked) for key in ("runs", "failed", "broken")}
    if all(row["median"] is None for row in ranked):
        if total["runs"] > total["failed"]:
            raise PipelineError(f"the runs of this sweep have no {measure}: an earlier version made them")
        raise PipelineError("no run of this sweep finished; the summary rows have their errors")
    return Report(name, measure, total["runs"], total["failed"], total["broken"], ranked, effects)


def choices(summary: DataFrame, measure: str = "partition_ms", resamples: int = RESAMPLES) -> list[dict[str, Any]]:
    """Summary rows to one row a choice, `CHOICE`, best first; a choice without a finished run comes last."""
    measured = summary.select("*", _measure(measure).alias("value"))
    rest = dict.fromkeys(CHOICE)
    by_choice = {row["choice"]: {**rest, **row.asDict()} for row in _stats(measured).collect()}
    ordered = sorted(by_choice.values(), key=_rank)
    for row in _intervals(_paired(measured, ordered[0]["choice"]), resamples).collect():
        by_choice[row["choice"]] |= row.asDict()
    for row in _mostly(summary).collect():
        by_choice[row["choice"]]["mostly"] = row["mostly"]
    for choice in ordered:
        choice["as_good"] = choice["worse_low"] is not None and choice["worse_low"] <= 0
    return ordered


def _rank(row: dict[str, Any]) -> tuple[bool, float, float, str]:
    return row["median"] is None, row["median"] or 0.0, row["p95"] or 0.0, row["choice"]


def _stats(measured: DataFrame) -> DataFrame:
    return measured.groupBy("choice").agg(
        F.first("params").alias("params"),
        F.count("*").alias("runs"),
        F.count("error").alias("failed"),
        F.count(F.when(F.col("violations") > 0, 1)).alias("broken"),
        F.count_distinct("value").alias("distinct"),
        F.percentile("value", F.lit(0.5)).alias("median"),
        F.percentile("value", F.lit(0.95)).alias("p95"),
        F.percentile(F.when(F.col("error").isNull(), F.col("rebalances")), F.lit(0.5)).alias("rebalances"),
    )


def values(summary: DataFrame, measure: str = "partition_ms") -> DataFrame:
    """Summary rows to one row per key and value of the grid: `key, value, runs, median, p95` over all the others."""
    measured = summary.where(F.col("error").isNull()).select(
        F.explode("params").alias("key", "value"), _measure(measure)
    )
    return (
        measured.toDF("key", "value", "measured")
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


def _paired(measured: DataFrame, best: str) -> DataFrame:
    """Per choice `drawn`, its values by seed, and `paired`, their differences to those of the best choice."""
    samples = measured.where(F.col("value").isNotNull()).select("choice", "seed", "value")
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
    """As many values as there are, drawn with replacement and sorted; a hash of position and draw selects them."""
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
    """A quantile of a sorted array, interpolated as `percentile` does."""
    place = (F.size(name) - 1) * F.lit(share)
    below = F.element_at(name, (F.floor(place) + 1).cast("int"))
    above = F.element_at(name, (F.ceil(place) + 1).cast("int"))
    return F.when(F.col(name).isNotNull(), below + (above - below) * (place - F.floor(place)))


def _mostly(summary: DataFrame) -> DataFrame:
    """`choice, mostly`: the label with most of the unavailable time."""
    labels = summary.where(F.col("error").isNull()).select("choice", F.explode("by_label").alias("label", "ms"))
    sums = labels.groupBy("choice", "label").agg(F.sum("ms").alias("ms"))
    return sums.groupBy("choice").agg(F.max_by("label", F.struct("ms", "label")).alias("mostly"))
