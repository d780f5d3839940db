"""The lake, read back into Spark."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from pipeline.errors import PipelineError
from pipeline.schemas import FACTS


def facts(spark: SparkSession, directory: str | Path) -> DataFrame:
    """All facts of the runs exported to `directory`, columns as in pipeline.schemas.FACTS, in no particular order.

    A filter on `run` reads that run's folder only. Raises PipelineError if there is no lake.
    """
    place = Path(directory)
    if not place.is_dir() or not any(place.glob("run=*/*.parquet")):
        raise PipelineError(
            f"{place} holds no exported runs (run=<id>/*.parquet); `groupsim export RUN --to` makes them"
        )
    # The schema is stated, never inferred: a lake of runs 007 and 008 must not become 7 and 8.
    return spark.read.schema(FACTS).parquet(str(place)).select(*FACTS.names)
