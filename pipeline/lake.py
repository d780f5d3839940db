"""The tables of a lake: read from the cache of a sweep by Spark alone, or else computed from the facts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from groupsim.pipeline import transforms
from groupsim.pipeline.source import facts, recorded_summaries, runs_in
from groupsim.pipeline.table_cache import cached_runs, folder_of
from groupsim.pipeline.table_definitions import AVAILABILITY, OWNED, REBALANCE, Table


def availability(spark: SparkSession, directory: str | Path) -> DataFrame:
    """Every partition's intervals in every run (pipeline.schemas.INTERVALS). Raises PipelineError: no lake.

    Of recorded runs, what is in doubt is UNKNOWN where the total is unknown, as in `groupsim unavailable`.
    """
    compute = partial(transforms.availability, recorded=recorded_summaries(directory))
    return _of(spark, Path(directory), AVAILABILITY, compute)


def support(spark: SparkSession, directory: str | Path) -> DataFrame:
    """What the unavailable time of each recorded run rests on (pipeline.schemas.SUPPORT).

    Known share and bounds, and why the total is unknown, as the local tables have them. Raises PipelineError: no lake.
    """
    return transforms.support(facts(spark, directory), recorded_summaries(directory))


def rebalances(spark: SparkSession, directory: str | Path) -> DataFrame:
    """Every rebalance of every run (pipeline.schemas.REBALANCES). Raises PipelineError: no lake."""
    return _of(spark, Path(directory), REBALANCE, transforms.rebalances)


def ownership(spark: SparkSession, directory: str | Path) -> DataFrame:
    """The owners of partitions over time, in every run (pipeline.schemas.OWNERSHIP). Raises PipelineError: no lake."""
    return _of(spark, Path(directory), OWNED, transforms.ownership)


def _of(spark: SparkSession, directory: Path, table: Table, compute: Callable[[DataFrame], DataFrame]) -> DataFrame:
    runs, cached = runs_in(directory), cached_runs(directory, table)
    missing = runs - cached
    if missing == runs:
        return compute(facts(spark, directory))
    rows = spark.read.schema(table.schema).parquet(str(folder_of(directory, table).resolve()))
    if cached - runs:  # tables of runs that are not committed, or were deleted
        rows = rows.where(F.col("run").isin(sorted(runs)))
    if missing:
        rows = rows.unionByName(compute(facts(spark, directory).where(F.col("run").isin(sorted(missing)))))
    return rows
