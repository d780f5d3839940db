"""`groupsim import` takes logs and exported runs; `load` only these; `incident import` and `whatif` keep working."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Call

LOG = Path(__file__).parents[2] / "examples" / "incidents" / "max-poll-range" / "m2.0.log.gz"


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
@pytest.mark.parametrize("command", ["import", "load"])
def test_exported_runs_are_recognised(form: str, command: str, call: Call, tmp_path: Path) -> None:
    run = call("import", str(LOG), "--format", "json").json["run"]
    place = tmp_path / ("runs.jsonl" if form == "jsonl" else "lake")
    assert call("export", run, "--to", str(place)).status == 0
    answer = call(command, str(place), "--store", str(tmp_path / "other.db"), "--format", "json")
    assert (answer.status, [row["run"] for row in answer.json]) == (0, [run])


def test_a_log_and_an_export_are_not_mixed(call: Call, tmp_path: Path) -> None:
    call("import", str(LOG))
    call("export", "latest", "--to", "runs.jsonl")
    answer = call("import", str(LOG), "runs.jsonl")
    assert answer.status == 2
    assert "runs.jsonl is an exported run" in answer.err
    assert "groupsim load runs.jsonl" in answer.err


@pytest.mark.parametrize("words", [("import",), ("incident", "import")])
def test_both_names_of_an_import_do_the_same(words: tuple[str, ...], call: Call, tmp_path: Path) -> None:
    json_lines = tmp_path / "app.jsonl"  # a platform's export of logs is no exported run
    json_lines.write_text('{"message": "x"}\n', encoding="utf-8")
    assert call(*words, str(LOG), str(json_lines), "--format", "json").json["groups"]


def test_both_names_of_a_what_if_do_the_same(call: Call) -> None:
    call("import", str(LOG))
    asked = ("latest", "--set", "max.poll.interval.ms=600000", "--seeds", "0:2", "--format", "json")
    assert call("whatif", *asked) == call("incident", "whatif", *asked)
