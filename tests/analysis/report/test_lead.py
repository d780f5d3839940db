"""The first sentences and numbers of a report say how well its total is known, and whether the run came to its end."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from groupsim import analysis
from groupsim.analysis.report import report
from groupsim.analysis.runs import Run
from groupsim.cli.existing_store import DEFAULT_STORE, existing
from tests.analysis.report.browser import needs_browser
from tests.analysis.report.conftest import Opened
from tests.analysis.report.test_data import data
from tests.cli.conftest import Call, call
from tests.cli.test_coarse_totals import RESTART, imported

__all__ = ["call"]
BOUNDS = "at least 21.8 and at most 53.8 partition-seconds"


def test_a_total_in_bounds_is_said_with_them(kill9: Run) -> None:
    shown = data(report([kill9]))["runs"][0]
    much, bounds, why = shown["lead"]
    assert much == f"Unavailable: {kill9.headline}."
    assert much.startswith("Unavailable: one or more partitions for about 7.2 s in total (start-up not counted), ")
    assert much.endswith("; start-up: 0.8 partition-seconds more, and up to 2.0 that no log shows.")
    assert bounds == f"The logs show some of these times only in bounds, {BOUNDS}."
    assert shown["strong"] == 2
    assert why.startswith("71 % of this time depends on session.timeout.ms (a smaller value makes it shorter); ")
    assert why.endswith("; the group waited longest for m2.")
    assert shown["numbers"]["between"]["ms"] == [21_822, 53_802]


def test_a_simulated_total_is_exact(slow: Run) -> None:
    shown = data(report([slow]))["runs"][0]
    assert shown["numbers"]["between"] is None
    assert len(shown["lead"]) == 2


@pytest.mark.browser
@pytest.mark.slow
@needs_browser
def test_the_page_shows_the_bounds_and_no_difference_between_totals_in_bounds(
    opened: Opened, kill9: Run, slow: Run
) -> None:
    page = opened(kill9)
    assert BOUNDS in page.inner_text(".lead")
    tiles = page.locator(".tiles").inner_text()
    assert "21.8 – 53.8 partition-s" in tiles
    assert re.search(r"\d+ – \d+ %", tiles)
    rows = opened(kill9, slow).locator("table.compare tbody tr").all_inner_texts()
    in_bounds = {row.partition("\t")[0]: row for row in rows if " – " in row}
    assert "21.8 – 53.8 partition-s" in in_bounds["sum"]
    assert {"one or more partitions unavailable", "longest outage of one partition"} < set(in_bounds)
    assert all("%" not in row.replace(" – ", "") for what, row in in_bounds.items() if not what.startswith("share"))


def test_the_report_of_an_interrupted_run_begins_with_that(call: Call, tmp_path: Path) -> None:
    Path("story.py").write_text(
        "import signal\n"
        "from groupsim.scenarios.dsl import scenario\n"
        "@scenario(lasts=90_000)\n"
        "def story(world):\n"
        "    world.group('g').join('m', topics=[world.topic('t', 1)])\n"
        "    yield world.sleep(12_300)\n"
        "    signal.raise_signal(signal.SIGINT)\n"
    )
    call("run", "story.py")
    run = call("runs", "--format", "json").json[-1]["run"]
    call("report", "latest", "-o", "r.html")
    shown = data(Path("r.html").read_text("utf-8"))["runs"][0]
    said = f"Run {run} was interrupted at 12,300 ms: its facts and figures are up to then."
    assert shown["lead"][0] == said
    assert shown["strong"] != 0
    assert f"<p>{said} " in Path("r.html").read_text("utf-8")


@pytest.mark.browser
@pytest.mark.slow
@needs_browser
def test_times_of_logs_in_whole_seconds_are_about_so_long(opened: Opened, kill9: Run, call: Call) -> None:
    imported(call, RESTART, "seconds")
    with existing(DEFAULT_STORE) as store:
        coarse = analysis.load(store, "seconds")
        page = opened(coarse)
        assert "one or more partitions unavailable\nat most 11.3 s" in page.locator(".tiles").inner_text()
        assert "about 20.5 partition-s" in page.locator(".legend").inner_text()
        assert "All times are about as long as they say" in page.locator("#run-0-why").inner_text()
        rows = opened(kill9, coarse).locator("table.compare tbody tr").all_inner_texts()
    timed = [row for row in rows if row.startswith(("time spent", "WITHHELD", "UNOWNED"))]
    assert len(timed) == 3
    assert all("about" in row and "%" not in row for row in timed)
