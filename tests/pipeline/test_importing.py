"""Out of a store and into another one: the same bytes, or a sentence and nothing at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from groupsim.events.errors import GroupsimError
from groupsim.pipeline.export import export_jsonl, export_parquet
from groupsim.pipeline.importing import import_runs
from groupsim.pipeline.is_export import FILE
from groupsim.storage import EventStore, open_store
from groupsim.storage.audit import audit
from groupsim.storage.store import RunInfo, RunStatus
from tests.storage.facts import info, write

RUNS = ["eager", "007", "cut", "long"]


@pytest.fixture
def full(store: EventStore) -> EventStore:
    """Besides two finished runs one whose writer is gone, and one of several batches with all that can be known."""
    write(store, "cut", 1200)
    about = info(
        "long",
        seed=3,
        params={"a": 1, "b": 2.0, "c": True, "d": "x"},
        scenario_path="s.py",
        origin="2026-01-01T00:00:00.000Z",
    )
    store.import_run(
        msgspec.structs.replace(about, status="failed", facts=1200, simulated_ms=11_990), store.rows("cut")
    )
    return store


@pytest.fixture(params=[":memory:", "other.db"])
def other(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EventStore]:
    opened = open_store(request.param if request.param == ":memory:" else tmp_path / request.param)
    yield opened
    opened.close()


def held(store: EventStore, runs: list[str]) -> dict[str, object]:
    return {run: (store.find(run), list(store.rows(run)), store.run_checksum(run)) for run in runs}


def test_json_lines_come_back_to_the_byte(full: EventStore, other: EventStore, tmp_path: Path) -> None:
    file = export_jsonl(full, RUNS, tmp_path / "out.jsonl")
    assert [(got.id, new) for got, new in import_runs(other, file)] == [(run, True) for run in RUNS]
    assert held(other, RUNS) == held(full, RUNS)
    assert export_jsonl(other, RUNS, tmp_path / "again.jsonl").read_bytes() == file.read_bytes()
    assert all(audit(other, other.find(run)) is None for run in RUNS)


def test_parquet_comes_back_to_the_byte(full: EventStore, other: EventStore, tmp_path: Path) -> None:
    files = export_parquet(full, RUNS, tmp_path / "lake")
    assert {got.id for got, new in import_runs(other, tmp_path / "lake") if new} == set(RUNS)
    assert held(other, RUNS) == held(full, RUNS)
    again = export_parquet(other, RUNS, tmp_path / "again")
    assert [file.read_bytes() for file in again] == [file.read_bytes() for file in files]


def test_one_run_of_a_lake_comes_by_its_folder_or_file(full: EventStore, other: EventStore, tmp_path: Path) -> None:
    (file, _) = export_parquet(full, ["007", "eager"], tmp_path / "lake")
    assert [got.id for got, _ in import_runs(other, file.parent)] == ["007"]
    assert [(got.id, new) for got, new in import_runs(other, file)] == [("007", False)]


def test_a_run_whose_writer_was_killed_can_be_gone_on_with(full: EventStore, other: EventStore, tmp_path: Path) -> None:
    list(import_runs(other, export_jsonl(full, ["cut"], tmp_path / "out.jsonl")))
    assert other.find("cut").status == "running"
    assert other.resume("cut").finish(RunStatus.FINISHED, 5).digest == full.digest("cut")


def test_another_run_of_the_same_id_is_refused_and_stays(full: EventStore, other: EventStore, tmp_path: Path) -> None:
    write(other, "eager", 3)
    file = export_jsonl(full, ["eager"], tmp_path / "out.jsonl")
    with pytest.raises(GroupsimError, match=r"out\.jsonl, from line 1: run eager already exists in"):
        list(import_runs(other, file))
    assert other.find("eager").facts == 3


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (b'"m700"', b'"m701"', "long has a digest that does not fit its facts"),
        (b'"seq":700,', b'"seq":701,', "expected fact 700, got fact 701"),
        (b'"version":700,', b'"version":1,', "seq 700: expected version 700 of group:g, got version 1"),
        (b',"member":"m700"}', b"", r"line 701: not a line of an export"),
        (b'"type":"MemberSynced","schema":1,', b'"type":"Levitated","schema":1,', "unknown fact type 'Levitated'"),
        (b',"info":{', b',"info":null,"x":{', "line 1: the first line of run long has no `info` of it"),
        (b'"facts":1200', b'"facts":1201', "should have 1201 facts, but has 1200"),
    ],
)
def test_a_changed_export_is_refused_and_leaves_nothing(
    full: EventStore, other: EventStore, tmp_path: Path, old: bytes, new: bytes, sentence: str
) -> None:
    file = export_jsonl(full, ["long"], tmp_path / "out.jsonl")
    text = file.read_bytes()
    assert old in text
    file.write_bytes(text.replace(old, new, 1))
    with pytest.raises(GroupsimError, match=sentence):
        list(import_runs(other, file))
    assert other.runs() == []


def test_what_is_no_export_is_named(other: EventStore, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "bad.parquet").write_text("x")
    (tmp_path / "empty").mkdir()
    for name, sentence in (
        ("nowhere", "there is no .*nowhere"),
        ("nowhere.jsonl", r"nowhere\.jsonl can't be read: No such file"),
        ("notes.txt", r"notes\.txt is neither a \.jsonl nor a \.parquet file"),
        ("bad.parquet", r"bad\.parquet can't be read: "),
        ("empty", rf"empty has no run=…/{FILE}"),
    ):
        with pytest.raises(GroupsimError, match=sentence):
            list(import_runs(other, tmp_path / name))


def test_parquet_of_another_program_is_refused(other: EventStore, tmp_path: Path) -> None:
    pq.write_table(pa.table({"seq": [1]}), tmp_path / "x.parquet")
    with pytest.raises(GroupsimError, match=r"x\.parquet was not written by `groupsim export`"):
        list(import_runs(other, tmp_path / "x.parquet"))


def test_a_summary_and_settings_of_every_type_come_back(full: EventStore, other: EventStore, tmp_path: Path) -> None:
    list(import_runs(other, export_jsonl(full, ["long"], tmp_path / "out.jsonl")))
    got: RunInfo = other.find("long")
    assert [type(value) for value in got.params.values()] == [int, float, bool, str]
    assert (got.seed, got.scenario_path, got.origin) == (3, "s.py", "2026-01-01T00:00:00.000Z")
