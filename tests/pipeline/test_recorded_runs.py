"""Exported recorded runs: Spark's tables call unknown and bounded what the local ones do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from groupsim import analysis
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import Wanted, read_files
from groupsim.pipeline.export import export_parquet
from groupsim.pipeline.source import recorded_summaries
from groupsim.storage.store import EventStore

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.spark
def test_a_recorded_run_has_the_same_labels_and_bounds_on_spark(
    spark: SparkSession, store: EventStore, tmp_path: Path
) -> None:
    from groupsim.pipeline import lake

    topic = read_files(
        [*(EXAMPLES / "offsets-topic").rglob("*.log.gz")], wanted=Wanted(frozenset(["s04-kill9.range.d0.r1.a50"]))
    )
    logs = read_files([*(EXAMPLES / "incidents" / "kill9-range").glob("*.log.gz")])
    runs = [import_run(reading, store, name=None, topics={}).run.id for reading in (topic, logs)]
    export_parquet(store, [*runs, "eager"], tmp_path / "lake")
    assert recorded_summaries(tmp_path / "lake").keys() == set(runs)
    found = lake.availability(spark, tmp_path / "lake").collect()
    supports = {row.run: row for row in lake.support(spark, tmp_path / "lake").collect()}
    assert supports.keys() == set(runs)
    for run in (*runs, "eager"):
        local = analysis.load(store, run)
        mine = sorted((each.topic, each.partition, each.from_ms, each.to_ms, each.label) for each in local.intervals)
        spark_s = sorted((r.topic, r.partition, r.from_ms, r.to_ms, r.label) for r in found if r.run == run)
        assert spark_s == mine
        if local.support is not None:
            row, own = supports[run], local.support
            assert (row.known_share, row.inexact, row.unknown) == (own.known_share, own.inexact, own.unknown)
            assert (row.at_least_partition_ms, row.at_most_partition_ms) == (own.at_least_ms, own.at_most_ms)
    assert supports[runs[0]].unknown is not None
    assert supports[runs[1]].inexact
