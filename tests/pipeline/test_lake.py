"""What a sweep keeps beside its facts is what the definition says of them, and is read without asking it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from groupsim import analysis
from groupsim.analysis.tables.frames import named
from groupsim.pipeline.export import export_parquet
from groupsim.pipeline.grid import Point, Sweep, load, subject
from groupsim.pipeline.importing import import_runs
from groupsim.pipeline.source import FACTS_FOLDER, SUMMARY_FOLDER, facts, runs_in
from groupsim.pipeline.sweep_point import clean, simulate
from groupsim.pipeline.table_cache import cached_runs, file_of
from groupsim.pipeline.table_definitions import AVAILABILITY, OWNED, REBALANCE
from groupsim.storage.memory import MemoryStore
from tests.analysis import in_ms
from tests.pipeline.logs import cooperative, keep
from tests.pipeline.stories import quick

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Row = tuple[Any, ...]
TABLES = {"availability": AVAILABILITY, "rebalances": REBALANCE, "ownership": OWNED}


@pytest.fixture
def swept(tmp_path: Path) -> tuple[Path, list[Point]]:
    """A small sweep, played without Spark: two short stories, of which one breaks off, and one with zombies."""
    lake = tmp_path / "lake"
    clean(lake)
    points = []
    for sweep in (
        Sweep(subject(quick(tmp_path)), {"assignor": ["range", "cooperative-sticky"]}, range(2), {"fails_at": "1"}),
        Sweep(subject("zombie_member"), {}, range(1)),
    ):
        for point in sweep.points():
            simulate(load(sweep.subject), sweep.subject, point, lake)
            points.append(point)
    return lake, points


def answers(spark: SparkSession, folder: Path) -> dict[str, list[Row]]:
    """A lake's tables, from which all else that one can ask is computed, in order."""
    from groupsim.pipeline import lake

    return {name: rows(getattr(lake, name)(spark, folder)) for name in TABLES}


def rows(answer: DataFrame) -> list[Row]:
    return sorted((tuple(row) for row in answer.collect()), key=repr)


def plan(answer: DataFrame) -> str:
    query = answer._jdf.queryExecution()  # pyright: ignore[reportOptionalCall]  # py4j's __getattr__ has no type
    return str(query.toString())


@pytest.mark.spark
def test_a_sweeps_tables_are_those_of_pandas_and_no_python_is_in_their_plans(
    spark: SparkSession, swept: tuple[Path, list[Point]]
) -> None:
    from groupsim.pipeline import lake, transforms

    folder, points = swept
    store = MemoryStore()
    list(import_runs(store, folder / FACTS_FOLDER))
    tables = {name: getattr(lake, name)(spark, folder) for name in TABLES}
    for name, answer in tables.items():
        wanted, shown = [], answer.drop("unavailable")  # of which pandas has a table of its own
        for point in points:
            table = in_ms.rows(getattr(analysis.load(store, point.run), name)())
            wanted += [tuple({**row, "run": point.run}[named(column)] for column in shown.columns) for row in table]
        assert rows(shown) == sorted(wanted, key=repr), name
        assert wanted
    derived = [
        transforms.unavailable_by_label(tables["availability"]),
        transforms.windows(tables["availability"]),
        transforms.moves(tables["ownership"]),
    ]
    for answer in [*tables.values(), *derived]:
        assert "Arrow" not in plan(answer)
        assert "Python" not in plan(answer)
    assert "Arrow" in plan(transforms.availability(facts(spark, folder)))
    assert {row[0] for row in rows(derived[0])} == {point.run for point in points}


@pytest.mark.spark
def test_where_tables_are_missing_or_another_definition_wrote_them_the_facts_are_asked(
    spark: SparkSession, swept: tuple[Path, list[Point]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from groupsim.pipeline import lake, table_cache

    folder, points = swept
    wanted = answers(spark, folder)
    for table in TABLES.values():
        file_of(folder, table, points[0].run).unlink()
    assert "Arrow" in plan(lake.availability(spark, folder))
    assert answers(spark, folder) == wanted
    monkeypatch.setattr(table_cache, "definition_version", lambda: "another")
    assert cached_runs(folder, AVAILABILITY) == set()
    assert answers(spark, folder) == wanted


@pytest.mark.spark
def test_tables_of_a_run_that_is_not_committed_are_not_looked_at(
    spark: SparkSession, swept: tuple[Path, list[Point]]
) -> None:
    folder, points = swept
    before = answers(spark, folder)
    gone = points[0].run
    (folder / SUMMARY_FOLDER / f"{gone}.parquet").unlink()
    assert runs_in(folder) == {point.run for point in points[1:]}
    assert answers(spark, folder) == {name: [row for row in found if row[0] != gone] for name, found in before.items()}


@pytest.mark.spark
def test_an_exported_lake_has_no_tables_and_is_asked(spark: SparkSession, tmp_path: Path) -> None:
    from groupsim.pipeline import lake, transforms

    store = MemoryStore()
    keep(store, "007", cooperative())
    keep(store, "a:run=b", cooperative())
    export_parquet(store, ["007", "a:run=b"], tmp_path)
    assert runs_in(tmp_path) == {"007", "a:run=b"}
    moved = rows(transforms.moves(lake.ownership(spark, tmp_path)))
    assert [row[:5] for row in moved] == [
        (run, "billing", "orders", number, 1123) for run in sorted(runs_in(tmp_path)) for number in (2, 3)
    ]
