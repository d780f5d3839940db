"""What stands in a report, read back from its file: numbers that add up to the run's own."""

from __future__ import annotations

import base64
import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from groupsim.analysis.plots.palette import natural, places
from groupsim.analysis.report import report
from groupsim.analysis.report.packing import packed
from groupsim.analysis.report.settings import repeat_command
from groupsim.analysis.runs import Run
from groupsim.storage.store import RunInfo, RunSource
from tests.cli.conftest import Call, call

__all__ = ["call"]


def data(text: str) -> dict[str, Any]:
    """The data that a page carries."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    assert found is not None
    read: dict[str, Any] = json.loads(found[1])
    return read


def unpacked(column: dict[str, str]) -> np.ndarray:
    """A packed column."""
    return np.frombuffer(base64.b64decode(column["data"]), dtype=f"<{column['type']}").astype(np.int64)


def test_the_bars_cover_every_partition_without_gaps_and_add_up_to_the_unavailable_time(slow: Run) -> None:
    bars = data(report([slow]))["runs"][0]["bars"]
    from_ms, to_ms, bad, first = (unpacked(bars[name]) for name in ("from_ms", "to_ms", "bad", "first"))
    total = slow.summary()["unavailable"]["partition_ms"]
    assert ((to_ms - from_ms) * bad).sum() == total > 0
    for low, high in pairwise(first):
        assert (from_ms[low + 1 : high] == to_ms[low : high - 1]).all()
        assert (from_ms[low], to_ms[high - 1]) == (0, 300_000)
    assert len(first) - 1 == len(bars["rows"]) == 24


def test_each_table_of_causes_adds_up_to_the_whole(slow: Run, kill9: Run) -> None:
    for run in (slow, kill9):
        run_data = data(report([run]))["runs"][0]
        for breakdown in run_data["reasons"]:
            assert sum(row[1] for row in breakdown["rows"]) == run_data["numbers"]["partition_ms"], breakdown["by"]


def test_the_swim_lanes_hold_the_critical_path(slow: Run) -> None:
    lanes = data(report([slow]))["runs"][0]["lanes"]
    length, critical, step = (unpacked(lanes[name]) for name in ("length_ms", "critical", "step"))
    waited = {lanes["steps"][s] for s, c, ms in zip(step, critical, length, strict=True) if c and ms > 50_000}
    assert waited == {"poll"}
    assert len(unpacked(lanes["first"])) == len(slow.rebalances()) + 1


def test_equal_runs_give_equal_bytes_and_no_time_of_writing(slow: Run) -> None:
    assert report([slow]) == report([slow])
    assert str(slow.info.created_at)[:10] not in report([slow])


def test_nothing_outside_is_referred_to(slow: Run, kill9: Run) -> None:
    text = report([slow, kill9])
    assert set(re.findall(r"https?://[^\s\"'<)]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"(?:\ssrc|\shref)=[\"'](?!#)|@import|url\((?!#)", text)


def test_numbers_are_packed_as_small_as_they_fit() -> None:
    kinds = {255: "u1", 256: "u2", 65_536: "u4", 2**32: "f8"}
    for highest, kind in kinds.items():
        column = packed([0, highest])
        assert column["type"] == kind
        assert unpacked(column).tolist() == [0, highest]
    assert unpacked(packed([])).tolist() == []


def test_incarnations_share_a_colour_and_names_are_sorted_as_people_count() -> None:
    assert sorted(["m10", "m2", "m1"], key=natural) == ["m1", "m2", "m10"]
    assert places(["m2.0", "m1.1", "m1.0"]) == {"m1.0": 0, "m1.1": 0, "m2.0": 1}


def test_the_command_that_repeats_a_run_is_quoted_for_a_shell() -> None:
    info = RunInfo(id="r", name="story", source=RunSource.SIMULATED, seed=3, params={"assignor": "a b; rm -rf $HOME"})
    assert repeat_command(info) == "groupsim run story --seed 3 --set 'assignor=a b; rm -rf $HOME'"


def test_the_command_writes_a_report_and_only_replaces_reports(call: Call) -> None:
    call("run", "zombie_member")
    written = call("report", "latest")
    assert written.status == 0
    assert re.fullmatch(r"report\.html: \d+ kB, 1 run; open it in a browser\n", written.err)
    run_data = data(Path("report.html").read_text())["runs"][0]
    assert {each["name"] for each in run_data["invariants"]} >= {"single-owner", "converges"}
    assert call("report", "latest", "latest", "-o", "report.html").status == 0
    assert call("report", "latest", "-o", "-").out == Path("report.html").read_text()
    Path("mine.html").write_text("<html>mine</html>")
    refused = call("report", "latest", "-o", "mine.html")
    assert (refused.status, "is not a groupsim report" in refused.err) == (2, True)
    assert Path("mine.html").read_text() == "<html>mine</html>"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nope",), "there is no run 'nope'"),
        (("latest", "-o", "."), "-o . is a folder"),
        (("latest", "-o", "away/r.html"), "there is no folder 'away'"),
    ],
)
def test_a_wrong_request_is_one_sentence_and_status_2(call: Call, arguments: tuple[str, ...], says: str) -> None:
    call("run", "zombie_member", "--record", "facts")
    called = call("report", *arguments)
    assert (called.status, len(called.err.splitlines())) == (2, 1)
    assert says in called.err
    assert not list(Path().glob("*.html"))


def test_what_the_logs_do_not_tell_is_no_zero(slow: Run, tmp_path: Path, call: Call) -> None:
    """Only a broker's log: no partition is known, no commit, and how long nobody could read."""
    log = tmp_path / "broker.log"
    log.write_text(
        "[2026-01-02 10:00:00,000] INFO [GroupCoordinator 1]: Preparing to rebalance group g in state "
        "PreparingRebalance with old generation 4 (__consumer_offsets-1) (reason: removing member m1-1 on heartbeat "
        "expiration) (kafka.coordinator.group.GroupCoordinator)\n"
    )
    page = tmp_path / "page.html"
    store = str(tmp_path / "s.db")
    assert call("incident", "import", str(log), "--store", store).status == 0
    assert call("report", "latest", "--store", store, "-o", str(page)).status == 0
    recorded = data(page.read_text("utf-8"))["runs"][0]
    numbers = recorded["numbers"]
    assert numbers["unknown"]
    not_known = ("max_partitions", "longest_partition_ms", "accepted", "refused", "reprocessed")
    assert all(numbers[key] is None for key in not_known)
    assert (numbers["rebalancing_ms"], numbers["rebalances"]) == (None, 1)
    assert [group["partition_ms"] for group in recorded["groups"]] == [None]
    known = data(report([slow]))["runs"][0]["numbers"]
    assert known["refused"] == slow.summary()["commits"]["refused"]
    assert isinstance(known["longest_partition_ms"], int)


def test_beside_another_run_a_log_without_partitions_has_no_zeros(tmp_path: Path, call: Call) -> None:
    log = tmp_path / "broker.log"
    log.write_text(
        "[2026-01-02 10:00:00,000] INFO [GroupCoordinator 1]: Stabilized group g generation 5 (__consumer_offsets-1) "
        "with 1 members (kafka.coordinator.group.GroupCoordinator)\n"
    )
    store = str(tmp_path / "s.db")
    kill9 = [
        str(path)
        for path in sorted((Path(__file__).parents[3] / "examples" / "incidents" / "kill9-range").glob("*.gz"))
    ]
    for files in ([str(log)], kill9):
        assert call("incident", "import", *files, "--store", store, "--name", str(len(files))).status == 0
    rows = json.loads(call("compare", "1", "4", "--store", store, "--format", "json").out)["rows"]
    by_name = {(row["measure"], row["of"]): row["values"] for row in rows}
    assert list(by_name["unavailable", None].values()) == [None, 33_822]
    assert list(by_name["at once", None].values()) == [None, 12]
    assert list(by_name["rebalances", None].values()) == [0, 4]
