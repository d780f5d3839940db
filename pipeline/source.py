"""The facts of a lake as a Spark DataFrame."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_
from pathlib import Path
from urllib.parse import unquote

import pyarrow.parquet as pq
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from groupsim.events.types import RunId
from groupsim.pipeline.errors import PipelineError
from groupsim.pipeline.export import RUN_KEY
from groupsim.pipeline.export_head import read_head
from groupsim.pipeline.schemas import FACTS
from groupsim.storage.store import RunSource

FACTS_FOLDER, SUMMARY_FOLDER, UNFINISHED_FOLDER = "facts", "summary", "_unfinished"
"""The folders of a sweep: facts, one summary row per committed run, and unfinished files."""


def facts(spark: SparkSession, directory: str | Path) -> DataFrame:
    """All facts of the runs exported to `directory`, columns as in pipeline.schemas.FACTS, in no particular order.

    In the folder of a sweep: the facts of its committed runs. A filter on `run` reads only the folder of that run.
    Raises PipelineError if there is no lake.
    """
    place = Path(directory)
    lake = _lake(place)
    # The schema is stated, never inferred: a lake of runs 007 and 008 must not become 7 and 8.
    stored = spark.read.schema(FACTS).parquet(str(lake.resolve())).select(*FACTS.names)
    if lake == place:
        return stored
    committed = spark.createDataFrame([(run,) for run in sorted(finished(place))], "run string")
    return stored.join(F.broadcast(committed), "run", "left_semi").select(*FACTS.names)


def runs_in(directory: str | Path) -> set[RunId]:
    """The runs that `facts` reads. Raises PipelineError if there is no lake."""
    place = Path(directory)
    lake = _lake(place)
    exported = {unquote(file.parent.name.removeprefix("run=")) for file in lake.glob("run=*/*.parquet")}
    return exported if lake == place else exported & finished(place)


def recorded_summaries(directory: str | Path) -> dict[RunId, dict[str, object]]:
    """The stored summaries of the recorded runs exported to `directory`, by run; a sweep has none.

    Files that have no RunInfo are passed by. Raises PipelineError if there is no lake.
    """
    place = Path(directory)
    lake = _lake(place)
    if lake != place:
        return {}
    summaries: dict[RunId, dict[str, object]] = {}
    for file in sorted(lake.glob("run=*/*.parquet")):
        about = (pq.read_metadata(file).metadata or {}).get(RUN_KEY)
        if about is not None:
            info, _ = read_head(about, str(file))
            summaries |= {info.id: dict(info.summary)} if info.source == RunSource.RECORDED else {}
    return summaries


def _lake(place: Path) -> Path:
    lake = place / FACTS_FOLDER if (place / FACTS_FOLDER).is_dir() else place
    if not lake.is_dir() or not any(lake.glob("run=*/*.parquet")):
        raise PipelineError(
            f"{place} has no exported runs (run=<id>/*.parquet); `groupsim export RUN --to` or `groupsim sweep --to` "
            "creates them"
        )
    return lake


def finished(directory: Path) -> set[RunId]:
    """The committed runs in the folder of a sweep."""
    return {file.stem for file in (directory / SUMMARY_FOLDER).glob("*.parquet")}


def of_types(types: Iterable[str]) -> Column:
    """Facts of these types. Not `isin`, for which Parquet compares its pages only with the first and the last name."""
    return reduce(or_, (F.col("type") == name for name in sorted(types)))
