"""Recordings of the live topic: what is written is read, and a recorder that was killed continues where it was."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groupsim.cli.main import status
from groupsim.incidents.errors import LogError
from groupsim.incidents.offsets_topic import live
from groupsim.incidents.offsets_topic.batches import BatchReader
from groupsim.incidents.offsets_topic.entries import entries
from groupsim.incidents.offsets_topic.live import group_of, partition_of
from groupsim.incidents.offsets_topic.reader import Form, form_of
from groupsim.incidents.offsets_topic.recording import Head, Line, RecordingReader, continued, head_line, record_line
from groupsim.incidents.offsets_topic.segments import SegmentReader
from tests.incidents.offsets_topic.segment_files import fields

GOLDEN = Path(__file__).parents[2] / "golden" / "offsets-topic"
SEGMENT = GOLDEN / "dev-classic-3__00000000000000000000.log.gz"
HEAD = Head(groups=("a", "b"), partitions=50)


def _lines() -> list[bytes]:
    return [
        record_line(Line(0, each.offset, each.timestamp, each.key, each.value))
        for batch in BatchReader(SEGMENT)
        for each in entries(batch)
    ]


def test_a_recording_has_what_the_segment_has(tmp_path: Path) -> None:
    path = tmp_path / "recording.jsonl"
    path.write_bytes(head_line(HEAD) + b"".join(_lines()))
    assert form_of(path) is Form.RECORDING
    reader = RecordingReader(path)
    recorded, kept = list(reader), list(SegmentReader([SEGMENT]))
    assert [fields(record)[:1] + fields(record)[2:] for record in recorded] == [
        fields(record)[:1] + fields(record)[2:] for record in kept
    ]
    assert (reader.unknown, reader.damage) == ({}, [])
    same_batch = sum(ours.batch == theirs.batch for ours, theirs in zip(recorded, kept, strict=True))
    assert same_batch > len(kept) * 0.9


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_recording_that_was_cut_anywhere_is_continued_without_loss(tmp_path: Path, data: st.DataObject) -> None:
    lines = _lines()[:30]
    whole = head_line(HEAD) + b"".join(lines)
    path = tmp_path / "recording.jsonl"
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
    last = continued(path, HEAD)
    with path.open("ab") as out:
        if out.tell() == 0:
            out.write(head_line(HEAD))
        out.write(b"".join(lines[last.get(0, -1) + 1 :]))
    assert path.read_bytes() == whole


def test_a_file_that_is_something_else_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("important\nnotes")
    with pytest.raises(LogError, match="no recording"):
        continued(path, HEAD)
    path.write_bytes(head_line(HEAD))
    with pytest.raises(LogError, match="other groups"):
        continued(path, Head(groups=("c",), partitions=50))
    assert path.read_bytes() == head_line(HEAD)


def test_damaged_lines_and_lines_that_stand_twice_are_named(tmp_path: Path) -> None:
    path = tmp_path / "recording.jsonl"
    lines = _lines()[:3]
    path.write_bytes(head_line(HEAD) + lines[0] + b"{nonsense}\n" + lines[1] + lines[1] + lines[2][:-20])
    reader = RecordingReader(path)
    assert [record.offset for record in reader] == [0, 1]
    assert reader.damage == [f"{path}: 2 lines are damaged and were left out"]
    assert reader.unknown == {"a record that stands twice in the recording": 1}


def test_groups_are_where_kafka_puts_them() -> None:
    assert partition_of("", 50) == 0
    assert partition_of("hello", 50) == 99162322 % 50  # Java: "hello".hashCode()
    assert partition_of("polygenelubricants", 50) == 0  # the hash is Integer.MIN_VALUE
    assert partition_of("hello world", 7) == 1794106052 % 7
    assert group_of(b"\x00\x63\x00\x01gx") == "g"
    assert group_of(b"\x00") is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--for", "soon"], "--for 'soon': expected a number with its unit: 30s, 10m, 2h"),
        (["--config", "missing"], "missing can't be read"),
    ],
)
def test_wrong_options_are_one_sentence(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert status(["incident", "record", "--bootstrap", "h:1", "--group", "g", *arguments]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_without_confluent_kafka_a_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "confluent_kafka", None)
    assert status(["incident", "record", "--bootstrap", "h:1", "--group", "g"]) == 2
    assert "pip install 'groupsim[record]'" in capsys.readouterr().err


@pytest.mark.parametrize(("host", "why"), [("nowhere.invalid:9092", "resolve"), ("127.0.0.1:9", "refused")])
def test_a_host_that_does_not_answer_is_named_with_what_was_tried_and_at_once_with_what_is_done(
    host: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(live, "_ANSWER_S", 1.0)
    assert status(["incident", "record", "--bootstrap", host, "--group", "g", "--for", "0s"]) == 2
    first, *_, last = capsys.readouterr().err.splitlines()
    assert first == f"asking {host} for the partitions of __consumer_offsets, for at most 1 s"
    assert last.startswith(f"groupsim: no broker answers at {host}: ")
    assert why in last.lower()
    assert "check host and port (--bootstrap)" in last
    assert not list(tmp_path.iterdir())
