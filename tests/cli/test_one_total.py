"""One run has one figure: unavailable time after the group first worked, under one name in every command."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from groupsim import analysis
from groupsim.storage import open_store
from groupsim.storage.log_gaps import new_groups
from groupsim.wording.numbers import partition_seconds, partition_time, seconds
from tests.analysis.naive_outages import NAMES, counted, differences, marked
from tests.analysis.report.test_data import data
from tests.cli.conftest import Call

EXAMPLES = Path(__file__).parents[2] / "examples" / "incidents"
STARTED = {
    "rolling-restart-cooperative": ("recorded", 24_466, 463, 5_045),
    "kill9-range": ("recorded", 33_822, 804, 7_233),
    "zombie_member": ("this run", 9_138, 36_120, 3_046),
    "initial_delay": ("this run", 672, 240, 56),
}


def begun(call: Call, name: str, form: str) -> Any:
    """The run, by its import or its simulation."""
    logs = sorted(map(str, (EXAMPLES / name).glob("*.log.gz")))
    if logs:
        return call("incident", "import", *logs, "--format", form)
    return call("run", name, "--set", "host=ideal", "--format", form)


@pytest.mark.parametrize("name", STARTED)
def test_every_command_has_the_same_figure_for_the_same_run(call: Call, name: str) -> None:
    what, after_start_ms, starting_ms, outage_ms = STARTED[name]
    (line,) = [line for line in begun(call, name, "table").out.splitlines() if line.startswith("unavailable ")]
    headline = line.removeprefix("unavailable  ")
    found = begun(call, name, "json").json["unavailable"]
    assert (found["after_start"]["partition_ms"], found["starting_ms"]) == (after_start_ms, starting_ms)
    assert found["after_start_ms"] + found["starting_ms"] == found["partition_ms"]
    assert sum(found["after_start"]["by_label"].values()) == after_start_ms
    run = analysis.load(open_store("groupsim.db"), call("runs", "--format", "json").json[0]["run"])
    founded = new_groups(run.info.summary) or frozenset() if what == "recorded" else None
    assert differences(run.intervals, founded) == []
    assert {measure: found[measure] for measure in NAMES} == counted(marked(run.intervals))
    assert found["after_start"]["outage_ms"] == outage_ms
    first, total = headline.split(". Sum: ")
    assert len(first.split()) <= 30
    assert len(re.findall(r"\d[\d.,]*", first)) <= 3
    assert partition_time(after_start_ms) in total
    for command in ("blame", "unavailable"):
        rows = call(command, "latest", "--by", "label", "--format", "json").json
        assert sum(row["partition_ms"] for row in rows) == after_start_ms
    said = call("blame", "latest").err.splitlines()[-1]
    assert said.startswith("total unavailable time after start-up: ")
    assert partition_seconds(after_start_ms, 3) in said
    whatif = ("incident", "whatif", "latest", "--seeds", "0:1")
    answer, *others = call(*whatif).out.splitlines()
    assert f"{what}: unavailable {headline}" in others
    assert answer.lower().removeprefix("about ").startswith(f"{seconds(after_start_ms)} partition-seconds are recorded")
    assert call(*whatif, "--format", "json").json[0]["recorded"]["unavailable"] == found
    call("report", "latest", "--output", "page.html")
    numbers = data(Path("page.html").read_text("utf-8"))["runs"][0]["numbers"]
    assert numbers["partition_ms"] == after_start_ms
    assert numbers["by_label"] == found["after_start"]["by_label"]
    assert numbers["start_up"] == headline.split("; ")[-1]


def test_comparing_runs_has_the_same_figures(call: Call) -> None:
    for name in list(STARTED)[:2]:
        begun(call, name, "json")
    ids = [row["run"] for row in call("runs", "--format", "json").json]
    rows = {row["measure"]: row["values"] for row in call("compare", *ids, "--format", "json").json["rows"]}
    assert sorted(rows["unavailable"].values()) == [24_466, 33_822]
    assert sorted(rows["start-up"].values()) == [463, 804]


def test_logs_that_begin_later_have_no_start_up(call: Call, tmp_path: Path) -> None:
    """Nothing is taken for start-up of what comes before all partitions have been available in such logs."""
    import gzip

    for log in (EXAMPLES / "rolling-restart-cooperative").glob("*.log.gz"):
        lines = gzip.decompress(log.read_bytes()).decode().splitlines(keepends=True)
        kept = [line for line in lines if line.startswith("[2026-11-20 11:28:0")]
        if kept:
            (tmp_path / log.stem).write_text("".join(kept))
    called = call("incident", "import", *sorted(map(str, tmp_path.iterdir())), "--format", "json")
    found = called.json["unavailable"]
    assert found["starting_ms"] == 0
    assert found["after_start"]["at_least_partition_ms"] == found["at_least_partition_ms"] > 0
