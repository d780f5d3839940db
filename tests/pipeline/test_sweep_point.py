"""One point, played without Spark: its facts are those of `groupsim run`, its row is the commit."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from groupsim.analysis.tables.summary import summarise
from groupsim.events.catalogue import STATE_CHANGING
from groupsim.pipeline.export import RUN_KEY
from groupsim.pipeline.grid import Point, Subject, Sweep, load, subject
from groupsim.pipeline.importing import import_runs
from groupsim.pipeline.is_export import FILE
from groupsim.pipeline.schemas import LAKE, SUMMARY_ARROW
from groupsim.pipeline.source import FACTS_FOLDER, SUMMARY_FOLDER, UNFINISHED_FOLDER
from groupsim.pipeline.sweep_point import clean, points_player, simulate
from groupsim.scenarios.catalogue import find
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore
from groupsim.storage.store import RunInfo
from tests.pipeline.stories import quick

FAILS = 3


def points(tmp_path: Path, **settings: str) -> tuple[Subject, list[Point]]:
    what = subject(quick(tmp_path))
    return what, Sweep(what, {}, range(2, 5), {"fails_at": str(FAILS), **settings}).points()


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    folder = tmp_path / "lake"
    clean(folder)
    return folder


def test_facts_and_numbers_are_those_of_a_run_of_its_own(tmp_path: Path, lake: Path) -> None:
    what, (point, *_) = points(tmp_path, assignor="sticky")
    row = simulate(load(what), what, point, lake)
    store = MemoryStore()
    alone = run(find(what.scenario), store, seed=point.seed, settings=point.settings)
    numbers = summarise(list(store.read(alone.info.id, types=STATE_CHANGING)))
    assert (row["digest"], row["facts"]) == (alone.info.digest, alone.info.facts)
    assert row["partition_ms"] == numbers["unavailable"]["partition_ms"] > 0
    assert dict(row["by_label"]) == {label: ms for label, ms in numbers["unavailable"]["by_label"].items() if ms}
    file = lake / FACTS_FOLDER / f"run={point.run}" / FILE
    table = pq.ParquetFile(file).read()
    assert table.schema.equals(LAKE)
    assert [tuple(fact.values()) for fact in table.sort_by("seq").to_pylist()] == list(store.rows(alone.info.id))
    info = msgspec.json.decode(pq.ParquetFile(file).metadata.metadata[RUN_KEY], type=RunInfo)
    assert (info.id, info.digest, info.scenario_path) == (point.run, alone.info.digest, what.scenario)


def test_a_point_that_fails_is_a_row_with_seed_and_error_and_no_numbers(tmp_path: Path, lake: Path) -> None:
    what, all_points = points(tmp_path)
    batch = pa.RecordBatch.from_pylist([{"run": p.run, "seed": p.seed, "settings": p.settings} for p in all_points])
    rows = [found for batch in points_player(what, str(lake))(iter([batch])) for found in batch.to_pylist()]
    assert [(row["seed"], row["status"]) for row in rows] == [(2, "finished"), (FAILS, "failed"), (4, "finished")]
    assert rows[1]["error"].endswith("not true that this seed is well")
    assert (rows[1]["partition_ms"], rows[1]["params"]) == (None, [("fails_at", "3")])
    kept = [pq.ParquetFile(lake / SUMMARY_FOLDER / f"{p.run}.parquet").read() for p in all_points]
    assert [row for table in kept for row in table.to_pylist()] == rows
    assert all(table.schema.equals(SUMMARY_ARROW) for table in kept)


def test_a_bug_in_one_point_is_its_rows_error(tmp_path: Path, lake: Path) -> None:
    what, (point, *_) = points(tmp_path, waits="0")
    row = simulate(load(what), what, point, lake)
    assert "quick.py, line 11: ValueError: empty range" in row["error"]
    assert (lake / SUMMARY_FOLDER / f"{point.run}.parquet").exists()


def test_what_stops_before_the_row_leaves_nothing_that_counts(tmp_path: Path, lake: Path) -> None:
    what, (point, *_) = points(tmp_path)
    (lake / SUMMARY_FOLDER).rmdir()
    with pytest.raises(FileNotFoundError):
        simulate(load(what), what, point, lake)
    assert (lake / FACTS_FOLDER / f"run={point.run}" / FILE).exists()
    clean(lake)
    assert list((lake / UNFINISHED_FOLDER).iterdir()) == []
    first = simulate(load(what), what, point, lake)
    once = {file.name: file.read_bytes() for file in lake.rglob("*.parquet")}
    assert simulate(load(what), what, point, lake) == first
    assert {file.name: file.read_bytes() for file in lake.rglob("*.parquet")} == once
    assert len(once) == 2


def test_a_story_travels_as_text_to_where_its_file_is_not(tmp_path: Path, lake: Path) -> None:
    what, (point, *_) = points(tmp_path)
    Path(what.scenario).unlink()
    scenario = load(what)
    assert (scenario.name, scenario.path) == ("quick", what.scenario)
    assert simulate(scenario, what, point, lake)["status"] == "finished"


def test_a_point_of_a_sweep_can_be_put_into_a_store_as_it_is(tmp_path: Path, lake: Path) -> None:
    what, (point, *_) = points(tmp_path, assignor="range")
    row = simulate(load(what), what, point, lake)
    store = MemoryStore()
    ((info, new),) = import_runs(store, lake / FACTS_FOLDER)
    assert (info.id, info.digest, new) == (point.run, row["digest"], True)


def test_a_sweep_over_a_consumer_group_counts_its_epochs_and_takes_the_brokers_settings(lake: Path) -> None:
    what = subject("consumer_rolling_restart")
    interval = "group.consumer.heartbeat.interval.ms"
    fixed = {"group.consumer.min.heartbeat.interval.ms": "1000"}
    points_ = Sweep(what, {interval: ("5000", "1000")}, range(7, 8), fixed).points()
    rows = [simulate(load(what), what, point, lake) for point in points_]
    assert [row["rebalances"] for row in rows] == [12, 12]  # two at each restart, and the first members
    assert rows[0]["partition_ms"] > 2 * rows[1]["partition_ms"]
