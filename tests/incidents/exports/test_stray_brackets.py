"""JSON records with brackets and commas that do not belong to them, and the lines on which their messages stand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from groupsim.diagnosis.explain import explain_reading
from groupsim.diagnosis.to_text import as_text
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.row_kinds import RowKind

SAID = ("Revoke previously assigned partitions orders-0, orders-1", "(Re-)joining group", "(Re-)joining group")
KINDS = [RowKind.REVOKED, RowKind.JOINING, RowKind.JOINING]
CLOSERS = ["}", "}}", "]", ",", "],", "];", ")", ";"]


def record(second: int, said: str) -> dict[str, Any]:
    at = f"2025-04-01T08:00:{second:02}.000Z"
    return {"@timestamp": at, "level": "INFO", "message": f"[Consumer clientId=c1, groupId=billing] {said}"}


RECORDS = [record(second, said) for second, said in enumerate(SAID)]


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("closer", CLOSERS)
@pytest.mark.parametrize("newest_first", [False, True])
def test_each_line_is_a_record_whatever_bracket_closes_behind_it(
    tmp_path: Path, closer: str, newest_first: bool
) -> None:
    records = reversed(RECORDS) if newest_first else RECORDS
    log = written(tmp_path / "some.log", "".join(f"{json.dumps(each)}{closer}\n" for each in records))
    reading = read_files([log])
    assert [row.kind for row in reading.rows] == KINDS
    assert [row.line for row in reading.rows] == ([3, 2, 1] if newest_first else [1, 2, 3])
    assert reading.damage == []


@pytest.mark.parametrize("between", ["\n}\n", "\n]\n", "\n},\n", "\n"])
def test_documents_over_several_lines_are_read_past_a_stray_bracket(tmp_path: Path, between: str) -> None:
    log = written(tmp_path / "some.log", between.join(json.dumps(each, indent=2) for each in RECORDS))
    reading = read_files([log])
    assert [row.kind for row in reading.rows] == KINDS
    assert reading.damage == []


@pytest.mark.parametrize(
    "value",
    [
        RECORDS,
        {"hits": {"total": 3, "hits": [{"_index": "logs", "_source": each} for each in RECORDS]}},
        {"took": 3, "columns": ["@timestamp", "message"], "rows": [[r["@timestamp"], r["message"]] for r in RECORDS]},
    ],
)
@pytest.mark.parametrize("indent", [1, 2, 4])
def test_a_record_of_an_indented_document_has_the_line_of_its_message(
    tmp_path: Path, value: object, indent: int
) -> None:
    log = written(tmp_path / "some.json", json.dumps(value, indent=indent))
    lines = log.read_text(encoding="utf-8").splitlines()
    rows = read_files([log]).rows
    assert [row.kind for row in rows] == KINDS
    assert all(said in lines[row.line - 1] for row, said in zip(rows, SAID, strict=True))


@pytest.mark.parametrize("around", ["", "the service starts\n"])
def test_the_evidence_of_a_record_over_several_lines_is_its_message(tmp_path: Path, around: str) -> None:
    text = around + "\n".join(json.dumps(each, indent=2) for each in RECORDS) + "\n"
    explanation = explain_reading(read_files([written(tmp_path / "some.log", text)]))
    assert explanation is not None
    shown = [line for line in as_text(explanation) if line.startswith("    some.log:")]
    assert shown
    assert all('  "message": "[Consumer clientId=c1, groupId=billing]' in line for line in shown)


def test_lists_in_an_indented_record_are_kept(tmp_path: Path) -> None:
    said = record(0, "")
    said |= {"message": "[ConsumerGroup] Consumer has joined the group", "groupId": "billing", "memberId": "web-1"}
    said["memberAssignment"] = {"orders": [0, 1, 2, 3, 4, 5], "refunds": [0, 1, 2, 3, 4, 5]}
    (assigned,) = [
        row.detail["partitions"]
        for row in read_files([written(tmp_path / "some.log", json.dumps(said, indent=2))]).rows
        if row.kind is RowKind.ASSIGNED
    ]
    assert assigned == [f"{topic}-{number}" for topic in ("orders", "refunds") for number in range(6)]
