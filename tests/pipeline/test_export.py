"""Exports: byte for byte what the store holds, and never half of it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import msgspec
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from groupsim.pipeline.errors import PipelineError
from groupsim.pipeline.export import RUN_KEY, export_jsonl, export_parquet
from groupsim.pipeline.is_export import FILE
from groupsim.pipeline.schemas import FACTS, LAKE
from groupsim.storage import EventStore
from groupsim.storage.codec import COLUMNS, Row, digest_of
from groupsim.storage.errors import UnknownRun
from groupsim.storage.store import RunInfo
from tests.pipeline.logs import eager, keep
from tests.signal_at import signal_at


def rows_of(file: Path) -> list[Row]:
    """In the run's order; in a file they are ordered by type."""
    table = pq.ParquetFile(file).read()
    types = table["type"].to_pylist()
    assert types == sorted(types)
    table = table.sort_by("seq")
    return list(zip(*[table[name].to_pylist() for name in COLUMNS], strict=True))


def test_a_parquet_file_holds_the_stores_rows_and_so_has_their_digest(store: EventStore, tmp_path: Path) -> None:
    files = export_parquet(store, ["eager", "007"], tmp_path / "lake")
    assert files == [tmp_path / "lake" / "run=eager" / FILE, tmp_path / "lake" / "run=007" / FILE]
    for run, file in zip(("eager", "007"), files, strict=True):
        assert rows_of(file) == list(store.rows(run))
        assert digest_of(rows_of(file)) == store.find(run).digest
        metadata = pq.read_schema(file).metadata
        assert msgspec.json.decode(metadata[RUN_KEY], type=RunInfo) == store.find(run)


def test_arrow_reads_the_lake_as_one_table_with_the_run_from_the_folder(store: EventStore, tmp_path: Path) -> None:
    odd = "a=b:c@d+e,f"
    keep(store, odd, eager())
    export_parquet(store, ["eager", odd], tmp_path)
    names = ds.partitioning(flavor="hive", schema=None)
    table = ds.dataset(tmp_path, partitioning=names, format="parquet", exclude_invalid_files=True).to_table()
    assert sorted(set(table["run"].to_pylist())) == [odd, "eager"]
    assert table.num_rows == 2 * len(eager().facts)


def test_both_schemas_of_the_lake_have_the_stores_columns() -> None:
    assert ("run", *LAKE.names) == tuple(FACTS.names) == ("run", *COLUMNS)


def test_exporting_again_replaces_and_leaves_no_other_files(store: EventStore, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    first = export_parquet(store, ["eager"], lake)[0].read_bytes()
    (lake / "run=eager" / FILE).write_bytes(b"half a file of an earlier machine")
    assert export_parquet(store, ["eager"], lake)[0].read_bytes() == first
    assert [str(file.relative_to(lake)) for file in sorted(lake.rglob("*"))] == ["run=eager", f"run=eager/{FILE}"]


def test_a_folder_with_other_files_of_the_run_is_refused(store: EventStore, tmp_path: Path) -> None:
    (tmp_path / "run=eager").mkdir()
    (tmp_path / "run=eager" / "part-0.parquet").touch()
    with pytest.raises(PipelineError, match=r"already has part-0\.parquet; exporting eager there would"):
        export_parquet(store, ["eager"], tmp_path)


def test_an_export_that_breaks_off_leaves_the_earlier_one(store: EventStore, tmp_path: Path) -> None:
    class Torn:
        """A store that fails in the middle of a read."""

        def __getattr__(self, name: str) -> object:
            return getattr(store, name)

        def rows(self, run: str) -> object:
            yield from list(store.rows(run))[:5]
            raise OSError(5, "Input/output error")

    lake, lines = tmp_path / "lake", tmp_path / "facts.jsonl"
    before = export_parquet(store, ["eager"], lake)[0].read_bytes(), export_jsonl(store, ["eager"], lines).read_bytes()
    with pytest.raises(PipelineError, match=r"facts\.parquet can't be written: Input/output error"):
        export_parquet(Torn(), ["eager"], lake)  # type: ignore[arg-type]
    with pytest.raises(PipelineError, match=r"facts\.jsonl can't be written: Input/output error"):
        export_jsonl(Torn(), ["eager"], lines)  # type: ignore[arg-type]
    assert ((lake / "run=eager" / FILE).read_bytes(), lines.read_bytes()) == before
    assert {file.name for file in tmp_path.rglob("*") if file.is_file()} >= {FILE, lines.name}
    assert not list(tmp_path.rglob(".*"))


def test_json_lines_hold_every_column_and_the_bodys_own_text(store: EventStore, tmp_path: Path) -> None:
    class Line(msgspec.Struct, forbid_unknown_fields=True):
        run: str
        seq: int
        at_ms: int
        stream: str
        version: int
        type: str
        schema: int
        body: msgspec.Raw
        source: str | None
        info: RunInfo | None = None

    file = export_jsonl(store, ["007", "eager"], tmp_path / "facts.jsonl")
    lines = [msgspec.json.decode(line, type=Line) for line in file.read_bytes().splitlines()]
    for run in ("007", "eager"):
        rows = [
            (x.seq, x.at_ms, x.stream, x.version, x.type, x.schema, bytes(x.body).decode(), x.source)
            for x in lines
            if x.run == run
        ]
        assert digest_of(rows) == store.find(run).digest
    assert [x.run for x in lines] == sorted(x.run for x in lines)
    assert [x.info for x in lines if x.seq == 0] == [store.find("007"), store.find("eager")]
    assert not any(x.info for x in lines if x.seq > 0)


def test_a_run_that_does_not_exist_makes_no_file(store: EventStore, tmp_path: Path) -> None:
    with pytest.raises(UnknownRun, match="no run 'lazy'"):
        export_parquet(store, ["lazy"], tmp_path / "lake")
    with pytest.raises(UnknownRun, match="no run 'lazy'"):
        export_jsonl(store, ["eager", "lazy"], tmp_path / "facts.jsonl")
    assert not (tmp_path / "lake").exists()
    assert not (tmp_path / "facts.jsonl").exists()


def test_a_place_that_can_not_be_written_is_named(store: EventStore, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PipelineError, match=r"file/run=eager/facts\.parquet can't be written: "):
        export_parquet(store, ["eager"], tmp_path / "file")
    with pytest.raises(PipelineError, match=r"file/x\.jsonl can't be written: "):
        export_jsonl(store, ["eager"], tmp_path / "file" / "x.jsonl")


def test_a_place_whose_name_is_no_utf_8_is_named(store: EventStore, tmp_path: Path) -> None:
    with pytest.raises(PipelineError, match=r"facts\.parquet can't be written: 'utf-8' codec can't encode"):
        export_parquet(store, ["eager"], tmp_path / "\udcff")


@pytest.mark.filterwarnings("ignore:transaction already deassociated")  # SQLAlchemy, of the transaction it left
def test_an_interrupted_export_leaves_no_folder_either(store: EventStore, tmp_path: Path) -> None:
    with signal_at(0) as places:
        export_parquet(store, ["eager"], tmp_path / "whole")
    for nth in Random(5).sample(range(1, places.seen), 8):
        lake = tmp_path / str(nth)
        try:
            with signal_at(nth):
                export_parquet(store, ["eager"], lake)
        except KeyboardInterrupt:
            assert not lake.exists() or rows_of(lake / "run=eager" / FILE) == list(store.rows("eager"))
