"""A store read by Spark without an export: the same rows, whatever is asked, and a tail that misses nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from groupsim.events.catalogue import STATE_CHANGING
from groupsim.pipeline.schemas import FACTS
from groupsim.storage import EventStore
from groupsim.storage.store import RunInfo, RunSource
from tests.pipeline.logs import eager

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def place(store: EventStore, tmp_path: Path) -> str:
    """The path of the store with runs `eager` and `007`."""
    return str(tmp_path / "store.db")


def stored(store: EventStore, *runs: str) -> list[tuple[Any, ...]]:
    return [(run, *row) for run in runs for row in store.rows(run)]


@pytest.mark.spark
def test_a_store_is_read_as_the_lake_is_in_as_many_parts_as_asked_for(
    spark: SparkSession, store: EventStore, place: str
) -> None:
    frame = spark.read.format("groupsim").option("store", place).option("rows", "10").load()
    assert frame.schema == FACTS
    assert sorted(map(tuple, frame.collect())) == sorted(stored(store, "eager", "007"))
    facts = {info.id: info.facts for info in store.runs()}
    assert frame.rdd.getNumPartitions() == sum(-(-n // 10) for n in facts.values())
    one = spark.read.format("groupsim").option("run", "eag").load(place)
    assert sorted(map(tuple, one.collect())) == stored(store, "eager")
    narrow = spark.read.format("groupsim").schema("seq bigint, run string").option("run", "007").load(place)
    assert sorted(map(tuple, narrow.collect())) == [(seq, "007") for seq in range(facts["007"])]


ASKED = [
    "run = '007' and type in ('ViewChanged', 'SyncOk')",
    "type = 'ViewChanged' and at_ms <= 120",
    "seq >= 5 and seq < 20",
    "at_ms > 110 and at_ms < 130",
    "run = 'gone'",
    "type = 'NoSuchFact'",
    "stream like 'group:%'",
]


@pytest.mark.spark
def test_each_question_to_one_frame_gets_its_own_rows(spark: SparkSession, store: EventStore, place: str) -> None:
    """Spark keeps filters that a Python source takes, for the next question; ours takes none."""
    frame = spark.read.format("groupsim").load(place)
    every = spark.createDataFrame(stored(store, "eager", "007"), FACTS)
    for asked in [*ASKED, "true"]:
        rows = sorted(map(tuple, frame.where(asked).collect()))
        assert rows == sorted(map(tuple, every.where(asked).collect())), asked
    one, other = frame.where("type = 'ViewChanged'"), frame.where("type = 'SyncOk'")
    both = every.where("type in ('ViewChanged', 'SyncOk')")
    assert sorted(map(tuple, one.union(other).collect())) == sorted(map(tuple, both.collect()))


@pytest.mark.spark
def test_options_choose_what_the_store_is_asked_for(spark: SparkSession, store: EventStore, place: str) -> None:
    every = stored(store, "eager", "007")
    read = spark.read.format("groupsim").option("until_ms", "120")
    some = read.option("types", "ViewChanged, SyncOk").load(place).collect()
    assert sorted(map(tuple, some)) == sorted(
        row for row in every if row[5] in ("ViewChanged", "SyncOk") and row[2] <= 120
    )
    state_changing = read.option("types", "state-changing").option("run", "007").load(place).collect()
    assert sorted(map(tuple, state_changing)) == [
        row for row in every if row[0] == "007" and row[5] in STATE_CHANGING and row[2] <= 120
    ]


@pytest.mark.spark
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, 'needs option("store", path or URL)'),
        ({"store": "gone.db"}, "there is no store at"),
        ({"store": ":memory:"}, 'needs option("store", path or URL)'),
        ({"rows": "none", "store": "x.db"}, "a whole number of facts, at least 1, is expected"),
        ({"until_ms": "soon", "store": "x.db"}, "a whole number of milliseconds is expected"),
        ({"types": "SyncOk,ViewChange", "store": "x.db"}, "did you mean ViewChanged"),
    ],
)
def test_a_wrong_option_is_named(spark: SparkSession, options: dict[str, str], said: str) -> None:
    with pytest.raises(Exception, match=r".+") as caught:
        spark.read.format("groupsim").options(**options).load().collect()
    assert said in str(caught.value)


@pytest.mark.spark
def test_a_stream_tails_the_store_and_goes_on_from_its_checkpoint(
    spark: SparkSession, store: EventStore, place: str, tmp_path: Path
) -> None:
    def tail(name: str) -> list[tuple[Any, ...]]:
        stream = spark.readStream.format("groupsim").option("rows", "25").load(place)
        query = (
            stream.writeStream.format("parquet")
            .option("path", str(tmp_path / "out"))
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination(120)
        assert query.exception() is None, name
        return sorted(map(tuple, spark.read.schema(FACTS).parquet(str(tmp_path / "out")).collect()))

    assert tail("what is there") == sorted(stored(store, "eager", "007"))
    writer = store.begin(RunInfo(id="late", name="by hand", source=RunSource.SIMULATED))
    for fact in eager().facts:
        writer.append(fact.at_ms, fact.stream, [fact.event])
    writer.flush()  # and it is still running
    assert tail("what came since") == sorted(stored(store, "eager", "007", "late"))
