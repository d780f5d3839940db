"""Exports that are cut or damaged, and files that hold an answer without records."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from pathlib import Path

import pytest

from groupsim.analysis.tables.summary import summarise
from groupsim.cli.main import status
from groupsim.incidents.errors import LogError
from groupsim.incidents.facts.importer import import_run
from groupsim.incidents.logs.reading import read_files
from groupsim.storage.log_gaps import unsupported
from groupsim.storage.memory import MemoryStore
from tests.incidents.exports.layouts import Line, lines_of
from tests.incidents.exports.test_layouts import EXAMPLES, INCIDENTS, figures, plain


def dumped(lines: list[Line]) -> list[str]:
    """One hit a line, in no order: records of one time stand in the order of `log.offset`."""
    hits = [
        json.dumps({"_id": f"{line.stream}{line.number}", "_source": {"@timestamp": line.iso(), "message": line.text,
        "log": {"offset": 700 + 91 * line.number}, "kubernetes": {"pod": {"name": line.stream}}}})
        for line in lines
    ]  # fmt: skip
    return sorted(hits, key=lambda hit: hash_of(hit))


def hash_of(text: str) -> int:
    """A number that puts texts in an order that means nothing."""
    return sum(place * ord(letter) for place, letter in enumerate(text, 1)) * 7919 % 10_007


@pytest.mark.parametrize("where", ["last", "middle"])
def test_a_broken_json_line_is_left_out_and_said(tmp_path: Path, where: str) -> None:
    hits = dumped(lines_of(EXAMPLES / INCIDENTS[0]))
    export = tmp_path / "dump.json"
    at = len(hits) if where == "last" else len(hits) // 2
    export.write_text("\n".join([*hits[:at], hits[0][:200], *hits[at:]]))
    reading = read_files([export])
    said = "the last line is cut off and left out" if where == "last" else "1 line that is no whole JSON left out"
    assert [sentence for sentence in reading.damage if said in sentence] == reading.damage != []
    assert len(reading.files) == 4
    assert figures([export]) == plain(INCIDENTS[0])


@pytest.mark.parametrize(("spoilt", "said"), [("cut", "ends before its end; its last lines are missing"),
                                              ("sum", "CRC check failed")])  # fmt: skip
@pytest.mark.parametrize("form", ["log", "json"])
def test_a_damaged_gzip_is_read_as_far_as_it_goes(tmp_path: Path, form: str, spoilt: str, said: str) -> None:
    if form == "json":
        text = "\n".join(dumped(lines_of(EXAMPLES / INCIDENTS[0]))).encode()
    else:
        text = gzip.decompress(next((EXAMPLES / INCIDENTS[0]).glob("*broker*.log.gz")).read_bytes())
    packed = bytearray(gzip.compress(text))
    packed[-8] ^= 1
    path = tmp_path / f"a.{form}.gz"
    path.write_bytes(packed if spoilt == "sum" else packed[: len(packed) * 9 // 10])
    reading = read_files([path])
    assert reading.counts.lines > 0.6 * text.count(b"\n") or form == "json"
    assert len(reading.rows) > 10
    assert sum(said in sentence for sentence in reading.damage) == 1
    store = MemoryStore()
    run = import_run(reading, store, name=None, topics={}).run
    assert any(said in reason for reason in unsupported(run.summary or {}))
    assert summarise(list(store.read(run.id)))["groups"]


def packed_zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.log", "x")
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"status":"error","error":"max entries limit per query exceeded, limit > max_entries"}',
         'it holds no records, but the error "max entries limit per query exceeded, limit > max_entries"'),
        (b'{"error":{"root_cause":[{"reason":"buckets"}],"reason":"all\\u001b[31m shards failed"},"status":503}',
         'but the error "all shards failed"'),
        (b'{"errors":[{"title":"Generic Error","detail":"' + b"x" * 900 + b'"}]}', 'but the error "xxx'),
        (b'{"status":"success","data":{"resultType":"streams","result":[]}}', "check the query and its hours"),
        (b'{"took":3,"hits":{"total":{"value":0},"hits":[]}}', "it holds no records; check the query and its hours"),
        (b"[]", "it holds no records; check the query and its hours"),
        (b"timestamp,message\n", "it holds no records; check the query and its hours"),
        (b"", "it is empty (0 bytes)"),
        (packed_zip(), "it is a ZIP archive; unpack it"),
        (bytes(range(256)) * 9, "it is not a text"),
        (b"hello\n", "(1 line read); expected are logs of Kafka brokers or clients"),
    ],
)  # fmt: skip
def test_an_answer_without_records_is_named(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "answer"
    path.write_bytes(data)
    with pytest.raises(LogError, match=r"nothing to import$") as refused:
        import_run(read_files([path]), MemoryStore(), name=None, topics={})
    assert said in str(refused.value)
    assert len(str(refused.value)) < 500
    assert "\x1b" not in str(refused.value)


def test_incident_read_names_it_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "answer.json"
    path.write_text('{"status":"error","error":"timeout"}')
    assert status(["incident", "read", str(path)]) == 2
    said = capsys.readouterr().err
    assert "1 line read, 0 recognised" in said
    assert (
        'answer.json: no line names a consumer group (1 line read; it holds no records, but the error "timeout")'
        in said
    )
