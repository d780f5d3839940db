"""Lines about groups in unknown words are counted by wording and listed, most frequent first."""

from __future__ import annotations

from pathlib import Path

import pytest

from groupsim.cli.main import status
from groupsim.incidents.logs.reading import read_files
from groupsim.incidents.logs.unknown_wordings import by_wording
from tests.incidents.lines import stamped, write

LINES = [
    stamped(1, 'consumer group "billing" has lost its members'),
    *(stamped(2 + n, f"rebalance number {n} of '{name}' moved orders-{n}") for n, name in enumerate("abc")),
    stamped(8, "joined group billing-7 somehow"),
]


def test_lines_that_differ_in_names_and_numbers_are_of_one_wording(tmp_path: Path) -> None:
    found = by_wording(read_files([write(tmp_path, *LINES)]).unrecognised)
    assert [(each.lines, each.example.line) for each in found] == [(3, 2), (1, 1), (1, 5)]
    assert found[0].wording.startswith("rebalance number … of … moved ")


def test_the_list_shows_each_wording_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = write(tmp_path, *LINES)
    assert status(["incident", "read", str(log), "--unrecognised"]) == 0
    printed = capsys.readouterr().err.splitlines()
    listed = [line for line in printed if line.startswith(f"{log}:")]
    assert [line.removeprefix(f"{log}:").partition(":")[0] for line in listed] == ["2", "1", "5"]
    assert listed[0].endswith("moved orders-0 (3 lines like it)")
    assert any(line.endswith("5 group-related but not recognised") for line in printed)


def test_json_output_has_no_wordings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = write(tmp_path, *LINES)
    assert status(["incident", "read", str(log), "--unrecognised", "--format", "json"]) == 0
    assert capsys.readouterr().out.strip() == "[]"
