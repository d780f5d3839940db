"""The lake, read back into Spark."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_
from pathlib import Path
from urllib.parse import unquote

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from groupsim.events.types import RunId
from groupsim.pipeline.errors import PipelineError
from groupsim.pipeline.schemas import FACTS

FACTS_FOLDER, SUMMARY_FOLDER, UNFINISHED_FOLDER = "facts", "summary", "_unfinished"
"""What a sweep's folder holds: a lake, a row a run that commits it, and what is being written."""


def facts(spark: SparkSession, directory: str | Path) -> DataFrame:
    """All facts of the runs exported to `directory`, columns as in pipeline.schemas.FACTS, in no particular order.

    Of a sweep's folder: the facts of its committed runs. A filter on `run` reads that run's folder only. Raises
    PipelineError if there is no lake.
    """
    place = Path(directory)
    lake = _lake(place)
    # The schema is stated, never inferred: a lake of runs 007 and 008 must not become 7 and 8.
    found = spark.read.schema(FACTS).parquet(str(lake.resolve())).select(*FACTS.names)
    if lake == place:
        return found
    committed = spark.createDataFrame([(run,) for run in sorted(finished(place))], "run string")
    return found.join(F.broadcast(committed), "run", "left_semi").select(*FACTS.names)


def runs_in(directory: str | Path) -> set[RunId]:
    """The runs that `facts` gives facts of. Raises PipelineError if there is no lake."""
    place = Path(directory)
    lake = _lake(place)
    told = {unquote(file.parent.name.removeprefix("run=")) for file in lake.glob("run=*/*.parquet")}
    return told if lake == place else told & finished(place)


def _lake(place: Path) -> Path:
    lake = place / FACTS_FOLDER if (place / FACTS_FOLDER).is_dir() else place
    if not lake.is_dir() or not any(lake.glob("run=*/*.parquet")):
        raise PipelineError(
            f"{place} holds no exported runs (run=<id>/*.parquet); `groupsim export RUN --to` or `groupsim sweep --to` "
            "makes them"
        )
    return lake


def finished(directory: Path) -> set[RunId]:
    """The runs that are committed in a sweep's folder."""
    return {file.stem for file in (directory / SUMMARY_FOLDER).glob("*.parquet")}


def of_types(types: Iterable[str]) -> Column:
    """Facts of these types. Not `isin`: of that, Parquet compares its pages with the first and the last name only."""
    return reduce(or_, (F.col("type") == name for name in sorted(types)))
