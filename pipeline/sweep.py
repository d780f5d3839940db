"""A sweep on Spark: executors simulate the points and commit a summary row each; a killed sweep can be resumed.

A task of Spark simulates its equal share of the runs that are left, one after the other. There are eight tasks for
each core of the session, or as many as the caller says (`partitions`), but no more than runs.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from groupsim.pipeline.errors import PipelineError
from groupsim.pipeline.grid import Point, Subject, Sweep, alone_in, keep_manifest, load
from groupsim.pipeline.parallel import reason
from groupsim.pipeline.schemas import POINTS, SUMMARY
from groupsim.pipeline.source import SUMMARY_FOLDER, finished
from groupsim.pipeline.sweep_point import begun, clean, give_up, play_damaged_again, points_player
from groupsim.pipeline.sweep_report import rows

_TASKS_A_CORE = 8
_LOOK_S = 0.5
_DIED = ("Python worker exited unexpectedly", "Python worker process terminated", "ExecutorLostFailure")
"""What Spark says when the process of a point is gone: killed, or out of memory."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A point that has no numbers, and why."""

    run: str
    seed: int
    choice: str
    error: str


@dataclass(frozen=True, slots=True)
class Done:
    """The outcome of a sweep: its points, how many were finished earlier, how many broke an invariant, the failures."""

    points: int
    before: int
    broken: int
    failures: list[Failure]


def check(sweep: Sweep) -> None:
    """Raises BadScenario or BadSetting for a wrong scenario, key or value, before anything is started."""
    from groupsim.simulation.run import resolve_settings

    scenario = load(sweep.subject)
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
    """Simulate every point without a summary row in `directory`. `start` returns the session, if one is needed.

    The folder gets `facts/run=<id>/facts.parquet` (pipeline.schemas.LAKE), `summary/<id>.parquet` (SUMMARY), which
    commits a point, and `sweep.json`. Driver and executors must share the folder. `progress` is called with the
    share of finished points. Raises PipelineError if the folder has other contents or can't be written, or Spark fails.
    """
    directory = directory.resolve()
    new_folder = not directory.exists()
    keep_manifest(sweep.subject, directory, resume=resume)
    with alone_in(directory):
        play_damaged_again(directory)
        clean(directory)
        points = sweep.points()
        done = finished(directory)
        left = [point for point in points if point.run not in done]
        if left:
            session = _started(start, directory if new_folder else None)
            with _watching(directory, len(points), len(points) - len(left), progress):
                _play(session, sweep.subject, left, directory, partitions)
        clean(directory, ended=True)
        failures, broken = _outcome(directory, points)
        return Done(len(points), len(points) - len(left), broken, failures)


def _started(start: Callable[[], SparkSession], made: Path | None) -> SparkSession:
    """The session. If it can't start, the new folder `made` is removed, so that the command can be repeated."""
    try:
        return start()
    except PipelineError:
        if made is not None:
            shutil.rmtree(made, ignore_errors=True)
        raise


def _play(spark: SparkSession, what: Subject, points: list[Point], directory: Path, partitions: int | None) -> None:
    """Play the points. One that takes its process with it is tried once more, alone, and then given up.

    So is all that is left, once, if a process dies that had begun none.
    """
    tasks = partitions or _TASKS_A_CORE * spark.sparkContext.defaultParallelism
    before = 0
    while points:
        died = _job(spark, what, points, directory, tasks)
        if died is None:
            return
        suspects = begun(directory) - finished(directory)
        before = 0 if suspects else before + 1
        if before > 1:
            raise PipelineError(f"the sweep in {directory} stopped: {died}; `--resume` continues it")
        for point in [point for point in points if point.run in suspects]:
            clean(directory)
            if (again := _job(spark, what, [point], directory, 1)) is not None:
                give_up(what, point, directory, f"the process that simulated it died, twice: {again}")
        clean(directory)
        done = finished(directory)
        points = [point for point in points if point.run not in done]


def _job(spark: SparkSession, what: Subject, points: list[Point], directory: Path, tasks: int) -> str | None:
    """Play these points in one Spark job; why a Python worker died, if one did. Raises PipelineError for the rest."""
    rows_of_points = [(point.run, point.seed, point.settings) for point in points]
    try:
        grid = spark.createDataFrame(rows_of_points, POINTS).repartition(min(tasks, len(points)))
        grid.mapInArrow(points_player(what, str(directory)), SUMMARY).select("run").collect()
    except Exception as error:  # of any kind; committed points stay
        if any(word in str(error) for word in _DIED):
            return _death(error)
        raise PipelineError(f"the sweep in {directory} stopped: {reason(error)}; `--resume` continues it") from error
    return None


def _death(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if any(word in line for word in _DIED)]
    return lines[0].rpartition("Exception: ")[2][:300]


@contextmanager
def _watching(directory: Path, points: int, before: int, progress: Callable[[float], None]) -> Iterator[None]:
    """Call `progress` with the share of summary rows while Spark works."""
    over = threading.Event()
    folder = directory / SUMMARY_FOLDER
    first = len(finished(directory))

    def look() -> None:
        while not over.wait(_LOOK_S):
            with suppress(OSError):  # if the folder is deleted, the sweep itself fails
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


def _outcome(directory: Path, points: list[Point]) -> tuple[list[Failure], int]:
    by_run = {row["run"]: row for row in rows(directory).to_pylist()}
    asked = [by_run[point.run] for point in points]
    failures = [
        Failure(row["run"], row["seed"], row["choice"], row["error"]) for row in asked if row["error"] is not None
    ]
    return failures, sum(bool(row["violations"]) for row in asked)
