"""A sweep on Spark: every point once, whatever is killed and whoever asks again."""

from __future__ import annotations

import json
import shutil
import signal
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, cast

import pyarrow.parquet as pq
import pytest

from groupsim.analysis.availability.intervals import intervals
from groupsim.analysis.tables.summary import summarise
from groupsim.cli.main import status
from groupsim.pipeline.errors import PipelineError
from groupsim.pipeline.grid import Point, Subject, Sweep, load, subject
from groupsim.pipeline.source import SUMMARY_FOLDER, finished
from groupsim.pipeline.sweep import sweep_into
from groupsim.pipeline.sweep_point import simulate
from tests.adversary import sweeps
from tests.adversary.compare import facts_of
from tests.analysis.naive_outages import NAMES, counted, marked
from tests.pipeline.stories import quick

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FAILS = 3


def asked(folder: Path, seeds: range = range(6)) -> Sweep:
    """A quick story under two assignors, of which one seed fails."""
    return Sweep(subject(quick(folder)), {"assignor": ["range", "sticky"]}, seeds, {"fails_at": str(FAILS)})


def rows_of(lake: Path) -> list[dict[str, Any]]:
    """The summary rows, by run."""
    files = sorted((lake / SUMMARY_FOLDER).iterdir())
    return [row for file in files for row in pq.ParquetFile(file).read().to_pylist()]


def no_session() -> SparkSession:
    raise AssertionError("Spark is not needed for this")


@pytest.mark.spark
def test_every_point_is_one_run_and_the_lake_reads_as_any_other(spark: SparkSession, tmp_path: Path) -> None:
    from groupsim.pipeline.source import facts

    lake, shares = tmp_path / "lake", list[float]()
    sweep = asked(tmp_path)
    done = sweep_into(lambda: spark, sweep, lake, partitions=3, progress=shares.append)
    rows = rows_of(lake)
    assert [row["run"] for row in rows] == sorted(point.run for point in sweep.points())
    assert (done.points, done.before, [f.seed for f in done.failures]) == (12, 0, [FAILS, FAILS])
    assert {row["error"] is None for row in rows if row["seed"] != FAILS} == {True}
    for row in (row for row in rows[::3] if row["error"] is None):
        alone = facts_of(sweep.subject.scenario, row["seed"], dict(row["params"]))
        assert {name: row[name] for name in NAMES} == counted(marked(intervals(alone)))
        later = summarise(alone)["unavailable"]["after_start"]
        assert {name: row[f"after_start_{name}"] for name in NAMES} == {name: later[name] for name in NAMES}
    assert (shares[0], shares[-1], shares == sorted(shares)) == (0.0, 1.0, True)
    counts = {row["run"]: row["count"] for row in facts(spark, lake).groupBy("run").count().collect()}
    assert counts == {row["run"]: row["facts"] for row in rows}
    # A run whose row is gone is not there for readers, and is played again.
    gone = str(rows[0]["run"])
    (lake / SUMMARY_FOLDER / f"{gone}.parquet").unlink()
    assert {row["run"] for row in facts(spark, lake).select("run").distinct().collect()} == counts.keys() - {gone}
    assert sweep_into(lambda: spark, sweep, lake, resume=True).before == 11
    assert rows_of(lake) == rows


@pytest.mark.spark
def test_resuming_goes_on_with_what_is_asked_now(spark: SparkSession, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    sweep_into(lambda: spark, asked(tmp_path, range(2)), lake)
    before = {file: file.stat().st_mtime_ns for file in (lake / SUMMARY_FOLDER).iterdir()}
    done = sweep_into(lambda: spark, asked(tmp_path, range(3)), lake, resume=True)
    assert (done.points, done.before, len(finished(lake))) == (6, 4, 6)
    assert {file: file.stat().st_mtime_ns for file in before} == before
    assert sweep_into(no_session, asked(tmp_path, range(3)), lake, resume=True).before == 6


@pytest.mark.spark
def test_a_folder_that_can_not_be_written_stops_the_sweep_in_a_sentence(spark: SparkSession, tmp_path: Path) -> None:
    class Breaking:
        """A session that loses its folder before the points start."""

        def __getattr__(self, name: str) -> object:
            shutil.rmtree(tmp_path / "lake" / SUMMARY_FOLDER, ignore_errors=True)
            return getattr(spark, name)

    with pytest.raises(PipelineError, match=r"the sweep in .*lake stopped: .*FileNotFoundError.*`--resume` continues"):
        sweep_into(lambda: Breaking(), asked(tmp_path, range(1)), tmp_path / "lake")  # type: ignore[arg-type,return-value]


@pytest.mark.spark
@pytest.mark.slow
def test_a_sweep_that_is_killed_loses_nothing_and_doubles_nothing(spark: SparkSession, tmp_path: Path) -> None:
    """By SIGKILL; SIGTERM is in test_poison_points.py, and the adversary draws among them and SIGINT."""
    sweeps.ended_by(signal.SIGKILL, tmp_path, poison="exit", committed=3, then_s=0.0)


@pytest.mark.spark
def test_a_worker_that_is_killed_costs_no_point(spark: SparkSession, tmp_path: Path) -> None:
    sweeps.worker_killed(Random(1), tmp_path)


@pytest.mark.parametrize("deaths", [1, 2])
def test_a_process_that_dies_before_it_begins_a_point_costs_one_more_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deaths: int
) -> None:
    left = ["Python worker exited unexpectedly"] * deaths

    def job(_: object, what: Subject, points: list[Point], directory: Path, __: int) -> str | None:
        if left:
            return left.pop()
        for point in points:
            simulate(load(what), what, point, directory)
        return None

    monkeypatch.setattr("groupsim.pipeline.sweep._job", job)
    again = partial(
        sweep_into, lambda: cast("SparkSession", None), asked(tmp_path, range(2)), tmp_path / "lake", partitions=1
    )
    if deaths == 1:
        assert again().failures == []
    else:
        with pytest.raises(PipelineError, match=r"stopped: Python worker exited unexpectedly; `--resume` continues"):
            again()


def test_two_sweeps_never_write_to_one_folder(tmp_path: Path) -> None:
    lake = tmp_path / "lake"

    def meanwhile() -> SparkSession:
        with pytest.raises(PipelineError, match="another sweep is writing to"):
            sweep_into(no_session, asked(tmp_path), lake, resume=True)
        raise PipelineError("so far, so good")

    with pytest.raises(PipelineError, match="so far, so good"):
        sweep_into(meanwhile, asked(tmp_path), lake)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--grid", "asignor=range"], "unknown setting 'asignor'; near names: assignor"),
        (["--grid", "assignor=range", "--set", "assignor=sticky"], "'assignor' is given both by --grid and by --set"),
        (["--seeds", "5:1"], "--seeds '5:1': the range is empty; A must be less than B"),
        (["--format", "csv"], "--format must be table or json for a sweep, not csv"),
        (["--resume"], "has no sweep"),
    ],
)
def test_a_wrong_request_is_a_sentence_before_spark_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert status(["sweep", "rolling_restart", "--to", str(tmp_path / "lake"), *arguments]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "lake" / "sweep.json").exists()


@pytest.mark.spark
def test_the_command_tells_failures_and_exits_with_1(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["sweep", quick(tmp_path), "--grid", "fails_at=3,99", "--seeds", "2:4", "--to", str(tmp_path / "lake")]
    assert status([*call, "--master", "local[2]", "--format", "json"]) == 1
    printed = capsys.readouterr()
    answer = json.loads(printed.out)
    assert (answer["scenario"], answer["points"], answer["finished"], answer["failed"]) == ("quick", 4, 3, 1)
    assert answer["failures"][0]["seed"] == FAILS
    assert "failed: fails_at=3 seed 3: at " in printed.err


def test_without_a_session_no_folder_is_left_behind(tmp_path: Path) -> None:
    def refused() -> SparkSession:
        raise PipelineError("no such master")

    sweep = Sweep(subject("steady_state"), {}, range(1))
    with pytest.raises(PipelineError, match="no such master"):
        sweep_into(refused, sweep, tmp_path / "new")
    assert not (tmp_path / "new").exists()
    (tmp_path / "mine").mkdir()
    with pytest.raises(PipelineError, match="no such master"):
        sweep_into(refused, sweep, tmp_path / "mine")
    assert (tmp_path / "mine").exists()
