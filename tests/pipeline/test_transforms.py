"""Spark's numbers are those of pandas, exactly, because both ask one definition."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from groupsim import analysis
from groupsim.pipeline.errors import PipelineError
from groupsim.pipeline.export import export_parquet
from groupsim.pipeline.schemas import FACTS, UNAVAILABLE_BY_LABEL
from groupsim.scenarios.catalogue import find
from groupsim.simulation.run import run
from groupsim.storage import EventStore
from groupsim.storage.codec import COLUMNS
from groupsim.storage.store import RunInfo, RunSource
from tests.analysis.in_ms import ms

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RUNS = ["007", "eager"]


def by_pandas(store: EventStore, run: str) -> list[tuple[str, str, int]]:
    """`(run, label, partition_ms)` by analysis and a groupby."""
    sums = analysis.load(store, run).unavailable(between=(0, None)).groupby("label")["duration"].sum()
    return [(run, str(label), each) for label, each in zip(sums.index, ms(sums), strict=True)]


@pytest.mark.spark
def test_unavailable_time_by_label_is_pandas_own(spark: SparkSession, store: EventStore, tmp_path: Path) -> None:
    from groupsim.pipeline.source import facts
    from groupsim.pipeline.transforms import availability, unavailable_by_label

    export_parquet(store, RUNS, tmp_path / "lake")
    answer = unavailable_by_label(availability(facts(spark, tmp_path / "lake")))
    assert answer.schema == UNAVAILABLE_BY_LABEL
    rows = [tuple(row) for row in answer.orderBy("run", "label").collect()]
    assert rows == [row for run in RUNS for row in by_pandas(store, run)]
    # By hand, from the instants in logs.py: partition 0 waits 5+15+10+10 ms, partition 1 waits 5+15+5 ms.
    assert sum(ms for run, _, ms in rows if run == "eager") == 65


@pytest.mark.spark
def test_it_is_pandas_own_on_simulated_runs_and_on_one_that_was_cut_off(
    spark: SparkSession, store: EventStore, tmp_path: Path
) -> None:
    from groupsim.pipeline.source import facts
    from groupsim.pipeline.transforms import availability, unavailable_by_label

    runs = [run(find(name), store).info.id for name in ("rolling_restart", "zombie_member")]
    cut = store.begin(RunInfo(id="cut", name="by hand", source=RunSource.SIMULATED))
    for fact in store.read(runs[1], stop=store.find(runs[1]).facts // 2):
        cut.append(fact.at_ms, fact.stream, [fact.event])
    cut.flush()
    runs.append("cut")
    export_parquet(store, runs, tmp_path / "lake")
    rows = sorted(tuple(row) for row in unavailable_by_label(availability(facts(spark, tmp_path / "lake"))).collect())
    assert rows == sorted(row for run in runs for row in by_pandas(store, run))
    assert {run for run, _, ms in rows if ms > 0} == set(runs)


@pytest.mark.spark
def test_the_order_of_rows_does_not_matter(spark: SparkSession, store: EventStore) -> None:
    from groupsim.pipeline.transforms import availability, unavailable_by_label

    backwards = [("eager", *row) for row in reversed(list(store.rows("eager")))]
    frame = spark.createDataFrame(backwards, FACTS).repartition(3)
    answer = unavailable_by_label(availability(frame))
    assert sorted(tuple(row) for row in answer.collect()) == by_pandas(store, "eager")


@pytest.mark.spark
def test_the_lake_is_the_store_read_by_spark(spark: SparkSession, store: EventStore, tmp_path: Path) -> None:
    from groupsim.pipeline.source import facts

    export_parquet(store, RUNS, tmp_path / "lake")
    frame = facts(spark, tmp_path / "lake")
    assert frame.columns == ["run", *COLUMNS]
    rows = [tuple(row) for row in frame.orderBy("run", "seq").collect()]
    assert rows == [(run, *row) for run in RUNS for row in store.rows(run)]


@pytest.mark.spark
def test_a_folder_that_is_no_lake_is_named(spark: SparkSession, tmp_path: Path) -> None:
    from groupsim.pipeline.source import facts

    for place in (tmp_path, tmp_path / "gone"):
        with pytest.raises(PipelineError, match=f"{place.name} has no exported runs"):
            facts(spark, place)


def test_transforms_load_neither_simulator_nor_coordinator() -> None:
    banned = ("simulation", "coordinator", "assignors", "simpy")
    question = f"import sys, pipeline.transforms; print([m for m in sys.modules if m.split('.')[0] in {banned}])"
    ended = subprocess.run(
        [sys.executable, "-c", question], cwd=Path(__file__).parents[2], capture_output=True, text=True
    )
    assert (ended.stdout, ended.stderr) == ("[]\n", "")


@pytest.mark.spark
def test_it_is_pandas_own_of_a_store_that_was_not_exported(
    spark: SparkSession, store: EventStore, tmp_path: Path
) -> None:
    from groupsim.pipeline.transforms import availability, unavailable_by_label

    for types in ("state-changing", None):
        read = spark.read.format("groupsim")
        frame = (read if types is None else read.option("types", types)).load(str(tmp_path / "store.db"))
        answer = unavailable_by_label(availability(frame)).orderBy("run", "label").collect()
        assert [tuple(row) for row in answer] == [row for run in RUNS for row in by_pandas(store, run)]
