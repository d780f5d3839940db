"""Every figure of logs in whole seconds, or of some members without a log, is said with its bounds."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.incidents.written_logs import coarsened

EXAMPLES = Path(__file__).parents[2] / "examples"
RESTART = EXAMPLES / "incidents" / "rolling-restart-range"
KILL9 = EXAMPLES / "consumer-groups" / "kill9-librdkafka"
MAX_POLL = EXAMPLES / "incidents" / "max-poll-range"


def imported(call: Call, example: Path, name: str, *, coarse: bool = True, without: str = "") -> str:
    """Import an example, in whole seconds or as it is; what the import says."""
    folder = Path(name)
    folder.mkdir()
    for log in sorted(example.glob("*.log.gz")):
        if log.stem != without:
            (folder / log.stem).write_bytes(gzip.decompress(log.read_bytes()))
            if coarse:
                coarsened(folder / log.stem)
    return call("incident", "import", *map(str, sorted(folder.iterdir())), "--name", name).out


def _bounds(sentence: str) -> tuple[float, float]:
    found = re.search(r"at least ([0-9.]+) and at most ([0-9.]+) partition-seconds", sentence)
    assert found is not None
    return float(found[1]), float(found[2])


def test_a_part_of_a_run_in_whole_seconds_has_bounds_of_its_own(call: Call) -> None:
    imported(call, RESTART, "seconds")
    imported(call, RESTART, "fine", coarse=False)
    part = ("--between", "2000", "9000")
    said = call("blame", "seconds", *part).err.splitlines()[-1]
    assert said.startswith("total unavailable time: about ")
    bounds = said.partition("; ")[2]
    assert bounds.startswith("logs have times in whole seconds: the total is at least ")
    assert bounds != call("blame", "seconds").err.splitlines()[-1].partition("; ")[2]
    for command in (("unavailable",), ("unavailable", "--by", "label")):
        assert bounds in call(command[0], "seconds", *part, *command[1:]).err.splitlines()
    least, most = _bounds(bounds)
    rows = call("unavailable", "fine", *part, "--by", "label", "--format", "json").json
    assert least <= sum(row["partition_ms"] for row in rows) / 1_000 <= most <= 12 * 7


def test_a_death_in_bounds_and_whole_seconds_are_both_in_the_bounds_of_a_part(call: Call) -> None:
    imported(call, KILL9, "killed")
    after_start = call("blame", "killed").err.splitlines()[-1]
    whole = call("blame", "killed", "--between", "0", "20000").err.splitlines()[-1]
    assert _bounds(after_start)[1] < _bounds(whole)[1]
    imported(call, KILL9, "fine", coarse=False)
    fine = call("blame", "fine", "--between", "0", "20000").err.splitlines()[-1]
    assert _bounds(whole)[0] < _bounds(fine)[0] < _bounds(fine)[1] < _bounds(whole)[1]


def test_a_total_without_an_upper_bound_says_so_wherever_it_is_shown(call: Call) -> None:
    said = imported(call, MAX_POLL, "missing", coarse=False, without="m2.0.log")
    why = "some members have no log: the total is at least 4.5 partition-seconds, with no upper bound"
    assert said.splitlines()[2].startswith(
        "unavailable  one or more partitions for at least 698 ms in total (start-up not"
    )
    assert ". Sum: at least 4.5 partition-seconds (" in said.splitlines()[2]
    assert f"uncertain: {why}" in said
    assert why in call("unavailable", "missing", "--by", "label").err
    assert (
        f"total unavailable time after start-up: at least 4.519 partition-seconds; {why}"
        in call("blame", "missing").err
    )
    imported(call, MAX_POLL, "all", coarse=False)
    assert f"note: b: {why}" in call("compare", "all", "missing").err
    call("report", "missing", "--output", "page.html")
    page = Path("page.html").read_text("utf-8")
    assert "Sum: at least 4.5 partition-seconds (" in page
    assert f"{why[0].upper()}{why[1:]}." in page


@pytest.mark.parametrize("first", ["fine", "seconds"])
def test_there_is_no_difference_of_times_whose_bounds_overlap(call: Call, first: str) -> None:
    imported(call, RESTART, "fine", coarse=False)
    imported(call, RESTART, "seconds")
    second = "seconds" if first == "fine" else "fine"
    rows = {(row["measure"], row["of"]): row for row in call("compare", first, second, "--format", "json").json["rows"]}
    assert [*rows["rebalances", None]["differences"].values()] == [0]
    for measure in ("unavailable", "outage", "longest outage", "longest interval", "longest rebalance"):
        assert [*rows[measure, None]["differences"].values()] == [None]
    assert [*rows["by label", "WITHHELD"]["differences"].values()] == [None]
    shown = call("compare", first, second)
    assert shown.out.splitlines()[4].split()[-1] == "—"
    assert "which of them is larger is not sure" in shown.err
    assert "do not differ" not in shown.err


def test_a_difference_that_is_larger_than_the_bounds_is_shown(call: Call) -> None:
    imported(call, RESTART, "seconds")
    imported(call, MAX_POLL, "late", coarse=False)
    found = call("compare", "seconds", "late", "--format", "json").json["rows"]
    rows = {row["measure"]: row for row in found if row["of"] is None}
    seconds, late = rows["simulated"]["values"].values()
    assert [*rows["simulated"]["differences"].values()] == [late - seconds]
    assert late - seconds > 1_100
