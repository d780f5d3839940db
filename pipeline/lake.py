"""A lake's tables: read where a sweep kept them, by Spark alone; asked of the facts where there are none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from groupsim.pipeline import transforms
from groupsim.pipeline.source import facts, runs_in
from groupsim.pipeline.tables import AVAILABILITY, OWNED, REBALANCE, Table, folder_of, kept


def availability(spark: SparkSession, directory: str | Path) -> DataFrame:
    """Every partition's intervals in every run (pipeline.schemas.INTERVALS). Raises PipelineError: no lake."""
    return _of(spark, Path(directory), AVAILABILITY, transforms.availability)


def rebalances(spark: SparkSession, directory: str | Path) -> DataFrame:
    """Every rebalance of every run (pipeline.schemas.REBALANCES). Raises PipelineError: no lake."""
    return _of(spark, Path(directory), REBALANCE, transforms.rebalances)


def ownership(spark: SparkSession, directory: str | Path) -> DataFrame:
    """Who had what when, in every run (pipeline.schemas.OWNERSHIP). Raises PipelineError: no lake."""
    return _of(spark, Path(directory), OWNED, transforms.ownership)


def _of(spark: SparkSession, directory: Path, table: Table, ask: Callable[[DataFrame], DataFrame]) -> DataFrame:
    runs, there = runs_in(directory), kept(directory, table)
    missing = runs - there
    if missing == runs:
        return ask(facts(spark, directory))
    found = spark.read.schema(table.schema).parquet(str(folder_of(directory, table).resolve()))
    if there - runs:  # of runs that are not committed, or are deleted
        found = found.where(F.col("run").isin(sorted(runs)))
    if missing:
        found = found.unionByName(ask(facts(spark, directory).where(F.col("run").isin(sorted(missing)))))
    return found
