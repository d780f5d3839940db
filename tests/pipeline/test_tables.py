"""Every table of Spark is the table of pandas, exactly, on every built-in scenario; moves and windows by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from groupsim import analysis
from groupsim.analysis.tables.frames import named
from groupsim.events.catalogue import CATALOGUE
from groupsim.pipeline.export import export_parquet
from groupsim.scenarios.catalogue import find
from groupsim.simulation.run import run
from groupsim.storage.memory import MemoryStore
from tests.analysis.in_ms import rows, total_ms
from tests.analysis.log import Log
from tests.pipeline.logs import cooperative, eager, keep
from tests.scenarios.shorter import every_scenario
from tests.thinned import some

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Row = tuple[Any, ...]
LAG_MS = 21_000
"""Every second there would be 845,000 rows of lag, more than of all other tables together."""


def by_run(answer: DataFrame) -> dict[str, list[Row]]:
    """Rows by run, sorted as text, so that what is missing has a place."""
    found: dict[str, list[Row]] = {}
    for run_id, *row in answer.collect():
        found.setdefault(run_id, []).append(tuple(row))
    return {run_id: sorted(rows, key=repr) for run_id, rows in found.items()}


def by_pandas(table: Any, names: list[str]) -> list[Row]:
    return sorted((tuple(row[named(name)] for name in names) for row in rows(table)), key=repr)


def lake_of(spark: SparkSession, store: MemoryStore, folder: Path) -> DataFrame:
    from groupsim.pipeline.source import facts

    export_parquet(store, [info.id for info in store.runs()], folder)
    return facts(spark, folder)


@pytest.mark.spark
@pytest.mark.slow
def test_tables_are_those_of_pandas_on_every_scenario(spark: SparkSession, tmp_path: Path) -> None:
    from groupsim.pipeline import transforms

    store = MemoryStore()
    runs = {
        run(find(name), store, settings=own, record="facts").info.id: name for name, own in some(every_scenario(), 7, 2)
    }
    assert len(runs) > 10
    facts = lake_of(spark, store, tmp_path / "lake").cache()
    asked = {
        "availability": transforms.availability(facts).drop("unavailable"),
        "rebalances": transforms.rebalances(facts),
        "ownership": transforms.ownership(facts),
        "lag": transforms.lag(facts, LAG_MS),
    }
    answers = {table: (answer.columns[1:], by_run(answer)) for table, answer in asked.items()}
    facts.unpersist()
    for run_id, name in runs.items():
        loaded = analysis.load(store, run_id)
        for table, (columns, found) in answers.items():
            wanted = loaded.lag(every=LAG_MS) if table == "lag" else getattr(loaded, table)()
            assert found.get(run_id, []) == by_pandas(wanted, columns), f"{table} of {name}"


@pytest.mark.spark
def test_moves_come_with_how_long_nobody_had_the_partition(spark: SparkSession, tmp_path: Path) -> None:
    from groupsim.pipeline import schemas, transforms

    store = MemoryStore()
    keep(store, "eager", eager())
    keep(store, "cooperative", cooperative())
    answer = transforms.moves(transforms.ownership(lake_of(spark, store, tmp_path / "lake")))
    assert answer.schema.simpleString() == schemas.MOVES.simpleString()
    # From logs.py: eager gives partition 1 to b at 130, at once; cooperative lets 2 and 3 lie from 113 to 1123.
    assert by_run(answer) == {
        "eager": [("billing", "orders", 1, 130, "a", "b", 0)],
        "cooperative": [("billing", "orders", 2, 1123, "a", "b", 1010), ("billing", "orders", 3, 1123, "a", "b", 1010)],
    }


@pytest.mark.spark
def test_a_zombie_comes_with_its_window(spark: SparkSession, tmp_path: Path) -> None:
    from groupsim.pipeline import schemas, transforms

    store = MemoryStore()
    run_id = run(find("zombie_member"), store).info.id
    keep(store, "calm", Log(partitions=1).start(0, "a").end(10))
    answer = transforms.windows(transforms.availability(lake_of(spark, store, tmp_path / "lake")))
    assert answer.schema.simpleString() == schemas.WINDOWS.simpleString()
    table = analysis.load(store, run_id).availability()
    wanted = table[table["label"].isin(["ZOMBIE_ONLY", "DOUBLE"])]
    found = by_run(answer)
    assert sum(row[-1] for row in found[run_id]) == total_ms(wanted["duration"]) > 0
    assert {row[0] for row in found[run_id]} <= {"zombie", "double"}
    assert found.keys() == {run_id}


def test_bodies_that_are_read_by_sql_have_had_one_shape_only() -> None:
    """`pipeline.lag` reads their stored bodies; an upcast of them must be repeated there."""
    read = {"TopicCreated", "PositionReady", "CommitAccepted"}
    assert {kind: CATALOGUE[kind].schema for kind in read} == dict.fromkeys(read, 1)
