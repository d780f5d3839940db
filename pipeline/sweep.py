"""A sweep on Spark: points out to the executors, a summary row back; what is done stays done, whatever is killed."""

from __future__ import annotations

import fcntl
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from groupsim.pipeline.errors import PipelineError
from groupsim.pipeline.grid import Point, Subject, Sweep, keep_manifest
from groupsim.pipeline.schemas import POINTS, SUMMARY
from groupsim.pipeline.source import SUMMARY_FOLDER, finished
from groupsim.pipeline.sweep_point import clean, player
from groupsim.pipeline.sweep_report import rows

_TASKS_A_CORE = 8
_LOOK_S = 0.5


@dataclass(frozen=True, slots=True)
class Failure:
    """A point that has no numbers, and why."""

    run: str
    seed: int
    choice: str
    error: str


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a sweep: how many points it has, how many were done before, how many broke an invariant."""

    points: int
    before: int
    broken: int
    failures: list[Failure]


def check(sweep: Sweep) -> None:
    """Raises BadScenario or BadSetting for a scenario, a key or a value that can't be, before anything is started."""
    from groupsim.scenarios import catalogue
    from groupsim.simulation.run import resolve_settings

    scenario = catalogue.find(sweep.subject.scenario)
    for settings in sweep.choices():
        resolve_settings(scenario, settings)


def sweep_into(
    start: Callable[[], SparkSession],
    sweep: Sweep,
    directory: Path,
    *,
    partitions: int | None = None,
    resume: bool = False,
    progress: Callable[[float], None] = lambda _: None,
) -> Done:
    """Play every point that `directory` has no summary row of. `start` gives the session, if one is needed.

    The folder gets `facts/run=<id>/facts.parquet` (pipeline.schemas.LAKE), `summary/<id>.parquet` (SUMMARY), which
    commits a point, and `sweep.json`. It must be one folder for driver and executors. `progress` is told the share of
    points done. Raises PipelineError if the folder holds something else, or can't be written, or Spark fails.
    """
    directory = directory.resolve()
    fresh = not directory.exists()
    keep_manifest(sweep.subject, directory, resume=resume)
    with _alone_in(directory):
        clean(directory)
        points = sweep.points()
        done = finished(directory)
        left = [point for point in points if point.run not in done]
        if left:
            session = _started(start, directory if fresh else None)
            with _watching(directory, len(points), len(points) - len(left), progress):
                _play(session, sweep.subject, left, directory, partitions)
        clean(directory, ended=True)
        failures, broken = _outcome(directory, points)
        return Done(len(points), len(points) - len(left), broken, failures)


def _started(start: Callable[[], SparkSession], made: Path | None) -> SparkSession:
    """The session; without one, the folder that was `made` for the sweep goes again: the next try may name it."""
    try:
        return start()
    except PipelineError:
        if made is not None:
            shutil.rmtree(made, ignore_errors=True)
        raise


def _play(spark: SparkSession, what: Subject, points: list[Point], directory: Path, partitions: int | None) -> None:
    tasks = partitions or _TASKS_A_CORE * spark.sparkContext.defaultParallelism
    told = [(point.run, point.seed, point.settings) for point in points]
    grid = spark.createDataFrame(told, POINTS).repartition(min(tasks, len(points)))
    try:
        grid.mapInArrow(player(what, str(directory)), SUMMARY).select("run").collect()
    except Exception as error:  # whatever stops Spark; the points that are committed stay
        raise PipelineError(
            f"the sweep in {directory} stopped: {_reason(error)}; `--resume` goes on where it stands"
        ) from error


def _reason(error: Exception) -> str:
    """The last line of the Python worker's own words, or the first of Spark's."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    own = [line for line in lines if "Error: " in line and not line.startswith(("at ", "org.", "Caused by"))]
    return (own or lines or [type(error).__name__])[0]


@contextmanager
def _watching(directory: Path, points: int, before: int, progress: Callable[[float], None]) -> Iterator[None]:
    """Tell `progress` how many rows have come, while Spark is at it."""
    over = threading.Event()
    folder = directory / SUMMARY_FOLDER
    first = len(finished(directory))

    def look() -> None:
        while not over.wait(_LOOK_S):
            with suppress(OSError):  # a folder that is gone stops the sweep itself
                progress((before + sum(1 for _ in folder.iterdir()) - first) / points)

    progress(before / points)
    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield
        progress(1.0)
    finally:
        over.set()
        watcher.join()


@contextmanager
def _alone_in(directory: Path) -> Iterator[None]:
    """Two sweeps must not write to one folder; a process that is killed lets go of it."""
    with (directory / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise PipelineError(f"another sweep is writing to {directory}") from None
        yield


def _outcome(directory: Path, points: list[Point]) -> tuple[list[Failure], int]:
    found = {row["run"]: row for row in rows(directory).to_pylist()}
    asked = [found[point.run] for point in points]
    failures = [
        Failure(row["run"], row["seed"], row["choice"], row["error"]) for row in asked if row["error"] is not None
    ]
    return failures, sum(bool(row["violations"]) for row in asked)
