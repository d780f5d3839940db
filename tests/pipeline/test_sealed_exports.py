"""An export is sealed: a changed head, a missing digest or seal, and bytes that nobody wrote are one sentence."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq
import pytest

from groupsim.events.errors import GroupsimError
from groupsim.pipeline.export import RUN_KEY, export_jsonl, export_parquet
from groupsim.pipeline.importing import exported, import_all, import_runs
from groupsim.storage import open_store
from groupsim.storage.codec import COLUMNS, digest_of
from groupsim.storage.memory import MemoryStore
from groupsim.storage.store import RunStatus
from tests.storage.facts import info, write

ENDED, CUT = "ended", "cut"


@pytest.fixture
def full() -> MemoryStore:
    store = MemoryStore()
    write(store, CUT, 120)
    about = info(ENDED, seed=3, params={"a": 1}, origin="2026-01-01T00:00:00.000Z", simulated_ms=1_200, facts=120)
    store.import_run(msgspec.structs.replace(about, status=RunStatus.FINISHED), store.rows(CUT))
    return store


def refused(path: Path) -> str:
    store = MemoryStore()
    with pytest.raises(GroupsimError) as caught:
        list(import_runs(store, path))
    assert store.runs() == []
    assert str(path) in str(caught.value)
    return str(caught.value)


def edited(file: Path, edit: Callable[[dict[str, Any]], None], line: int = 0) -> Path:
    lines = file.read_bytes().splitlines()
    first = msgspec.json.decode(lines[line])
    edit(first)
    lines[line] = msgspec.json.encode(first)
    file.write_bytes(b"\n".join(lines) + b"\n")
    return file


CHANGES: dict[str, Any] = {
    "seed": 4,
    "name": "another",
    "params": {"a": 2},
    "status": "failed",
    "origin": "2026-01-01T01:00:00.000Z",
    "summary": {"notes": ["all is well"]},
    "simulated_ms": 1_300,
    "record": "facts",
    "source": "recorded",
    "created_at": "2026-01-01T00:00:00.000+00:00",
    "scenario_path": "evil.py",
}


@pytest.mark.parametrize("run", [ENDED, CUT])
@pytest.mark.parametrize("field", CHANGES)
def test_every_field_of_the_head_is_under_the_seal(full: MemoryStore, tmp_path: Path, run: str, field: str) -> None:
    file = export_jsonl(full, [run], tmp_path / "x.jsonl")
    file = edited(file, lambda first: first["info"].update({field: CHANGES[field]}))
    assert "not as it was exported" in refused(file) or run == CUT


@pytest.mark.parametrize("field", CHANGES)
def test_that_of_parquet_is_too(full: MemoryStore, tmp_path: Path, field: str) -> None:
    (file,) = export_parquet(full, [ENDED], tmp_path)
    table = pq.ParquetFile(file).read()
    head = msgspec.json.decode(table.schema.metadata[RUN_KEY])
    head[field] = CHANGES[field]
    pq.write_table(table.replace_schema_metadata({RUN_KEY: msgspec.json.encode(head)}), file)
    assert "not as it was exported" in refused(file)


@pytest.mark.parametrize("field", ["digest", "seal"])
def test_a_finished_run_without_digest_or_seal_is_refused(full: MemoryStore, tmp_path: Path, field: str) -> None:
    file = edited(export_jsonl(full, [ENDED], tmp_path / "x.jsonl"), lambda first: first["info"].pop(field))
    assert f"has no {field}: the export was changed" in refused(file)


def test_an_older_export_is_read_with_a_warning(full: MemoryStore, tmp_path: Path) -> None:
    file = export_jsonl(full, [ENDED], tmp_path / "x.jsonl")

    def as_of_old(first: dict[str, Any]) -> None:
        for field in ("seal", "format"):
            first["info"].pop(field)

    file = edited(file, as_of_old)
    said: list[str] = []
    ((got, new),) = import_all(MemoryStore(), exported(file), said.append)
    assert (got, new) == (full.find(ENDED), True)
    assert ["without a seal" in sentence for sentence in said] == [True]


def test_facts_of_an_unfinished_run_are_under_the_seal(full: MemoryStore, tmp_path: Path) -> None:
    file = export_jsonl(full, [CUT], tmp_path / "x.jsonl")
    file = edited(file, lambda first: first["body"].update(member="somebody else"), line=7)
    assert "not as it was exported" in refused(file)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("origin", "yesterday"),
        ("origin", "9999-12-31T23:59:59Z"),
        ("created_at", "x"),
        ("facts", -1),
        ("simulated_ms", 2**60),
        ("simulated_ms", 10**30),
        ("facts", 10**30),
        ("seed", 10**30),
        ("digest", "g" * 64),
        ("summary", {"doubts": [{"group": 3}]}),
        ("summary", {"given": "session.timeout.ms"}),
        ("summary", {"given": {"session.timeout.ms": -1}}),
        ("name", "x" * 1_000_000),
        ("unknown", 1),
        ("status", "odd"),
    ],
)
def test_what_can_not_be_is_refused_whatever_the_seal(
    full: MemoryStore, tmp_path: Path, field: str, value: object
) -> None:
    file = export_jsonl(full, [ENDED], tmp_path / "x.jsonl")

    def forge(first: dict[str, Any]) -> None:
        first["info"].pop("seal")
        first["info"].pop("format")
        first["info"][field] = value

    refused(edited(file, forge))
    other = open_store(tmp_path / "other.db")
    with pytest.raises(GroupsimError):
        list(import_runs(other, file))
    assert other.runs() == []
    other.close()


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("at_ms", -1, "it can't be at -1 ms"),
        ("at_ms", 2**62, f"it can't be at {2**62} ms"),
        ("at_ms", 0, "it can't be at 0 ms"),
        ("at_ms", 1.5, "Expected `int`"),
        ("at_ms", 5_000, "can't end at"),
        ("seq", -3, "got fact -3"),
    ],
)
def test_a_time_that_can_not_be_is_refused(
    full: MemoryStore, tmp_path: Path, field: str, value: float, said: str
) -> None:
    """With a digest that fits: who forges can compute it."""
    rows = list(full.rows(CUT))
    at_ms, last = rows[100][1], len(rows) - 1
    assert 0 < at_ms < 5_000
    place = last if value == 5_000 else 100
    file = export_jsonl(full, [ENDED], tmp_path / "x.jsonl")
    edited(file, lambda line: line.update({field: value}), line=place)
    if isinstance(value, int):
        row = list(rows[place])
        row[COLUMNS.index(field)] = value
        rows[place] = tuple(row)  # type: ignore[assignment]

    def forge(first: dict[str, Any]) -> None:
        first["info"].pop("seal")
        first["info"].pop("format")
        first["info"]["digest"] = digest_of(rows)

    assert said in refused(edited(file, forge))


def test_text_that_is_not_utf_8_is_one_sentence(full: MemoryStore, tmp_path: Path) -> None:
    file = export_jsonl(full, [ENDED], tmp_path / "x.jsonl")
    for old in (b'"m7"', b'"stream":"g', b'"name":"'):
        text = file.read_bytes()
        at = text.index(old) + len(old) - 1
        (tmp_path / "y.jsonl").write_bytes(text[:at] + b"\xff\xfe" + text[at:])
        refused(tmp_path / "y.jsonl")


def test_deep_nesting_is_one_sentence(full: MemoryStore, tmp_path: Path) -> None:
    text = export_jsonl(full, [ENDED], tmp_path / "x.jsonl").read_bytes()
    deep = b'"summary":{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    assert b'"summary":{}' in text
    (tmp_path / "y.jsonl").write_bytes(text.replace(b'"summary":{}', deep, 1))
    refused(tmp_path / "y.jsonl")


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_a_flipped_bit_is_refused_or_changes_nothing(full: MemoryStore, tmp_path: Path, kind: str) -> None:
    """Some bits of a file mean nothing: spaces, statistics of Parquet. What is imported is what was exported."""
    rng = random.Random(7)
    if kind == "jsonl":
        file = export_jsonl(full, [ENDED], tmp_path / "x.jsonl")
    else:
        (file,) = export_parquet(full, [ENDED], tmp_path)
    text = file.read_bytes()
    rows = list(full.rows(ENDED))
    passed = 0
    for _ in range(150):
        at = rng.randrange(len(text))
        file.write_bytes(text[:at] + bytes([text[at] ^ (1 << rng.randrange(8))]) + text[at + 1 :])
        store = MemoryStore()
        try:
            list(import_runs(store, file))
        except GroupsimError:
            assert store.runs() == []
            continue
        passed += 1
        assert store.runs() == [full.find(ENDED)]
        assert list(store.rows(ENDED)) == rows
    assert passed < 75
